import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { bundledUrl } from '../support/bundled.ts';

const parts = bundledUrl('tests/spec/support/programParts.ts');
const HOME = fileURLToPath(new URL('../../../', import.meta.url));

describe('a signal in the middle of a run', function () {
  this.timeout(60_000);
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** `hca_test` in a process of its own with a test that does `body`, after the first microsecond. */
  function start(body: string): ChildProcess {
    const script = `
      import { writeSync } from 'node:fs';
      import { Component, delay, main, registryOf } from '${parts}';
      class Scripted extends Component {
        static typeName = 'scripted';
        *runPhase(phase) {
          phase.raiseObjection(this);
          yield* delay(1_000_000);
          writeSync(1, 'begun\\n');
          ${body}
        }
        runCounts() { return { checks: 1, requests_done: 3, requests_total: 9 }; }
        runStage() { return 'batch 2'; }
      }
      const registry = registryOf([{ folder: 'tests', name: 'scripted', exports: { Scripted } }]);
      const argv = ['+UVM_TESTNAME=scripted', '--out', '${folder}/out', '--seed', '5'];
      process.exitCode = await main(argv, { registry, env: {} });`;
    const file = join(folder, 'script.mjs');
    writeFileSync(file, script);
    return spawn(process.execPath, [file], { cwd: HOME });
  }

  /** Sends a signal `ms` after the run has begun. @returns exit code and output */
  function interrupted(body: string, signal: NodeJS.Signals, ms: number): Promise<[code: number | null, out: string]> {
    return new Promise((resolve) => {
      const child = start(body);
      let out = '';
      let sent = false;
      const take = (chunk: Buffer): void => {
        out += chunk.toString();
        if (sent || !out.includes('begun')) return;
        sent = true;
        setTimeout(() => child.kill(signal), ms);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.on('close', (code) => resolve([code, out]));
    });
  }

  const LOOP = 'for (;;) yield* delay(1000);';
  /** The run looks for signals by a thread that it starts after half a second. */
  const WATCHED_MS = 1500;

  it('ends it with verdict, record, log and the exit code of the signal', async () => {
    const [code, out] = await interrupted(LOOP, 'SIGINT', 300);
    expect(code, out).to.equal(130);
    expect(out).to.match(
      /\nTEST FAILED INTERRUPTED scripted seed 5 \(1 check, .*\[INTERRUPTED\] SIGINT \(Ctrl-C\) at /,
    );
    expect(out).to.match(/, 3 of 9 requests completed\nreplay: .*--seed 5\n$/);
    const [id = ''] = readdirSync(join(folder, 'out'));
    const record = readRunRecord(join(folder, 'out', id, 'run.json'));
    expect([record.verdict, record.exitCode, record.signature?.id]).to.deep.equal(['error', 130, 'INTERRUPTED']);
    const log = readFileSync(join(folder, 'out', id, 'run.log'), 'utf8');
    expect(log).to.match(
      /\[INTERRUPTED\] SIGINT[^\n]*\nparked processes:[\s\S]*\nobjections:\n {2}uvm_test_top raised 1/,
    );
    expect(log).to.match(/\nTEST FAILED INTERRUPTED .*\nreplay: .*\n$/);
  });

  it('ends it where it looks for the wall clock when the signal is another', async () => {
    for (const [signal, expected] of [['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
      const [code, out] = await interrupted(LOOP, signal, WATCHED_MS);
      expect(code, out).to.equal(expected);
      expect(out).to.match(new RegExp(`TEST FAILED INTERRUPTED .*\\[INTERRUPTED\\] ${signal} at `));
    }
  });

  it('breaks off a loop that never waits', async () => {
    const [code, out] = await interrupted('for (;;);', 'SIGINT', 300);
    expect(code, out).to.equal(130);
    expect(out).to.match(/\[INTERRUPTED\] SIGINT \(Ctrl-C\) at 1us in batch 2, 3 of 9/);
    const [late, text] = await interrupted(
      'for (const end = Date.now() + 1000; Date.now() < end; ) yield* delay(1000); for (;;);',
      'SIGTERM',
      WATCHED_MS,
    );
    expect(late, text).to.equal(143);
    expect(text).to.match(/\[INTERRUPTED\] SIGTERM at /);
  });

  it('leaves a run failed that had found an error, and says what ended it', async () => {
    const [code, out] = await interrupted(`this.error('SCB_DATA', 'byte 3 differs'); ${LOOP}`, 'SIGINT', 300);
    expect(code, out).to.equal(130);
    expect(out).to.match(/\nTEST FAILED scripted .*\[SCB_DATA\] byte 3 differs; ended by \[INTERRUPTED\] SIGINT/);
  });
});
