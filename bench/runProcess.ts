import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ChildName, childArguments } from './children.ts';

const run = promisify(execFile);
const LIMIT = 64 * 1024 * 1024;

/** Runs a program to its end. Output is dropped, the exit code is not looked at. @returns wall time, ns */
export async function timeProcess(program: string, args: readonly string[], cwd: string): Promise<number> {
  const start = process.hrtime.bigint();
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { cwd, maxBuffer: LIMIT }, (error) => {
      // A failing run ends with exit code 1; a program that cannot be started has none.
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve();
    });
  });
  return Number(process.hrtime.bigint() - start);
}

/** Runs of one measurement of processor time, which shells tell in hundredths of a second. */
const RUNS = 5;
/** Plays the command behind it again and again, then says what its processes took: minutes and seconds, user and system. */
const TIMED = `for i in ${Array.from({ length: RUNS }, (_, i) => i).join(' ')}; do "$@" >/dev/null 2>&1; done; times`;

/** Runs a program some times, each to its end. @returns processor time of one, with that of its own processes, ns */
export async function cpuOfProcess(program: string, args: readonly string[], cwd: string): Promise<number> {
  const { stdout } = await run('sh', ['-c', TIMED, 'sh', program, ...args], { cwd, maxBuffer: LIMIT });
  const children = stdout.trim().split('\n').at(-1) ?? '';
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error(`the shell tells no processor time: ${stdout}`);
  const seconds = parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return (seconds * 1e9) / RUNS;
}

/** Runs one of the benchmark's own children. @returns what it printed, as JSON. @throws Error when it fails */
export async function callChild(name: ChildName, data: unknown): Promise<unknown> {
  const { stdout } = await run(process.execPath, childArguments(name, data), { maxBuffer: LIMIT });
  return JSON.parse(stdout);
}
