import { Component } from '../../../../uvm/base/component.ts';
import type { Phase } from '../../../../uvm/base/phase.ts';
import type { RunResult } from '../../../../uvm/base/runResult.ts';
import { Factory } from '../../../../uvm/base/factory.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { Run } from '../../../../uvm/run.ts';

/** A run for specs with its log lines. */
export interface Fixture {
  readonly run: Run;
  readonly lines: string[];
  /** Lines that contain the text. */
  log(text: string): string[];
}

/** A run with the given plusargs and an empty or given factory. */
export function fixture(args: readonly string[] = [], factory = new Factory()): Fixture {
  const lines: string[] = [];
  const plusargs = new Plusargs(args);
  const run = new Run({ seed: 1, testName: '', factory, plusargs, sink: (line) => lines.push(line) });
  return { run, lines, log: (text) => lines.filter((l) => l.includes(text)) };
}

/** A component without behaviour of its own. */
export class Plain extends Component {}

/** A top whose run phase is given as a function. */
export class Top extends Component {
  readonly #body: (phase: Phase, top: Top) => Proc;

  constructor(run: Run, body: (phase: Phase, top: Top) => Proc, name = 'top') {
    super(name, run);
    this.#body = body;
  }

  override runPhase(phase: Phase): Proc {
    return this.#body(phase, this);
  }
}

/** Runs `body` as the run phase of a top component, with an objection held around it. */
export function runWithObjection(f: Fixture, body: () => Proc): RunResult {
  new Top(
    f.run,
    function* (phase, top) {
      phase.raiseObjection(top, 'spec');
      yield* body();
      phase.dropObjection(top, 'spec');
    },
    'spec_top',
  );
  return f.run.runTest();
}
