import { expect } from 'chai';
import { delay } from '../../../../uvm/kernel/process.ts';
import { ARBITRATION, type Arbitration } from '../../../../uvm/seq/arbitration.ts';
import { Sequencer } from '../../../../uvm/seq/sequencer.ts';
import { fixture, runWithObjection } from '../base/runFixture.ts';
import { Bench, Item, Lambda, sender, startAll } from './seqFixture.ts';

/** First letters of the items in the order in which the driver saw them. */
function order(mode: Arbitration, counts: number[], priorities: number[]): string {
  const f = fixture();
  const bench = new Bench(f.run);
  bench.sequencer.arbitration = mode;
  const sequences = counts.map((n, i) => sender('abcdef'[i] as string, n));
  const result = runWithObjection(f, () => startAll(f, bench, sequences, priorities));
  expect(result.passed).to.equal(true);
  return bench.driver.seen.map((s) => s[0]).join('');
}

describe('arbitration of a sequencer (1800.2 15.3.2.4)', () => {
  it('FIFO takes turns in the order of request, whatever the priority', () => {
    expect(order(ARBITRATION.fifo, [3, 3, 3], [1, 900, 5])).to.equal('abcabcabc');
  });

  it('STRICT_FIFO serves the highest priority first, then the order of request', () => {
    expect(order(ARBITRATION.strictFifo, [2, 2, 2], [100, 200, 200])).to.equal('bcbcaa');
  });

  it('RANDOM serves everybody about equally', () => {
    const seen = order(ARBITRATION.random, [300, 300], [1, 900]).slice(0, 300);
    const a = seen.split('a').length - 1;
    expect(a).to.be.within(110, 190);
    expect(seen).to.contain('aa').and.to.contain('bb');
  });

  it('WEIGHTED serves in proportion to priority', () => {
    const a = order(ARBITRATION.weighted, [400, 400], [100, 300]).slice(0, 400).split('a').length - 1;
    expect(a).to.be.within(70, 130);
  });

  it('STRICT_RANDOM picks at random among the highest only', () => {
    const seen = order(ARBITRATION.strictRandom, [50, 50, 50], [100, 200, 200]);
    expect(seen.slice(0, 100)).to.not.contain('a');
    expect(seen.slice(0, 100)).to.contain('bb').and.to.contain('cc');
  });

  it('draws the same order again for the same seed', () => {
    expect(order(ARBITRATION.random, [40, 40], [])).to.equal(order(ARBITRATION.random, [40, 40], []));
  });

  it('USER asks the sequencer', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const { sequencer } = bench;
    sequencer.arbitration = ARBITRATION.user;
    sequencer.userPriorityArbitration = (candidates) => {
      const last = candidates.reduce((best, i) =>
        sequencer.requestAt(i).sequence.fullName > sequencer.requestAt(best).sequence.fullName ? i : best,
      );
      return last;
    };
    runWithObjection(f, () => startAll(f, bench, [sender('a', 2), sender('b', 2), sender('c', 2)]));
    expect(bench.driver.seen).to.deep.equal(['c0', 'c1', 'b0', 'b1', 'a0', 'a1']);
  });

  it('ends the run when the user choice is no candidate', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    bench.sequencer.arbitration = ARBITRATION.user;
    bench.sequencer.userPriorityArbitration = () => 17;
    expect(runWithObjection(f, () => startAll(f, bench, [sender('a', 1), sender('b', 1)])).fatalId).to.equal(
      'SQRUSERARB',
    );
  });

  it('lets everybody take part who requests in the instant in which the driver asks', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    bench.sequencer.arbitration = ARBITRATION.strictFifo;
    runWithObjection(f, function* () {
      yield* delay(100);
      yield* startAll(f, bench, [sender('a', 1), sender('b', 1)], [1, 2]);
    });
    expect(bench.driver.seen).to.deep.equal(['b0', 'a0']);
  });
});

