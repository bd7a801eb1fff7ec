import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileReference, KERNEL } from '../../../../bench/reference/compile.ts';
import { ProgramContender } from '../../../../bench/reference/programContender.ts';

describe('C reference', () => {
  let scratch = '';

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'bench-spec-'));
  });

  after(() => rmSync(scratch, { recursive: true, force: true }));

  it('compiles where there is a compiler, and moves every byte right', async function () {
    const compiled = compileReference(KERNEL, scratch);
    if ('missing' in compiled) return this.skip();
    for (const args of [
      ['bulk', 64, 500],
      ['small', 64, 500],
      ['small', 2, 500],
    ] as const) {
      expect(await new ProgramContender(compiled.program, args).round()).to.be.above(0);
    }
    return undefined;
  });

  it('names what is missing when it cannot be compiled', () => {
    const broken = { ...KERNEL, compiler: 'no-such-compiler' };
    expect(compileReference(broken, scratch)).to.deep.equal({
      missing: 'kernel.c needs a C compiler and the zlib headers',
    });
  });
});
