/** The examples of all pages, compiled at once: to compile those of one page takes as long. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { typeErrors, writeExamples } from '../support/pageExamples.ts';

const PAGES = ['connecting-a-dut', 'faults', 'writing-a-sequence', 'writing-a-test'];

describe('the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  after(() => rmSync(folder, { recursive: true }));

  it('has no example with a type error, which the compiler would find', () => {
    const files = PAGES.flatMap((page) => {
      mkdirSync(join(folder, page));
      return [...writeExamples(`docs/${page}.md`, join(folder, page)).values()];
    });
    expect(files).to.have.length.above(PAGES.length);
    const wrong = join(folder, 'wrong.mts');
    writeFileSync(wrong, 'export const text: string = 7;\n');
    expect(typeErrors([...files, wrong])).to.deep.equal(["Type 'number' is not assignable to type 'string'."]);
  });
});
