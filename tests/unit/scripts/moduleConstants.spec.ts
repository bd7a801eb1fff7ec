import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

interface ModuleConstants {
  fixModule(text: string): string;
  fixModules(folder: string): void;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/moduleConstants.mjs';
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
    const fixed = fixModule('export const LIMIT = 4;\nexport function f() { return LIMIT; }\n');
    expect(fixed).to.contain('\nexport function f() { return LIMIT; }\n');
    expect(fixed)
      .to.match(/^const LIMIT = 4;$/m)
      .and.to.contain('const LIMIT$ = LIMIT; export { LIMIT$ as LIMIT };');
  });
});

describe('compiled modules', () => {
  const texts = {
    'a.js': 'import { B } from "./b.js";\nexport const A = 1;\n',
    'b.js': 'import { A } from "./a.js";\nexport const B = 2;\n',
    'c.js': 'import { A } from "./a.js";\nexport const C = A;\n',
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
      .and.to.equal(fixModule(texts['c.js']));
    rmSync(folder, { recursive: true });
  });
});
