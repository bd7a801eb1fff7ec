import { expect } from 'chai';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import { Sequence } from '../../../../uvm/seq/sequence.ts';
import type { SequenceItem } from '../../../../uvm/seq/sequenceItem.ts';
import type { AnySequence } from '../../../../uvm/seq/sequenceClient.ts';
import { fixture, Plain, runWithObjection } from '../base/runFixture.ts';
import { Bench, Item, Lambda, NotingDriver, sender } from './seqFixture.ts';

class Hooked extends Sequence<Item> {
  readonly seen: string[];
  child: Hooked | undefined;
  constructor(name: string, seen: string[]) {
    super(name);
    this.seen = seen;
  }
  override *preStart(): Proc {
    yield* this.note('preStart');
  }
  override *preBody(): Proc {
    yield* this.note('preBody');
  }
  override *preDo(isItem: boolean): Proc {
    yield* this.note(`preDo ${isItem}`);
  }
  override midDo(child: SequenceItem | AnySequence): void {
    this.seen.push(`${this.name} midDo ${child.name}`);
  }
  *body(): Proc {
    yield* this.note('body');
    if (this.child !== undefined) yield* this.startChild(this.child);
    else yield* this.send(new Item('item'));
  }
  override postDo(child: SequenceItem | AnySequence): void {
    this.seen.push(`${this.name} postDo ${child.name}`);
  }
  override *postBody(): Proc {
    yield* this.note('postBody');
  }
  override *postStart(): Proc {
    yield* this.note('postStart');
  }
  *note(text: string): Proc {
    this.seen.push(`${this.name} ${text}`);
    yield 0;
  }
}

/** Answers every item with the item itself, out of order: holds each back until the next but one. */
class AnsweringDriver extends NotingDriver {
  override *runPhase(): Proc {
    const held: Item[] = [];
    for (;;) {
      const item = yield* this.seqItemPort.get();
      yield* delay(10);
      const response = new Item(`rsp ${item.name}`);
      response.setIdInfo(item);
      held.unshift(response);
      if (held.length === 3) for (const r of held.splice(0)) this.seqItemPort.put(r);
    }
  }
}

