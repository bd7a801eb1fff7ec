import { expect } from 'chai';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { WC_STATUS, WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { PostedSend } from '../../../../agents/verbs/verbsItems.ts';
import { CHECK_LEVEL } from '../../../../scoreboard/model/options.ts';
import { SCB } from '../../../../scoreboard/report/reportIds.ts';
import { DST_HI, FakeWorld, halves, PROCESS, SRC_HI } from '../fakeWorld.ts';
import { EMPTY_SEND } from '../wirePackets.ts';
import { littleEndian } from '../../../../scoreboard/atomics/atomicWords.ts';

const RESULT = 0x100;
const WORD = 0x40;

/** 8 bytes, least significant first. */
function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
  return bytes;
}

/** Host 0 adds to a word of host 1, whose NIC does as it is told, or otherwise. */
class AtomicWorld extends FakeWorld {
  #psn = 0;

  constructor(options: ConstructorParameters<typeof FakeWorld>[0] = {}) {
    super(options);
    this.readsPackets = true;
  }

  get value(): bigint {
    return littleEndian(this.gather(1, [[SRC_HI, WORD, 8]]));
  }

  /** Posts and sends it. @returns its request and PSN */
  add(operand: bigint, lo = WORD, carried = operand): { item: PostedSend; psn: number } {
    // The slots of results are the operands: one for each request.
    const item = this.send([[DST_HI, RESULT + 8 * this.#psn, 8]], {
      opcode: WR_OPCODE.atomicFetchAndAdd,
      rkey: SRC_HI,
      remote: [SRC_HI, lo],
      operands: [operand, 0n],
    });
    const psn = this.#psn++;
    const [swapHi, swapLo] = halves(carried);
    const request = { opcode: BTH_OP.fetchAdd, vaHi: SRC_HI, vaLo: lo, rkey: SRC_HI, swapHi, swapLo };
    this.oracle.packet(Object.assign(Object.create(EMPTY_SEND), request, { psn, time: this.clock.now }));
    return { item, psn };
  }

  write(value: bigint): void {
    this.dma(1, SRC_HI, WORD, bytesOf(value));
  }

  /** The answer is sent and, unless it is lost, arrives. */
  answers({ item, psn }: { item: PostedSend; psn: number }, original: bigint, stored = original): void {
    this.answersOnly(psn, original);
    const [sge] = item.wr.sges;
    this.dma(0, DST_HI, sge?.lo as number, bytesOf(stored));
    this.sendDone(item);
  }

  answersOnly(psn: number, original: bigint): void {
    this.clock.now += 10;
    const [originalHi, originalLo] = halves(original);
    const answer = { opcode: BTH_OP.atomicAcknowledge, host: 1, to: 0, destQp: 14, psn, msn: psn + 1 };
    this.oracle.packet(
      Object.assign(Object.create(EMPTY_SEND), answer, { originalHi, originalLo, time: this.clock.now }),
    );
    this.clock.now += 10;
  }
}

describe('atomics in the judge', () => {
  it('are right with the value of before as result and the sum in memory', () => {
    const w = new AtomicWorld();
    const first = w.value;
    for (let i = 0n; i < 3n; i++) {
      const a = w.add(5n);
      w.write(first + 5n * (i + 1n));
      w.answers(a, first + 5n * i);
    }
    w.oracle.quiet();
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    expect(w.oracle.atomics).to.deep.equal({ posted: 3, undecided: 0 });
  });

  it('are reported with their results where two cannot both have found what they returned', () => {
    const w = new AtomicWorld();
    const first = w.value;
    const [a, b] = [w.add(5n), w.add(5n)];
    w.write(first + 5n);
    w.write(first + 10n);
    w.answers(a, first);
    w.answers(b, first);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.atomicOrder]);
    expect(w.reports[0]?.text).to.match(/(FETCH_AND_ADD.*returned 0x.*){2}/);
  });

  it('are executed once: a second change of the word is reported', () => {
    const w = new AtomicWorld();
    const first = w.value;
    const a = w.add(5n);
    w.write(first + 5n);
    w.answersOnly(a.psn, first);
    w.write(first + 10n);
    w.answers(a, first);
    w.oracle.finish();
    expect(w.ids()).to.include(SCB.atomicWrite);
    expect(w.reports.find(({ id }) => id === SCB.atomicWrite)?.text).to.include('no atomic explains');
  });

  it('must have been executed when they were answered', () => {
    const w = new AtomicWorld();
    w.answers(w.add(5n), w.value);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.atomicOrder]);
  });

  it('leave with their requester what they were answered', () => {
    const w = new AtomicWorld();
    const first = w.value;
    const a = w.add(5n);
    w.write(first + 5n);
    w.answers(a, first, first + 5n);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.atomicResult]);
  });

  it('leave a word that changes in no other way, seen from its bytes alone', () => {
    const w = new AtomicWorld({ level: CHECK_LEVEL.memory });
    const first = w.value;
    const a = w.add(5n);
    w.memory.poke(1, PROCESS, SRC_HI, WORD, bytesOf(first + 4n));
    w.answers(a, first);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.atomicFinal]);
  });

  it('carry the operands that were posted', () => {
    const w = new AtomicWorld();
    const first = w.value;
    const a = w.add(5n, WORD, 6n);
    w.write(first + 5n);
    w.answers(a, first);
    expect(w.ids()).to.deep.equal([SCB.wireRequest]);
  });

  it('are refused at an address that is no multiple of 8, before their key is looked at', () => {
    const w = new AtomicWorld();
    const a = w.add(5n, WORD + 4);
    w.sendDone(a.item, { status: WC_STATUS.success });
    expect(w.ids()).to.deep.equal([SCB.status]);
    expect(w.reports[0]?.text).to.include('no multiple of 8');
    const right = new AtomicWorld();
    right.sendDone(right.add(5n, WORD + 4).item, { status: WC_STATUS.remInvReqErr });
    expect(right.reports).to.deep.equal([]);
  });

  it('may have been executed or not where nobody has answered', () => {
    for (const executed of [false, true]) {
      const w = new AtomicWorld({ disturbed: true });
      const first = w.value;
      const a = w.add(5n);
      w.sendDone(a.item, { status: WC_STATUS.retryExcErr });
      if (executed) w.write(first + 5n);
      w.oracle.quiet();
      expect(w.ids().filter((id) => id.startsWith('SCB_ATOMIC') || id === SCB.strayWrite)).to.deep.equal([]);
    }
  });

  it('take what software has written for the value of the word', () => {
    const w = new AtomicWorld();
    w.hostWrites(1, PROCESS, SRC_HI, WORD, 8);
    w.memory.poke(1, PROCESS, SRC_HI, WORD, bytesOf(77n));
    w.hostWrote(1, PROCESS, SRC_HI, WORD, 8);
    const a = w.add(1n);
    w.hostWrites(1, PROCESS, SRC_HI, WORD, 8);
    w.memory.poke(1, PROCESS, SRC_HI, WORD, bytesOf(100n));
    w.hostWrote(1, PROCESS, SRC_HI, WORD, 8);
    w.write(78n);
    w.answers(a, 77n);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });
});
