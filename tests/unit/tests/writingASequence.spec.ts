import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { play } from './harness.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The example of the guide, as a file outside the project: its imports lead back to sequences/library's neighbours. */
function writeExample(folder: string): string {
  const page = readFileSync(join(ROOT, 'docs/writing-a-sequence.md'), 'utf8');
  const code = /```ts\n([\s\S]*?)```/.exec(page)?.[1];
  if (code === undefined) throw new Error('docs/writing-a-sequence.md has no example');
  const placed = code.replaceAll("from '../../", `from '${ROOT}`).replaceAll("from '../", `from '${ROOT}sequences/`);
  const file = join(folder, 'example.mts');
  writeFileSync(file, placed);
  return file;
}

function typeErrors(file: string): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [file] }, ts.sys, ROOT);
  // The file imports by absolute path, which a compiler that emits would not rewrite.
  const outside = { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true };
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const program = ts.createProgram([file], { ...options, ...outside, typeRoots });
  const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  return diagnostics.map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'));
}

describe('docs/writing-a-sequence.md', function () {
  this.timeout(120_000);
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has an example without a type error', () => {
    expect(typeErrors(writeExample(folder))).to.deep.equal([]);
  });

  it('has an example that runs, is found by its name, and is checked', async () => {
    const module = (await import(pathToFileURL(writeExample(folder)).href)) as {
      SlotRing: { typeName: string } & (new () => object);
    };
    const { SlotRing } = module;
    const run = await play(
      'test_sequence',
      `+UVM_TEST_SEQ=${SlotRing.typeName} +RC_QP_NUM=2 +UC_QP_NUM=2 +UD_QP_NUM=1`,
      1,
      (registry) => {
        registry.factory.register(SlotRing.typeName, SlotRing);
      },
    );
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.contain('[SLOT_RING] 8 records').and.contain('[SEQ_SKIPPED] UD connections are left out');
    expect(run.counts).to.include({ requests_done: 4 * 8, UVM_ERROR: 0, UVM_WARNING: 0 });
    expect(run.counts['checks']).to.be.above(0);
  });
});
