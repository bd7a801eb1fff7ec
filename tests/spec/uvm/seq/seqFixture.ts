import { Component } from '../../../../uvm/base/component.ts';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import type { Run } from '../../../../uvm/run.ts';
import { Driver } from '../../../../uvm/seq/driver.ts';
import { Sequence } from '../../../../uvm/seq/sequence.ts';
import { SequenceItem } from '../../../../uvm/seq/sequenceItem.ts';
import { Sequencer } from '../../../../uvm/seq/sequencer.ts';
import type { Fixture } from '../base/runFixture.ts';

export class Item extends SequenceItem {
  value = 0;
}

/** Takes items, 10 ps each, and notes their names. */
export class NotingDriver extends Driver<Item> {
  readonly seen: string[] = [];
  /** Item time in ps. */
  pace = 10;

  override *runPhase(): Proc {
    for (;;) {
      const item = yield* this.seqItemPort.getNextItem();
      this.seen.push(item.name);
      yield* delay(this.pace);
      this.seqItemPort.itemDone();
    }
  }
}

export class Bench extends Component {
  readonly sequencer: Sequencer<Item>;
  readonly driver: NotingDriver;

  constructor(run: Run, driver: new (name: string, parent: Component) => NotingDriver = NotingDriver) {
    super('bench', run);
    this.sequencer = new Sequencer<Item>('sqr', this);
    this.driver = new driver('drv', this);
  }

  override connectPhase(): void {
    this.driver.seqItemPort.connect(this.sequencer);
  }
}

/** A sequence whose body is given as a function. */
export class Lambda extends Sequence<Item> {
  readonly #body: (self: Lambda) => Proc;
  constructor(name: string, body: (self: Lambda) => Proc) {
    super(name);
    this.#body = body;
  }
  body(): Proc {
    return this.#body(this);
  }
}

/** A sequence that sends `count` items named after it. */
export function sender(name: string, count: number): Lambda {
  return new Lambda(name, function* (self) {
    for (let i = 0; i < count; i++) yield* self.send(new Item(`${name}${i}`));
  });
}

/** Starts sequences side by side and waits for all. */
export function* startAll(
  f: Fixture,
  bench: Bench,
  sequences: readonly Sequence<Item>[],
  priorities: number[] = [],
): Proc {
  const started = sequences.map((s, i) =>
    f.run.processes.spawn(s.name, s.start(bench.sequencer, null, priorities[i] ?? -1)),
  );
  for (const p of started) if (!p.ended) yield p;
}
