import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

interface ModuleConstants {
  fixModule(text: string): string;
  fixModules(folder: string): void;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/optimise/moduleConstants.mjs';
const { fixModule, fixModules } = (await import(path)) as ModuleConstants;

describe('the constants of compiled modules', () => {
  it('are made from imports of the project, on the lines where these stand', () => {
    const fixed = fixModule('import { A, b as c } from "./x.js";\nimport fs from "node:fs";\nuse(A, c);\n');
    expect(fixed.split('\n').slice(0, 3)).to.deep.equal([
      'import { A as A$, b as c$ } from "./x.js"; const A = A$, c = c$;',
      'import fs from "node:fs";',
      'use(A, c);',
    ]);
  });

  it('are exported under their names, and used inside under names that nobody imports', () => {
    const fixed = fixModule('export const LIMIT = 4;\nuse(LIMIT);\n');
    expect(fixed)
      .to.match(/^const LIMIT = 4;$/m)
      .and.to.contain('const LIMIT$ = LIMIT; export { LIMIT$ as LIMIT };');
  });

  it('stand for the functions of the module from its first line on', () => {
    const fixed = fixModule('const A = f();\nexport function f() { return g(); }\nfunction g() { return 1; }\n');
    expect(fixed.split('\n').slice(0, 4)).to.deep.equal([
      'const f = f$, g = g$; const A = f();',
      'function f$() { return g(); }',
      'function g$() { return 1; }',
      'export { f$ as f };',
    ]);
  });
});

describe('compiled modules', () => {
  const texts = {
    'a.js': 'import { B } from "./b.js";\nexport const A = 1;\n',
    'b.js': 'import { A } from "./a.js";\nexport const B = 2;\n',
    'c.js': 'import { A } from "./a.js";\nexport class C { #a = A; }\n',
  };

  it('get their constants once, but for those that import each other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'constants-'));
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    fixModules(folder);
    const c = readFileSync(join(folder, 'c.js'), 'utf8');
    fixModules(folder);
    expect(readFileSync(join(folder, 'a.js'), 'utf8')).to.equal(texts['a.js']);
    expect(readFileSync(join(folder, 'b.js'), 'utf8')).to.equal(texts['b.js']);
    expect(readFileSync(join(folder, 'c.js'), 'utf8'))
      .to.equal(c)
      .and.to.contain('class C { $c_js$1$a = A; }');
    rmSync(folder, { recursive: true });
  });
});
