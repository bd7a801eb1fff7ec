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

/** Runs one of the benchmark's own children. @returns what it printed, as JSON. @throws Error when it fails */
export async function callChild(name: ChildName, data: unknown): Promise<unknown> {
  const { stdout } = await run(process.execPath, childArguments(name, data), { maxBuffer: LIMIT });
  return JSON.parse(stdout);
}
