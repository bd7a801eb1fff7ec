/** Runs one script by a shell in a process group of its own, within limits. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** How it ended. */
export interface ShellEnd {
  /** Why not everything that the script calls has been seen; undefined = it has come to its end, with exit code 0. */
  readonly failure: string | undefined;
  /** First lines of its standard error. */
  readonly complaints: readonly string[];
}

/** What it finds, and how far it may go. */
export interface ShellLimits {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that grows with each recorded call. */
  readonly calls: string;
  readonly silentSeconds: number;
  readonly mostBytes: number;
}

const LOOK_MS = 100;
const MOST_COMPLAINTS = 20;
const MOST_CHARACTERS = 8192;
const FIRST_LINE_BYTES = 256;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @returns when the shell and all that it has started have ended */
export async function runShell(path: string, limits: ShellLimits): Promise<ShellEnd> {
  const { cwd, env } = limits;
  const [program = '', ...args] = interpreterOf(path, env);
  const name = path.includes('/') ? path : `./${path}`;
  // What runs in the background holds the last pipe after the shell itself has ended.
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe'] as const;
  const shell = spawn(program, [...args, name], { cwd, env, stdio: [...stdio], detached: true });
  const complaints = beginningOf(shell.stderr as Readable);
  (shell.stdio[3] as Readable | null)?.resume();
  const watch = new ShellWatch(shell, limits);
  try {
    const failure = await endOf(shell, program);
    return { failure: watch.stoppedFor ?? failure, complaints: linesOf(complaints.join('')) };
  } finally {
    watch.close();
  }
}

/** The words of a `#!` line, as the system takes them; else the shell of the user. */
function interpreterOf(path: string, env: ShellLimits['env']): string[] {
  const [, program, argument] = /^#!\s*(\S+)[ \t]*(.*?)\s*(?:\n|$)/.exec(firstBytes(path)) ?? [];
  if (program !== undefined) return argument ? [program, argument] : [program];
  return [path.endsWith('.csh') ? 'csh' : env['SHELL'] || '/bin/sh'];
}

function firstBytes(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/** @returns what went wrong, if anything */
function endOf(shell: ChildProcess, program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    shell.on('error', (error) => resolve(`its shell ${program} cannot be started (${error.message})`));
    shell.on('close', (code, signal) => resolve(failureOf(program, code, signal)));
  });
}

function failureOf(program: string, code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return `${program} has ended ${how}, so runs may be missing; end the script with exit 0 if that is as it should be`;
}

/** Keeps the first text of a stream and lets the rest go by. */
function beginningOf(stream: Readable): readonly string[] {
  const parts: string[] = [];
  let length = 0;
  stream.setEncoding('utf8').on('data', (part: string) => {
    if (length < MOST_CHARACTERS) parts.push(part.slice(0, MOST_CHARACTERS - length));
    length += part.length;
  });
  return parts;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, MOST_COMPLAINTS);
}

/** Ends a shell with all its processes when it goes beyond its limits, or when a signal comes. */
class ShellWatch {
  readonly #shell: ChildProcess;
  readonly #limits: ShellLimits;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #silentLooks = 0;
  #stoppedFor: string | undefined;

  constructor(shell: ChildProcess, limits: ShellLimits) {
    this.#shell = shell;
    this.#limits = limits;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    for (const signal of SIGNALS) process.on(signal, this.#interrupt);
  }

  get stoppedFor(): string | undefined {
    return this.#stoppedFor;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const signal of SIGNALS) process.removeListener(signal, this.#interrupt);
  }

  #look(): void {
    const { calls, silentSeconds, mostBytes } = this.#limits;
    const { size } = statSync(calls);
    this.#silentLooks = size === this.#bytes ? this.#silentLooks + 1 : 0;
    this.#bytes = size;
    if (size > mostBytes) this.#stop(`it calls hca_test without end (more than ${mostBytes} bytes of calls)`);
    else if (this.#silentLooks * LOOK_MS >= silentSeconds * 1000)
      this.#stop(`it has called nothing for ${silentSeconds} s and was ended; take out what waits`);
  }

  #stop(reason: string): void {
    this.#stoppedFor ??= reason;
    const { pid } = this.#shell;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      // Already gone.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** The signal then does what it always does. */
  readonly #interrupt = (signal: NodeJS.Signals): void => {
    this.#stop(`ended by ${signal}`);
    this.close();
    process.kill(process.pid, signal);
  };
}
