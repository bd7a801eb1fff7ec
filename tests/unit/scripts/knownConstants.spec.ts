import { expect } from 'chai';

interface KnownConstants {
  fixModule(text: string): string;
  fixBundle(text: string): string;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/knownConstants.mjs';
const { fixModule, fixBundle } = (await import(path)) as KnownConstants;

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

describe('the constants of a bundle', () => {
  it('are variables of the top level that nothing assigns', () => {
    expect(fixBundle('var a = 1;\nfunction f() {\n  var b = a;\n}\n')).to.equal(
      'const a = 1;\nfunction f() {\n  var b = a;\n}\n',
    );
  });

  for (const change of ['a = 2', 'a ||= 2', 'a++', '--a', 'a >>>= 1']) {
    it(`are not variables of which one finds "${change}"`, () => {
      const text = `var a = 1;\nfunction f() {\n  ${change};\n}\n`;
      expect(fixBundle(text)).to.equal(text);
    });
  }

  it('may be compared, and may be functions', () => {
    expect(fixBundle('var a = 1;\nvar f = (x) => a === x;\n')).to.equal('const a = 1;\nconst f = (x) => a === x;\n');
  });
});
