import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { bundledUrl } from '../support/bundled.ts';

const parts = bundledUrl('tests/spec/support/programParts.ts');
const HOME = fileURLToPath(new URL('../../../', import.meta.url));

describe('a signal in the middle of a run', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** `hca_test` in a process of its own with a test that does `body`, after the first microsecond. */
  function start(body: string): ChildProcess {
    const script = `
      import { readFileSync, writeSync } from 'node:fs';
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

  /** Sends a signal once the run has said `ready`. @returns exit code and output */
  function interrupted(
    body: string,
    signal: NodeJS.Signals,
    ready = 'begun',
  ): Promise<[code: number | null, out: string]> {
    return new Promise((resolve) => {
      const child = start(body);
      let out = '';
      let sent = false;
      const take = (chunk: Buffer): void => {
        out += chunk.toString();
        if (sent || !out.includes(ready)) return;
        sent = true;
        child.kill(signal);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.on('close', (code) => resolve([code, out]));
    });
  }

  const LOOP = 'for (;;) yield* delay(1000);';
  /**
   * Goes on until the thread that looks for SIGTERM and SIGHUP, which the run starts after half a second, has told the
   * system that these are handled; then says "watched".
   */
  const UNTIL_WATCHED = `
    const handled = () => BigInt('0x' + /SigCgt:\\s*(\\w+)/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
    while ((handled() & 0x4001n) !== 0x4001n) for (let i = 0; i < 100_000; i++) yield* delay(1000);
    writeSync(1, 'watched\\n');`;

  it('ends it with verdict, record, log and the exit code of the signal', async () => {
    const [code, out] = await interrupted(LOOP, 'SIGINT');
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

  it('ends it where it looks for the wall clock when the signal is another', async function () {
    if (!existsSync('/proc/self/status')) this.skip();
    for (const [signal, expected] of [['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
      const [code, out] = await interrupted(`${UNTIL_WATCHED} ${LOOP}`, signal, 'watched');
      expect(code, out).to.equal(expected);
      expect(out).to.match(new RegExp(`TEST FAILED INTERRUPTED .*\\[INTERRUPTED\\] ${signal} at `));
    }
  });

  it('breaks off a loop that never waits', async () => {
    const [code, out] = await interrupted('for (;;);', 'SIGINT');
    expect(code, out).to.equal(130);
    expect(out).to.match(/\[INTERRUPTED\] SIGINT \(Ctrl-C\) at 1us in batch 2, 3 of 9/);
    if (!existsSync('/proc/self/status')) return;
    const [late, text] = await interrupted(`${UNTIL_WATCHED} for (;;);`, 'SIGTERM', 'watched');
    expect(late, text).to.equal(143);
    expect(text).to.match(/\[INTERRUPTED\] SIGTERM at /);
  });

  it('leaves a run failed that had found an error, and says what ended it', async () => {
    const body = `this.error('SCB_DATA', 'byte 3 differs'); writeSync(1, 'reported\\n'); ${LOOP}`;
    const [code, out] = await interrupted(body, 'SIGINT', 'reported');
    expect(code, out).to.equal(130);
    expect(out).to.match(/\nTEST FAILED scripted .*\[SCB_DATA\] byte 3 differs; ended by \[INTERRUPTED\] SIGINT/);
  });
});
