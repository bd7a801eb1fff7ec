import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { childArguments } from '../children.ts';
import type { Contender } from '../inTurn.ts';
import type { FromSteady, Stretch } from './steadyChild.ts';
import type { SteadySpec } from './steadySpec.ts';

/** A steady run in a process of its own, timed one stretch a round. */
export class SteadyContender implements Contender {
  /** All stretches so far. */
  readonly stretches: Stretch[] = [];
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  readonly #verdict: string;

  private constructor(spec: SteadySpec) {
    // Without checks nothing is judged, and the harness says so.
    this.#verdict = spec.plusargs.includes('+CHECKS=0') ? 'vacuous' : 'passed';
    this.#child = spawn(process.execPath, childArguments('steady', spec), { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Brings a run up and warms it. @throws Error when it ends before that */
  static async start(spec: SteadySpec): Promise<SteadyContender> {
    const contender = new SteadyContender(spec);
    await contender.#expect('warm');
    return contender;
  }

  /** @returns processor time of a request, ns */
  async round(): Promise<number> {
    this.#child.stdin?.write('g');
    const { stretch } = await this.#expect('stretch');
    this.stretches.push(stretch);
    return stretch.cpu / stretch.requests;
  }

  /** Ends the run. @throws Error when its verdict is not the one that makes its figures count */
  async end(): Promise<void> {
    this.#child.stdin?.write('e');
    const { verdict, message } = await this.#expect('end');
    if (verdict !== this.#verdict) throw new Error(`a measured run ended with verdict ${verdict}: ${message}`);
  }

  /** Ends the process, whatever it does. */
  kill(): void {
    this.#child.kill();
  }

  async #expect<K extends FromSteady['kind']>(kind: K): Promise<Extract<FromSteady, { kind: K }>> {
    const { value, done } = await this.#lines.next();
    const message = done === true ? undefined : (JSON.parse(value) as FromSteady);
    if (message?.kind === kind) return message as Extract<FromSteady, { kind: K }>;
    throw new Error(`a measured run ended early: ${message === undefined ? 'it crashed' : JSON.stringify(message)}`);
  }
}

/** Starts runs, uses them, and ends them whatever happens; figures of a run that does not pass are refused. */
export async function withSteady<T>(
  specs: readonly SteadySpec[],
  use: (runs: readonly SteadyContender[]) => Promise<T>,
): Promise<T> {
  const runs: SteadyContender[] = [];
  try {
    for (const spec of specs) runs.push(await SteadyContender.start(spec));
    const result = await use(runs);
    for (const run of runs) await run.end();
    return result;
  } finally {
    for (const run of runs) run.kill();
  }
}