describe('lock and grab (1800.2 15.3.2.7 to 15.3.2.13)', () => {
  it('a lock waits for earlier requests, then keeps everybody else out', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const locker = new Lambda('l', function* (self) {
      yield* self.lock();
      for (let i = 0; i < 3; i++) yield* self.send(new Item(`l${i}`));
      self.unlock();
    });
    runWithObjection(f, () => startAll(f, bench, [sender('a', 3), locker, sender('b', 3)]));
    expect(bench.driver.seen).to.deep.equal(['a0', 'l0', 'l1', 'l2', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('a grab goes before the requests that wait already', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const grabber = new Lambda('g', function* (self) {
      yield* delay(5);
      yield* self.grab();
      expect(bench.sequencer.currentGrabber).to.equal(self);
      for (let i = 0; i < 2; i++) yield* self.send(new Item(`g${i}`));
      self.ungrab();
    });
    runWithObjection(f, () => startAll(f, bench, [sender('a', 2), sender('b', 2), grabber]));
    expect(bench.driver.seen).to.deep.equal(['a0', 'g0', 'g1', 'b0', 'a1', 'b1']);
  });

  it('lets children of the holder pass', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const parent = new Lambda('p', function* (self) {
      yield* self.grab();
      yield* self.startChild(sender('c', 2));
      self.ungrab();
    });
    runWithObjection(f, () => startAll(f, bench, [parent, sender('a', 1)]));
    expect(bench.driver.seen).to.deep.equal(['c0', 'c1', 'a0']);
  });

  it('serves several locks one after the other', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const locker = (name: string): Lambda =>
      new Lambda(name, function* (self) {
        yield* self.lock();
        for (let i = 0; i < 2; i++) yield* self.send(new Item(`${name}${i}`));
        self.unlock();
      });
    runWithObjection(f, () => startAll(f, bench, [locker('x'), locker('y'), sender('a', 1)]));
    expect(bench.driver.seen).to.deep.equal(['x0', 'x1', 'y0', 'y1', 'a0']);
  });

  it('releases the lock of a sequence that ends without unlocking', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const careless = new Lambda('l', function* (self) {
      yield* self.lock();
    });
    const result = runWithObjection(f, () => startAll(f, bench, [careless, sender('a', 1)]));
    expect(result.passed).to.equal(true);
    expect(bench.driver.seen).to.deep.equal(['a0']);
  });

  it('warns about an unlock without a lock', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    runWithObjection(f, () =>
      startAll(f, bench, [
        new Lambda('l', function* (self) {
          self.unlock();
          yield 0;
        }),
      ]),
    );
    expect(f.log('[SQRUNL]')).to.have.length(2);
  });
});

