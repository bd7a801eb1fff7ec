import { expect } from 'chai';
import { PcieBarItem } from '../../../../agents/pcie/pcieBarItem.ts';
import { PcieDriver } from '../../../../agents/pcie/pcieDriver.ts';
import { PcieUsageError } from '../../../../agents/pcie/pcieError.ts';
import { PcieHostAgent } from '../../../../agents/pcie/pcieHostAgent.ts';
import { PcieSequencer } from '../../../../agents/pcie/pcieSequencer.ts';
import { BLOCK_BYTES, CPL_STATUS } from '../../../../dut-model/nic.ts';
import { Plain } from '../../uvm/base/runFixture.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { delay, joinAll, type Proc } from '../../../../uvm/kernel/process.ts';
import { Sequence } from '../../../../uvm/seq/sequence.ts';
import { fixture, runWithObjection } from '../../uvm/base/runFixture.ts';
import { FakeNic } from '../support/fakeNic.ts';
import { FlatMemory } from '../support/pcieBench.ts';

/** An agent below `top`, with a NIC whose registers answer with their offset. */
class Bench {
  readonly f;
  readonly agent: PcieHostAgent;
  readonly nic: FakeNic;

  constructor(args: readonly string[] = [], prepare: (f: ReturnType<typeof fixture>) => void = () => {}) {
    const f = fixture(args);
    this.f = f;
    prepare(f);
    const { run } = f;
    const blocks = new BlockPool(run.bytes, BLOCK_BYTES);
    const options = { host: 0, memory: new FlatMemory(run.bytes), blocks };
    this.agent = new Plain('top', run).create(PcieHostAgent, 'pcie', options);
    this.nic = new FakeNic(run.scheduler, run.bytes);
    this.nic.host = this.agent.upstream;
    this.nic.onBarRead = (tlp) => {
      run.bytes.i32[tlp.data >> 2] = 0xabc0_0000 + tlp.lo;
      this.agent.upstream.complete(tlp, CPL_STATUS.success);
    };
    this.agent.attach(this.nic);
  }

  get sequencer(): PcieSequencer {
    return this.agent.sequencer as PcieSequencer;
  }

  /** Runs `body` with an objection; then whatever is on its way may arrive. */
  play(body: () => Proc): ReturnType<typeof runWithObjection> {
    return runWithObjection(this.f, function* () {
      yield* body();
      yield* delay(10_000_000);
    });
  }

  /** Starts sequences side by side and waits for all. */
  *startAll(sequences: readonly Bars[]): Proc {
    const { processes } = this.f.run;
    yield* joinAll(sequences.map((s) => processes.spawn(s.name, s.start(this.sequencer))));
  }

  /** Offsets of the writes that have reached the NIC. */
  get written(): readonly number[] {
    return this.nic.barWrites.map(({ offset }) => offset);
  }
}

/** A sequence whose body is given as a function. */
class Bars extends Sequence<PcieBarItem> {
  readonly #body: (self: Bars) => Proc;
  constructor(name: string, body: (self: Bars) => Proc) {
    super(name);
    this.#body = body;
  }
  body(): Proc {
    return this.#body(this);
  }
}

/** Three writes from `offset` on. */
function writer(name: string, offset: number): Bars {
  return new Bars(name, function* (self) {
    for (let i = 0; i < 3; i++) yield* self.send(PcieBarItem.write(2, offset + 4 * i, [i]));
  });
}

describe('PcieBarItem', () => {
  it('prints what it accesses, and what it carries', () => {
    expect(PcieBarItem.write(2, 0x1000, [-1, 7]).convertToString()).to.equal('BAR 2 write 0x1000: 0xffffffff 0x7');
    const read = PcieBarItem.read(0, 0x18);
    expect(read.convertToString()).to.equal('BAR 0 read 0x18');
    read.data = [0x80_0016];
    expect([read.convertToString(), read.value]).to.deep.equal(['BAR 0 read 0x18 = 0x800016', 0x80_0016]);
    expect(new PcieBarItem('poll').convertToString()).to.equal('poll BAR 0 read 0x0');
  });

  it('has no answer before it is done', () => {
    expect(() => PcieBarItem.read(0, 4).value).to.throw(PcieUsageError, /BAR 0 read 0x4 .*wait until it is done/);
  });
});

