import { expect } from 'chai';

interface BundleConstants {
  fixBundle(text: string): Promise<string>;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/optimise/bundleConstants.mjs';
const { fixBundle } = (await import(path)) as BundleConstants;

describe('the constants of a bundle', () => {
  it('are variables of the top level that nothing assigns', async () => {
    expect(await fixBundle('var a = 1;\nvar c = () => {\n  var b = a;\n}\n')).to.equal(
      'const a = 1;\nconst c = () => {\n  var b = a;\n}\n',
    );
  });

  it('stand for its functions, from the second line on, if nothing assigns these', async () => {
    const text = '(function () {\nvar a = f();\nfunction f() {}\nfunction g() {}\ng = f;\n})';
    expect(await fixBundle(text)).to.equal(
      '(function () {\nconst f = f$; const a = f();\nfunction f$() {}\nfunction g() {}\ng = f;\n})',
    );
  });

  it('come with plain fields', async () => {
    expect(await fixBundle('\nvar A = class { #a = 1; };\n')).to.equal('\nconst A = class { $$1$a = 1; };\n');
  });

  for (const change of ['a = 2', 'a ||= 2', 'a++', '--a', 'a >>>= 1', '[a] = [2]', 'for (a of [2]) ;']) {
    it(`are not variables that "${change}" changes`, async () => {
      const text = `var a = 1;\nconst f = () => {\n  ${change};\n};\n`;
      expect(await fixBundle(text)).to.equal(text);
    });
  }

  it('are all of them, however many others there are', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `v${i}`);
    const text = names.map((name) => `var ${name} = 0;\n`).join('') + names.map((name) => `${name}++;\n`).join('');
    expect(await fixBundle(`${text}var a = 1;\n`)).to.equal(`${text}const a = 1;\n`);
  });

  it('may be compared, and may be functions', async () => {
    expect(await fixBundle('var a = 1;\nvar f = (x) => a === x;\n')).to.equal(
      'const a = 1;\nconst f = (x) => a === x;\n',
    );
  });
});
