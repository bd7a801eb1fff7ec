import { expect } from 'chai';
import type { HostEffects } from '../../../../../agents/link/faults/effects/recoveryMeter.ts';
import { US } from '../../../../../uvm/kernel/time.ts';
import { FaultBench } from '../../support/faultBench.ts';
import { aeth, type RoceFields } from '../../support/roceFrame.ts';

const only = (psn: number): RoceFields => ({ opcode: 0x04, psn, payload: 64 });
const answer = (psn: number, syndrome = 0x1f): RoceFields => ({ from: 1, opcode: 0x11, psn, ext: aeth(syndrome, 1) });
/** From the first bit of a frame of this size on the wire until it has come. */
const trip = (bytes: number): number => 500_000 + (bytes + 24) * 80;
const SEND_BYTES = 14 + 20 + 8 + 12 + 64 + 4;
const ANSWER_BYTES = 62;

/** Plays frames, `wait` ps after what came before each, and says what was measured of a host. */
function measured(
  rules: readonly string[],
  talk: readonly RoceFields[],
  wait = 10 * US,
): (host: number) => HostEffects {
  const bench = new FaultBench(rules);
  for (const fields of talk) {
    bench.run.scheduler.scheduleAt(bench.run.scheduler.now + wait, { fire: () => bench.send(fields, true) });
    bench.settle();
  }
  const { hosts } = bench.injector.outcome();
  return (host) => hosts.find((each) => each.host === host) as HostEffects;
}

describe('what faults lead to', () => {
  it('is measured from a lost request over its NAK to its acknowledgement', () => {
    const talk = [only(0x100), only(0x101), answer(0x100, 0x60), only(0x100), only(0x101), answer(0x101)];
    const of = measured(['drop nth=1'], talk);
    const [gap, sent] = [trip(SEND_BYTES), 10 * US];
    expect(of(0)).to.deep.include({
      sentAgain: 2,
      notRecovered: 0,
      nakReaction: { count: 1, median: sent, worst: sent },
    });
    // The gap shows when the second one has come; the NAK is sent 10 us later.
    expect(of(1).nakGeneration).to.deep.equal({ count: 1, median: sent, worst: sent });
    const recovery = of(0).recovery;
    expect(recovery.count).to.equal(1);
    // Four frames that come one after another, and four waits; the lost one does not come.
    expect(recovery.median).to.equal(5 * sent + 3 * gap + 2 * trip(ANSWER_BYTES));
  });

  it('knows nothing of a gap twice, and no NAK that nobody sends', () => {
    const talk = [only(0x100), only(0x101), only(0x102), only(0x100), only(0x101), only(0x102), answer(0x102)];
    const of = measured(['drop nth=1'], talk);
    expect(of(1).nakGeneration.count).to.equal(0);
    expect(of(0)).to.include({ sentAgain: 3 });
    expect(of(0).recovery.count).to.equal(1);
  });

  it('counts what is never acknowledged', () => {
    expect(measured(['drop nth=1'], [only(0x100)])(0)).to.include({ notRecovered: 1 });
    expect(measured(['corrupt byte=0 xor=1'], [only(0x100)])(0)).to.include({ notRecovered: 1 });
  });

  it('takes an answer that was lost for recovered when a later one has come', () => {
    const talk = [only(0x100), answer(0x100), only(0x101), answer(0x101)];
    const of = measured(['drop opcode=ack nth=1'], talk);
    expect(of(1)).to.include({ notRecovered: 0, sentAgain: 0 });
    expect(of(1).recovery).to.include({ count: 1 });
  });

  it('waits for the very answer where that has data', () => {
    const data = (psn: number): RoceFields => ({ from: 1, opcode: 0x10, psn, payload: 8, ext: aeth(0x1f, 1) });
    expect(measured(['drop host=1 nth=1'], [data(0x100), data(0x101)])(1)).to.include({ notRecovered: 1 });
    expect(measured(['drop host=1 nth=1'], [data(0x100), data(0x100)])(1)).to.include({
      notRecovered: 0,
      sentAgain: 1,
    });
  });

  it('has the times between notifications of congestion for one queue pair', () => {
    const cnp: RoceFields = { from: 1, opcode: 0x81, becn: true, ext: new Array<number>(16).fill(0) };
    const of = measured(['mark optional'], [cnp, cnp, cnp], 20 * US);
    const every = 20 * US + trip(74);
    expect(of(1).cnpInterval).to.deep.equal({ count: 2, median: every, worst: every });
  });
});
