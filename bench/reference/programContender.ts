import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Contender } from '../inTurn.ts';

const run = promisify(execFile);

/** A compiled reference: each round is a process of its own, which warms up, measures and prints nanoseconds. */
export class ProgramContender implements Contender {
  readonly #program: string;
  readonly #args: readonly string[];

  constructor(program: string, args: readonly (string | number)[]) {
    this.#program = program;
    this.#args = args.map(String);
  }

  /** @throws Error when the program fails or prints no number */
  async round(): Promise<number> {
    const { stdout } = await run(this.#program, this.#args);
    const time = Number(stdout.trim());
    if (!(time > 0)) throw new Error(`${this.#program} ${this.#args.join(' ')} printed "${stdout.trim()}"`);
    return time;
  }
}
