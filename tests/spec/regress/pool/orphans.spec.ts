import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundledFile, bundledUrl } from '../../support/bundled.ts';

/** A runner in a process of its own, whose workers leave a file with their number once they play. */
const runnerOf = (player: 'orphanPlayer' | 'walkingPlayer'): string[] => [
  bundledFile('tests/spec/support/poolRunner.ts'),
  bundledFile('regress/worker.ts'),
  bundledUrl(`tests/spec/support/${player}.ts`),
];
const DEADLINE_MS = 2000;
const LOOK_MS = 50;
const STOPPED_MS = 5000;

describe('workers whose runner was stopped for longer than a run may take', () => {
  it('are not taken for stuck', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stopped-'));
    const runner = spawn(process.execPath, [...runnerOf('orphanPlayer'), folder, 'hold', '3'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let out = '';
    runner.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    await until(() => readdirSync(folder).length === 2);
    runner.kill('SIGSTOP');
    await new Promise((resolve) => void setTimeout(resolve, STOPPED_MS));
    runner.kill('SIGCONT');
    await once(runner, 'close');
    rmSync(folder, { recursive: true });
    expect(out.trim().split('\n')).to.deep.equal(Array(4).fill('passed'));
  });
});

describe('workers that were stopped together with their runner, for longer than a run may take', () => {
  const outcomesOf = async (what: string, seconds: number, stoppedMs: number): Promise<string[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'stopped-'));
    const runner = spawn(process.execPath, [...runnerOf('walkingPlayer'), folder, what, String(seconds)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let out = '';
    runner.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    const group = -(runner.pid as number);
    if (stoppedMs > 0) {
      await until(() => readdirSync(folder).length === 2);
      await pause(200);
      process.kill(group, 'SIGSTOP');
      await pause(stoppedMs);
      process.kill(group, 'SIGCONT');
    }
    await once(runner, 'close');
    rmSync(folder, { recursive: true });
    return out.trim().split('\n');
  };

  it('go on with what they played', async () => {
    expect(await outcomesOf('+UVM_TESTNAME=walks', 8, 2 * STOPPED_MS)).to.deep.equal(Array(4).fill('passed'));
  });

  it('are told by it when a run is over its limit that never looks at a clock, and break it off', async () => {
    const outcomes = await outcomesOf('+UVM_TESTNAME=never_waits', 1, 0);
    expect(outcomes).to.have.length(4);
    for (const outcome of outcomes)
      expect(outcome).to.match(/^timeout \[RUN_LIMIT\] no end after 1 s .*a loop that never waits/);
  });
});

describe('workers whose runner was killed', () => {
  let folder: string;
  let runner: ChildProcess;

  const pids = (): number[] => readdirSync(folder).map(Number);

  /** Starts a runner with two workers that both play what `what` says. */
  const start = async (what: string): Promise<number[]> => {
    folder = mkdtempSync(join(tmpdir(), 'orphans-'));
    runner = spawn(process.execPath, [...runnerOf('orphanPlayer'), folder, what], { stdio: 'ignore' });
    await until(() => pids().length === 2);
    return pids();
  };

  afterEach(() => {
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });

  for (const [what, title] of [
    ['hang', 'end in the middle of a run that never gives its process back'],
    ['report', 'end when they report while nobody listens, with promises that nobody handles'],
    ['wait', 'end while they wait'],
  ] as const) {
    it(title, async () => {
      const workers = await start(what);
      runner.kill('SIGKILL');
      await once(runner, 'exit');
      const end = performance.now() + DEADLINE_MS;
      while (workers.some(isAlive) && performance.now() < end) await pause();
      expect(workers.filter(isAlive)).to.deep.equal([]);
    });
  }
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause();
}

function pause(ms = LOOK_MS): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** A process that has ended may stay in the table of the system for as long as nobody asks for it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