describe('Sequence (1800.2 14.2)', () => {
  it('calls the hooks in the order of the standard, without preBody and postBody for a child (14.2.3.1)', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const seen: string[] = [];
    const parent = new Hooked('p', seen);
    parent.child = new Hooked('c', seen);
    runWithObjection(f, () => parent.start(bench.sequencer));
    expect(seen).to.deep.equal([
      'p preStart',
      'p preBody',
      'p body',
      'c preStart',
      'p preDo false',
      'p midDo c',
      'c body',
      'c preDo true',
      'c midDo item',
      'c postDo item',
      'p postDo c',
      'c postStart',
      'p postBody',
      'p postStart',
    ]);
    expect([parent.state, parent.child.fullName]).to.deep.equal(['finished', 'bench.sqr.p.c']);
  });

  it('lets the item be filled in after the grant, as late as possible (14.2.6.2)', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const times: number[] = [];
    const late = new Lambda('late', function* (self) {
      for (let i = 0; i < 2; i++) {
        const item = new Item('x');
        yield* self.startItem(item);
        times.push(f.run.scheduler.now);
        yield* self.finishItem(item);
      }
    });
    runWithObjection(f, () => late.start(bench.sequencer));
    expect(times).to.deep.equal([0, 10]);
  });

  it('numbers its items and finds responses by that number (14.2.7)', () => {
    const f = fixture();
    const bench = new Bench(f.run, AnsweringDriver);
    const got: string[] = [];
    const asking = new Lambda('ask', function* (self) {
      const items = ['a', 'b', 'c'].map((n) => new Item(n));
      for (const item of items) yield* self.send(item);
      for (const item of items) got.push((yield* self.getResponse(item.transactionId)).name);
      expect(items.map((i) => i.transactionId)).to.deep.equal([1, 2, 3]);
    });
    expect(runWithObjection(f, () => asking.start(bench.sequencer)).passed).to.equal(true);
    expect(got).to.deep.equal(['rsp a', 'rsp b', 'rsp c']);
  });

  it('takes responses in their order when no number is given', () => {
    const f = fixture();
    const bench = new Bench(f.run, AnsweringDriver);
    const got: string[] = [];
    const asking = new Lambda('ask', function* (self) {
      for (const n of ['a', 'b', 'c']) yield* self.send(new Item(n));
      for (let i = 0; i < 3; i++) got.push((yield* self.getResponse()).name);
    });
    runWithObjection(f, () => asking.start(bench.sequencer));
    expect(got).to.deep.equal(['rsp c', 'rsp b', 'rsp a']);
  });

  it('reports the overflow of the response queue and drops the response', () => {
    const f = fixture();
    const bench = new Bench(f.run, AnsweringDriver);
    const deaf = new Lambda('deaf', function* (self) {
      self.responses.depth = 2;
      for (const n of ['a', 'b', 'c']) yield* self.send(new Item(n));
      yield* delay(100);
      expect(self.responses.size).to.equal(2);
    });
    const result = runWithObjection(f, () => deaf.start(bench.sequencer));
    expect(result.errors).to.equal(1);
    expect(f.log('SEQRSPOVF')[0]).to.contain('bench.sqr@@deaf');
  });

  it('hands responses to a handler instead, if it has one', () => {
    const f = fixture();
    const bench = new Bench(f.run, AnsweringDriver);
    const got: string[] = [];
    const handling = new Lambda('h', function* (self) {
      self.responses.handler = (r) => got.push(r.name);
      for (const n of ['a', 'b', 'c']) yield* self.send(new Item(n));
      yield* delay(100);
    });
    runWithObjection(f, () => handling.start(bench.sequencer));
    expect(got).to.deep.equal(['rsp c', 'rsp b', 'rsp a']);
  });

  it('warns about a response to a sequence that is gone', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    runWithObjection(f, function* () {
      bench.sequencer.putResponse(new Item('lost'));
      yield 0;
    });
    expect(f.log('SQRNOSEQ')[0]).to.contain('Dropping response');
  });

  it('runs virtually on any component and starts others on their sequencers', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const host = new Plain('host', f.run);
    const virtual = new Lambda('v', function* (self) {
      yield* self.startChild(sender('a', 2), bench.sequencer);
      expect(() => self.sequencer).to.throw('it runs on no sequencer');
      yield* self.send(new Item('direct'), -1, bench.sequencer);
    });
    expect(runWithObjection(f, () => virtual.start(host)).passed).to.equal(true);
    expect(bench.driver.seen).to.deep.equal(['a0', 'a1', 'direct']);
  });

  it('objects to the end of its phase by itself when told to', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const s = sender('a', 3);
    s.automaticPhaseObjection = true;
    s.startingPhase = f.run.root.phase('run');
    bench.runPhase = () => s.start(bench.sequencer);
    expect(f.run.runTest().time).to.equal(30);
    expect(bench.driver.seen).to.have.length(3);
  });

  it('has a random stream that depends on component, type and ordinal alone', () => {
    const draws = (before: number): number[] => {
      const f = fixture();
      const bench = new Bench(f.run);
      const values: number[] = [];
      runWithObjection(f, function* () {
        for (let i = 0; i < before; i++) yield* new Hooked('other', []).start(bench.sequencer);
        for (let i = 0; i < 2; i++) {
          yield* new Lambda('l', function* (self) {
            values.push(self.random.uint32());
            yield 0;
          }).start(bench.sequencer);
        }
      });
      return values;
    };
    expect(draws(0)).to.deep.equal(draws(3));
    expect(draws(0)[0]).to.not.equal(draws(0)[1]);
  });

  it('reports under the path of its sequencer with its own name as context', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    runWithObjection(f, () =>
      new Lambda('talk', function* (self) {
        self.info('HELLO', 'here');
        self.info('HELLO', 'not shown', 500);
        yield 0;
      }).start(bench.sequencer),
    );
    expect(f.lines.filter((l) => l.startsWith('UVM_INFO') && l.includes('HELLO'))).to.deep.equal([
      'UVM_INFO @ 0ns: bench.sqr@@talk [HELLO] here',
    ]);
  });

  it('rejects a second start while it runs, a start on nothing, and finishItem without startItem', () => {
    const cases: [string, (b: Bench) => Proc][] = [
      ['SEQNOCTX', () => sender('a', 1).start(null)],
      ['SEQNOSTART', (b) => new Lambda('x', (self) => self.finishItem(new Item('i'))).start(b.sequencer)],
      [
        'SEQSTATE',
        (b) => {
          const s: Lambda = new Lambda('x', (self) => self.start(b.sequencer));
          return s.start(b.sequencer);
        },
      ],
    ];
    for (const [id, body] of cases) {
      const f = fixture();
      const bench = new Bench(f.run);
      expect(runWithObjection(f, () => body(bench)).fatalId).to.equal(id);
      if (id === 'SEQNOCTX')
        expect(f.lines.join('\n')).to.contain('sequence a: start(null) is for').and.contain('start(this)');
    }
  });

  it('ends by kill with its finally blocks, and its start returns', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const seen: string[] = [];
    const s = new Lambda('k', function* () {
      try {
        yield* delay(1000);
        seen.push('not reached');
      } finally {
        seen.push('unwound');
      }
    });
    const result = runWithObjection(f, function* () {
      f.run.scheduler.schedule(10, { fire: () => s.kill() });
      yield* s.start(bench.sequencer);
      seen.push(`returned ${s.state}`);
    });
    expect(seen).to.deep.equal(['unwound', 'returned stopped']);
    expect(result.time).to.equal(10);
  });

  it('takes what it has spawned along when it is killed, but neither daemons nor what its process had before', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const { processes } = f.run;
    const ticks = { before: 0, child: 0, grandchild: 0, daemon: 0 };
    function* tick(name: keyof typeof ticks): Proc {
      for (;;) {
        yield* delay(10);
        ticks[name]++;
      }
    }
    const inner = new Lambda('inner', function* () {
      processes.spawn('grandchild', tick('grandchild'));
      yield* delay(1000);
    });
    const s = new Lambda('s', function* (self) {
      processes.spawn('child', tick('child'));
      processes.spawn('daemon', tick('daemon'), { daemon: true });
      yield* self.startChild(inner);
    });
    runWithObjection(f, function* () {
      processes.spawn('before', tick('before'));
      f.run.scheduler.schedule(55, { fire: () => s.kill() });
      yield* s.start(bench.sequencer);
      expect([s.state, inner.state]).to.deep.equal(['stopped', 'stopped']);
      yield* delay(50);
    });
    expect(ticks).to.deep.equal({ before: 10, child: 5, grandchild: 5, daemon: 10 });
  });

  it('leaves alone what a parent has spawned when a child sequence is killed', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    let ticks = 0;
    const inner = new Lambda('inner', () => delay(1000));
    const s = new Lambda('s', function* (self) {
      self.run.processes.spawn(
        'mine',
        (function* (): Proc {
          for (; ; ticks++) yield* delay(10);
        })(),
      );
      yield* self.startChild(inner);
      yield* delay(50);
    });
    runWithObjection(f, function* () {
      f.run.scheduler.schedule(55, { fire: () => inner.kill() });
      yield* s.start(bench.sequencer);
    });
    expect(ticks).to.equal(10);
  });
});
