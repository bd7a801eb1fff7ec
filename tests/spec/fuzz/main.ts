/**
 * `npm run fuzz`: gives the programs inputs that nobody means, and looks whether what must hold for all of them does.
 *
 *   npm run fuzz -- --runs 100000 --seed 7     inputs in-process, in children that are watched and started again
 *   npm run fuzz -- --commands 1000            inputs as real commands
 *   npm run fuzz -- --seed 7 --case 1234       that input alone, shown
 *
 * Ends after `--seconds`, default 600. Exit code 1 when something was broken.
 */

import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type HostileInput, hostileInputs } from './hostileInputs.ts';
import { originals } from './originals.ts';
import { type Outcome, violations } from './oracle.ts';

/** An input takes so long before it is a violation (ms of processor time), and before its process is killed (ms). */
const SLOW_MS = 10_000;
const STUCK_MS = 120_000;
const REAL_LIMIT_MS = 120_000;
const HEAP_MB = 512;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    commands: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    case: { type: 'string' },
  },
});
const inputs = hostileInputs(originals());
const end = performance.now() + Number(values.seconds) * 1000;
const seed = Number(values.seed);
let broken = 0;
let played = 0;

/** The n-th input of the seed. */
function inputAt(n: number): HostileInput {
  const [input] = fc.sample(inputs, {
    numRuns: 1,
    seed: (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(n + 1, 0x85eb_ca6b)) | 0,
  });
  return input as HostileInput;
}

function judge(n: number, input: HostileInput, outcome: Outcome, limitMs: number): void {
  played++;
  const found = violations(outcome, limitMs, namesOutside(input));
  if (found.length === 0) return;
  broken++;
  const last = outcome.text.slice(-600);
  console.log(
    `case ${n} (--seed ${seed} --case ${n}): ${found.join('; ')}\n${JSON.stringify(input).slice(0, 600)}\n${last}\n`,
  );
}

/** Outputs are where the user says: on the command line, and in the files of further arguments that it names. */
function namesOutside({ argv, files }: HostileInput): boolean {
  const words = [...argv, ...Object.entries(files).flatMap(([name, text]) => (name.endsWith('.f') ? [text] : []))];
  return words.some((text) => text.includes('../'));
}

/** One child after another plays every `step`-th input. */
async function inProcess(first: number, step: number, runs: number): Promise<void> {
  let child: ChildProcess | undefined;
  for (let n = first; n < runs && performance.now() < end; n += step) {
    child ??= await started();
    const input = inputAt(n);
    const outcome = await answer(child, input);
    if (outcome === undefined) {
      child.kill('SIGKILL');
      child = undefined;
      judge(n, input, { code: undefined, text: 'the process died or was stuck', ms: STUCK_MS, made: [] }, STUCK_MS);
    } else judge(n, input, outcome, SLOW_MS);
  }
  child?.disconnect();
}

function started(): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const execArgv = ['--import', 'tsx', `--max-old-space-size=${HEAP_MB}`];
  const child = fork(file, [], { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  return new Promise((resolve) => void child.once('message', () => resolve(child)));
}

/** Undefined when the child died, or had to be given up. */
function answer(child: ChildProcess, input: HostileInput): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    const watchdog = setTimeout(() => settle(undefined), STUCK_MS);
    const settle = (outcome: Outcome | undefined): void => {
      clearTimeout(watchdog);
      child.removeAllListeners();
      resolve(outcome);
    };
    child.once('message', (outcome) => settle(outcome as Outcome));
    child.once('exit', () => settle(undefined));
    child.send(input);
  });
}

/** The same as a user gives it: no word of a real command line holds a NUL. */
function asCommand({ program, argv, files }: HostileInput): Outcome {
  const around = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const folder = join(around, 'here');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const start = performance.now();
  const words = argv.map((text) => text.replaceAll('\0', ''));
  const { status, stdout, stderr } = spawnSync(join(ROOT, program), words, {
    cwd: folder,
    encoding: 'utf8',
    timeout: REAL_LIMIT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  });
  const ms = performance.now() - start;
  const beside = readdirSync(around).filter((name) => name !== 'here');
  const given = new Set(Object.keys(files).map((name) => name.split('/')[0]));
  const made = [...beside.map((name) => `../${name}`), ...readdirSync(folder).filter((name) => !given.has(name))];
  rmSync(around, { recursive: true, force: true });
  return { code: status ?? undefined, text: stdout + stderr, ms, made };
}

if (values.case !== undefined) {
  const n = Number(values.case);
  console.log(JSON.stringify(inputAt(n), null, 1));
  await inProcess(n, 1, n + 1);
} else {
  const lanes = Math.min(Number(values.lanes), availableParallelism());
  await Promise.all(Array.from({ length: lanes }, (_, lane) => inProcess(lane, lanes, Number(values.runs))));
  for (let n = 0; n < Number(values.commands) && performance.now() < end; n++) {
    const input = inputAt(n);
    judge(n, input, asCommand(input), REAL_LIMIT_MS);
  }
}
console.log(`fuzz: seed ${seed}, ${played} inputs, ${broken} violations`);
process.exitCode = broken === 0 ? 0 : 1;
