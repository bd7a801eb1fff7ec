import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASM_COMPILER } from '../../../../uvm/bytes/bytesWasm.ts';

const root = join(import.meta.dirname, '../../../..');

function installedCompiler(): string {
  try {
    return execFileSync('clang', ['--version'], { encoding: 'utf8' }).split('\n')[0] as string;
  } catch {
    return 'none';
  }
}

describe('bytesWasm', () => {
  it('is what the compiler named in it makes of bytes.c', function () {
    const compiler = installedCompiler();
    if (compiler !== WASM_COMPILER) {
      console.log(`      skipped: built with '${WASM_COMPILER}', installed is '${compiler}'`);
      this.skip();
    }
    const work = mkdtempSync(join(tmpdir(), 'bytes-wasm-'));
    try {
      const out = join(work, 'bytesWasm.ts');
      execFileSync('sh', [join(root, 'scripts/build/build-wasm.sh'), out]);
      expect(readFileSync(out, 'utf8')).to.equal(readFileSync(join(root, 'uvm/bytes/bytesWasm.ts'), 'utf8'));
    } finally {
      rmSync(work, { recursive: true });
    }
  });
});
