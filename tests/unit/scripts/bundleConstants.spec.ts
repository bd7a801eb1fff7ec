import { expect } from 'chai';

interface BundleConstants {
  fixBundle(text: string): Promise<string>;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/bundleConstants.mjs';
const { fixBundle } = (await import(path)) as BundleConstants;

describe('the constants of a bundle', () => {
  it('are variables of the top level that nothing assigns', async () => {
    expect(await fixBundle('var a = 1;\nfunction f() {\n  var b = a;\n}\n')).to.equal(
      'const a = 1;\nfunction f() {\n  var b = a;\n}\n',
    );
  });

  for (const change of ['a = 2', 'a ||= 2', 'a++', '--a', 'a >>>= 1', '[a] = [2]', 'for (a of [2]) ;']) {
    it(`are not variables that "${change}" changes`, async () => {
      const text = `var a = 1;\nfunction f() {\n  ${change};\n}\n`;
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
