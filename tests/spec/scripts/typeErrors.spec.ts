import { expect } from 'chai';

interface TypeErrors {
  typeErrorReport(output: string, nameOf?: (file: string) => string): string;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/build/typeErrors.mjs';
const { typeErrorReport } = (await import(path)) as TypeErrors;

const WRONG = "tests/testA.ts(4,3): error TS2322: Type 'string' is not assignable to type 'number'.\n";
const DEEP =
  "tests/testB.ts(5,22): error TS2416: Property 'a' is not assignable.\n  Type 'b'\n    Type 'c'\n      Type 'd'\n        Type 'e'\n";

describe('the report of type errors', () => {
  it('names file, line and column of each as the messages about lists do, and counts them', () => {
    expect(typeErrorReport(WRONG).split('\n')).to.deep.equal([
      '1 type error in 1 file:',
      "  tests/testA.ts:4:3: Type 'string' is not assignable to type 'number'. (TS2322)",
    ]);
    expect(typeErrorReport(WRONG + DEEP)).to.match(/^2 type errors in 2 files:/);
    expect(typeErrorReport(WRONG, (file) => `own/${file}`)).to.contain('  own/tests/testA.ts:4:3: ');
  });

  it('keeps the beginning of a long explanation', () => {
    const lines = typeErrorReport(DEEP + WRONG).split('\n');
    expect(lines.slice(2, 5)).to.deep.equal(["    Type 'b'", "      Type 'c'", "        Type 'd'"]);
    expect(lines[5]).to.contain('tests/testA.ts:4:3');
  });

  it('shows ten and counts the rest', () => {
    const lines = typeErrorReport(WRONG.repeat(13)).split('\n');
    expect(lines).to.have.length(12);
    expect(lines.at(-1)).to.equal('  ... and 3 more');
  });

  it('shows what is no type error as it is, and mistakes of the configuration without a place', () => {
    expect(typeErrorReport('node: out of memory\n')).to.equal('node: out of memory');
    expect(typeErrorReport('error TS18003: No inputs were found.\n')).to.contain('\n  No inputs were found. (TS18003)');
  });
});