describe('relevance (1800.2 14.2.6.5)', () => {
  it('leaves irrelevant sequences out until they say that they may be relevant', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    let open = false;
    const shy = sender('s', 2);
    shy.isRelevant = () => open;
    shy.waitForRelevant = function* () {
      yield* delay(1000);
      open = true;
    };
    const result = runWithObjection(f, () => startAll(f, bench, [shy, sender('a', 2)]));
    expect(bench.driver.seen).to.deep.equal(['a0', 'a1', 's0', 's1']);
    expect(result.time).to.equal(1040);
  });

  it('serves a sequence that becomes relevant while another waits longer, whichever asked first', () => {
    for (const [first, second] of [
      ['late', 'soon'],
      ['soon', 'late'],
    ] as const) {
      const f = fixture();
      const bench = new Bench(f.run);
      const until = { late: 1000, soon: 20 };
      const from = { [first]: 0, [second]: 10 };
      const timed = (name: 'late' | 'soon'): Lambda => {
        const sequence = new Lambda(name, function* (self) {
          yield* delay(from[name] as number);
          yield* self.send(new Item(name));
        });
        sequence.isRelevant = () => f.run.scheduler.now >= until[name];
        sequence.waitForRelevant = () => delay(until[name] - f.run.scheduler.now);
        return sequence;
      };
      const result = runWithObjection(f, () => startAll(f, bench, [timed(first), timed(second)]));
      expect(bench.driver.seen).to.deep.equal(['soon', 'late']);
      expect(result.time, first).to.equal(1010);
    }
  });

  it('does not wait for the relevance of a sequence that was killed, or whose request was withdrawn', () => {
    for (const end of ['sequence', 'process'] as const) {
      const f = fixture();
      const bench = new Bench(f.run);
      const waits: string[] = [];
      const shy = new Lambda('s', function* (self) {
        const asker = self.run.processes.spawn('asker', self.send(new Item('s')));
        yield* delay(50);
        if (end === 'process') asker.kill();
        yield* delay(50);
      });
      shy.isRelevant = () => false;
      shy.waitForRelevant = function* () {
        try {
          yield* delay(1000);
        } finally {
          waits.push(`ended at ${f.run.scheduler.now}`);
        }
      };
      runWithObjection(f, function* () {
        if (end === 'sequence') f.run.scheduler.schedule(50, { fire: () => shy.kill() });
        yield* startAll(f, bench, [shy]);
        yield* delay(500);
      });
      expect(waits, end).to.deep.equal(['ended at 50']);
    }
  });

  it('demands waitForRelevant of a sequence that defines isRelevant', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const shy = sender('s', 1);
    shy.isRelevant = () => false;
    expect(runWithObjection(f, () => startAll(f, bench, [shy])).fatalId).to.equal('SEQRELEVANT');
  });
});

describe('a sequencer whose sequences are killed', () => {
  it('withdraws their requests and goes on with the others', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const victim = sender('v', 100);
    runWithObjection(f, function* () {
      f.run.scheduler.schedule(25, { fire: () => victim.kill() });
      yield* startAll(f, bench, [victim, sender('a', 3)]);
      yield* sender('z', 1).start(bench.sequencer);
    });
    expect(victim.state).to.equal('stopped');
    expect(bench.driver.seen).to.deep.equal(['v0', 'a0', 'v1', 'a1', 'a2', 'z0']);
  });

  it('gives the turn to another when the chosen one dies before it sends', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const victim = new Lambda('v', function* (self) {
      const item = new Item('v0');
      yield* self.startItem(item);
      yield* delay(1000);
      yield* self.finishItem(item);
    });
    runWithObjection(f, function* () {
      f.run.scheduler.schedule(100, { fire: () => victim.kill() });
      yield* startAll(f, bench, [victim, sender('a', 1)]);
    });
    expect(bench.driver.seen).to.deep.equal(['a0']);
  });

  it('ends them all by stopSequences', () => {
    const f = fixture();
    const bench = new Bench(f.run);
    const result = runWithObjection(f, function* () {
      f.run.scheduler.schedule(35, { fire: () => bench.sequencer.stopSequences() });
      yield* startAll(f, bench, [sender('a', 100), sender('b', 100)]);
    });
    expect(result.time).to.equal(35);
    expect(bench.sequencer.queued).to.equal(0);
  });

  it('starts its default sequence from the configuration, by command line', () => {
    const f = fixture(['+uvm_set_default_sequence=bench.sqr,run_phase,demo']);
    class Demo extends Lambda {
      constructor(name: string) {
        super(name, function* (self) {
          self.startingPhase?.raiseObjection(self, 'demo');
          yield* self.send(new Item('demo'));
          self.startingPhase?.dropObjection(self);
        });
      }
    }
    f.run.factory.register('demo', Demo);
    const bench = new Bench(f.run);
    expect(f.run.runTest().passed).to.equal(true);
    expect(bench.driver.seen).to.deep.equal(['demo']);
    expect(bench.sequencer).to.be.instanceOf(Sequencer);
  });
});
