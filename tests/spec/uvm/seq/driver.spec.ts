import { expect } from 'chai';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import { fixture, runWithObjection } from '../base/runFixture.ts';
import { Bench, Item, Lambda, NotingDriver, sender } from './seqFixture.ts';

/** A bench whose driver does what is given, with a log. */
function bench(body: (driver: NotingDriver) => Proc): { f: ReturnType<typeof fixture>; b: Bench } {
  const f = fixture();
  class TestDriver extends NotingDriver {
    override runPhase(): Proc {
      return body(this);
    }
  }
  return { f, b: new Bench(f.run, TestDriver) };
}

describe('Driver and its port (1800.2 15.2)', () => {
  it('tryNextItem answers null when no sequence offers an item, and takes no time', () => {
    const answers: string[] = [];
    const { f, b } = bench(function* (d) {
      for (let i = 0; i < 4; i++) {
        const item = yield* d.seqItemPort.tryNextItem();
        answers.push(`${f.run.scheduler.now} ${item?.name ?? 'none'}`);
        if (item !== null) d.seqItemPort.itemDone();
        yield* delay(10);
      }
    });
    runWithObjection(f, function* () {
      yield* delay(20);
      yield* sender('a', 1).start(b.sequencer);
      yield* delay(50);
    });
    expect(answers).to.deep.equal(['0 none', '10 none', '20 a0', '30 none']);
  });

  it('reports a sequence that is slow to finish an item that was tried', () => {
    const { f, b } = bench(function* (d) {
      const item = yield* d.seqItemPort.tryNextItem();
      d.seen.push(item?.name ?? 'none');
      d.seqItemPort.itemDone();
    });
    const slow = new Lambda('slow', function* (self) {
      const item = new Item('late');
      yield* self.startItem(item);
      yield* delay(10);
      yield* self.finishItem(item);
    });
    const result = runWithObjection(f, () => slow.start(b.sequencer));
    expect(f.log('TRY_NEXT_BLOCKED')[0]).to.contain('bench.sqr.slow');
    expect([result.errors, b.driver.seen]).to.deep.equal([1, ['late']]);
  });

  it('peek leaves the item for getNextItem', () => {
    const { f, b } = bench(function* (d) {
      for (;;) {
        const peeked = yield* d.seqItemPort.peek();
        const again = yield* d.seqItemPort.peek();
        const item = yield* d.seqItemPort.getNextItem();
        d.seen.push(peeked === item && again === item ? item.name : 'different');
        d.seqItemPort.itemDone();
      }
    });
    runWithObjection(f, () => sender('a', 2).start(b.sequencer));
    expect(b.driver.seen).to.deep.equal(['a0', 'a1']);
  });

  it('get completes the item at once', () => {
    const { f, b } = bench(function* (d) {
      for (;;) {
        d.seen.push((yield* d.seqItemPort.get()).name);
        yield* delay(100);
      }
    });
    const done: number[] = [];
    runWithObjection(f, () =>
      new Lambda('s', function* (self) {
        for (let i = 0; i < 2; i++) {
          yield* self.send(new Item(`${i}`));
          done.push(f.run.scheduler.now);
        }
      }).start(b.sequencer),
    );
    expect([done, b.driver.seen]).to.deep.equal([
      [0, 100],
      ['0', '1'],
    ]);
  });

  it('delivers the response given with itemDone before the sequence goes on', () => {
    const { f, b } = bench(function* (d) {
      const item = yield* d.seqItemPort.getNextItem();
      const response = new Item('answer');
      response.setIdInfo(item);
      d.seqItemPort.itemDone(response);
    });
    let size = -1;
    runWithObjection(f, () =>
      new Lambda('s', function* (self) {
        yield* self.send(new Item('x'));
        size = self.responses.size;
      }).start(b.sequencer),
    );
    expect(size).to.equal(1);
  });

  it('calls misuse of the handshake fatal: itemDone without item, getNextItem twice', () => {
    const first = bench(function* (d) {
      d.seqItemPort.itemDone();
      yield 0;
    });
    expect(runWithObjection(first.f, () => delay(10)).fatalId).to.equal('SQRBADITMDN');
    const second = bench(function* (d) {
      yield* d.seqItemPort.getNextItem();
      yield* d.seqItemPort.getNextItem();
    });
    expect(runWithObjection(second.f, () => sender('a', 1).start(second.b.sequencer)).fatalId).to.equal('SQRGETNEXT');
  });

  it('names sequence and sequencer of whoever is stuck in the deadlock report', () => {
    const { f, b } = bench(function* (d) {
      yield* d.seqItemPort.getNextItem();
    });
    const result = runWithObjection(f, () => sender('a', 1).start(b.sequencer));
    expect(result.fatalId).to.equal('DEADLOCK');
    expect(f.log('DEADLOCK')[0]).to.contain('item done by sequencer bench.sqr for bench.sqr.a');
  });
});