describe('sequencer and driver of a PCIe host agent', () => {
  it('perform the accesses of a sequence in order, and give it the answers to reads', () => {
    const b = new Bench(['+UVM_VERBOSITY=UVM_HIGH']);
    const answers: number[] = [];
    const seen: string[] = [];
    b.agent.driver?.rspPort.connect((item) => seen.push(item.convertToString()));
    const sequence = new Bars('bars', function* (self) {
      yield* self.send(PcieBarItem.write(2, 0x1000, [0x0403_0201, -1]));
      expect(b.nic.barWrites).to.have.length(0);
      const read = PcieBarItem.read(0, 0x18);
      yield* self.send(read);
      expect(b.nic.barWrites).to.have.length(1);
      answers.push(read.value);
    });
    const result = b.play(() => sequence.start(b.sequencer));
    expect(result.passed, b.f.lines.join('\n')).to.equal(true);
    expect(answers).to.deep.equal([0xabc0_0018]);
    expect(b.nic.barWrites[0]).to.deep.include({ bar: 2, offset: 0x1000, bytes: [1, 2, 3, 4, 255, 255, 255, 255] });
    expect(seen).to.deep.equal(['BAR 2 write 0x1000: 0x4030201 0xffffffff', 'BAR 0 read 0x18 = 0xabc00018']);
    expect(b.f.log('driver [PCIE_ITEM]').map((line) => line.replace(/^.*\] /, ''))).to.deep.equal(seen);
  });

  it('let two sequences take turns', () => {
    const b = new Bench();
    b.play(() => b.startAll([writer('a', 0x100), writer('b', 0x200)]));
    expect(b.written).to.deep.equal([0x100, 0x200, 0x104, 0x204, 0x108, 0x208]);
  });

  it('keep other sequences out while one has the lock, and not the software of the host', () => {
    const b = new Bench();
    const locking = new Bars('locking', function* (self) {
      yield* self.lock();
      for (let i = 0; i < 3; i++) {
        yield* self.send(PcieBarItem.write(2, 0x300 + 4 * i, [i]));
        b.agent.master.barWrite(2, 0x400, [i]);
        yield* delay(1000);
      }
      self.unlock();
    });
    b.play(() => b.startAll([locking, writer('b', 0x200)]));
    expect(b.written).to.deep.equal([0x300, 0x400, 0x304, 0x400, 0x308, 0x400, 0x200, 0x204, 0x208]);
  });

  it('refuse an access that is not possible where it is sent, and go on with the next', () => {
    const b = new Bench();
    const wrong: readonly (readonly [PcieBarItem, RegExp])[] = [
      [PcieBarItem.read(0, 2), /^read item: offset: 2 is not possible; use a multiple of 4/],
      [PcieBarItem.read(6, 0), /^read item: bar: 6 is not possible/],
      [PcieBarItem.write(2, 0, []), /^write item: length: 0 is not possible/],
      [PcieBarItem.write(2, 0xffc, [1, 2]), /^write item: length: 8 is not possible; stay below/],
      [PcieBarItem.write(2, 0, [1, 0.5]), /^write item: data: 0.5 is not possible; use integers of 32 bits/],
      [PcieBarItem.write(2, 0, [2 ** 32]), /^write item: data: 4294967296 is not possible/],
    ];
    const said: string[] = [];
    const careless = new Bars('careless', function* (self) {
      for (const [item] of wrong) {
        try {
          yield* self.send(item);
        } catch (error) {
          said.push((error as PcieUsageError).message);
        }
      }
    });
    const result = b.play(() => b.startAll([careless, writer('b', 0x200)]));
    expect(result.passed, b.f.lines.join('\n')).to.equal(true);
    expect(said).to.have.length(wrong.length);
    for (const [i, [, text]] of wrong.entries()) expect(said[i]).to.match(text);
    expect(b.written).to.deep.equal([0x200, 0x204, 0x208]);
  });

  it('are made by the factory', () => {
    const performed: string[] = [];
    class OwnSequencer extends PcieSequencer {}
    class OwnDriver extends PcieDriver {
      protected override *perform(item: PcieBarItem): Proc {
        performed.push(item.convertToString());
        yield* super.perform(item);
      }
    }
    const b = new Bench([], ({ run }) => {
      run.factory.setTypeOverride(PcieSequencer, OwnSequencer);
      run.factory.setInstOverride(PcieDriver, OwnDriver, 'top.pcie.driver');
    });
    expect(b.sequencer).to.be.instanceOf(OwnSequencer);
    b.play(() => writer('a', 0).start(b.sequencer));
    expect(performed).to.have.length(3);
  });

  it('are not there in a passive agent, through which the software of the host works as ever', () => {
    const b = new Bench([], ({ run }) => run.config.set(null, 'top.pcie', 'is_active', 'UVM_PASSIVE'));
    expect([b.agent.sequencer, b.agent.driver]).to.deep.equal([null, null]);
    expect(b.agent.children.map(({ name }) => name)).to.deep.equal(['monitor', 'master', 'slave']);
    // biome-ignore lint/correctness/useYield: posting takes no time
    const result = b.play(function* () {
      b.agent.master.barWrite(0, 8, [1]);
    });
    expect([result.passed, b.written]).to.deep.equal([true, [8]]);
  });

  it('do nothing as long as nobody asks, and are in no report of a deadlock', () => {
    const idle = new Bench();
    const result = idle.play(function* () {
      yield* delay(5);
    });
    expect([result.passed, idle.f.run.scheduler.now]).to.deep.equal([true, 10_000_005]);
    const stuck = new Bench();
    runWithObjection(stuck.f, () =>
      new Bars('bars', (self) => self.getResponse() as unknown as Proc).start(stuck.sequencer),
    );
    const report = stuck.f.log('[DEADLOCK]').join('\n');
    expect(report).to.contain('response for').and.not.to.contain('next item');
  });
});
