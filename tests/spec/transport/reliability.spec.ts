/**
 * What the link or a late receiver does to a reliable connection stays between the NICs: everything arrives, once and
 * in order (roce-transport.md 3.5 to 3.9; T-020 to T-023, T-029, T-038).
 */

import { expect } from 'chai';
import type { LinkVerdict } from '../../../agents/link/linkFaults.ts';
import type { FrameItem } from '../../../agents/link/linkItems.ts';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import { WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';
import { US } from '../../../uvm/kernel/time.ts';

const LENGTH = 5001;
const OPCODES = [
  WR_OPCODE.send,
  WR_OPCODE.rdmaWrite,
  WR_OPCODE.rdmaRead,
  WR_OPCODE.rdmaWriteWithImm,
  WR_OPCODE.sendWithImm,
];

interface Conditions {
  /** Chance that a frame is lost; the same for being late by 3 us. */
  readonly loss: number;
  /** Chance that a frame arrives a second time, 4 us after the first. */
  readonly repeats?: number;
  /** Time by which the receives are posted too late, us. */
  readonly late: number;
  readonly requests: number;
  /** Operations in turn, default all. */
  readonly opcodes?: readonly number[];
  /** Frames that the second host loses from its first one on. */
  readonly answersLost?: number;
}

/** All operations, several packets each. */
class OneConnection extends RcConnection {
  static conditions: Conditions = { loss: 0, late: 0, requests: 0 };
  readonly statuses: number[] = [];
  protected readonly settings = { lossAllowed: isFaulty(OneConnection.conditions) };
  repeated = 0;

  #disturb(): void {
    const { loss, repeats = 0, answersLost = 0 } = OneConnection.conditions;
    if (!isFaulty(OneConnection.conditions)) return;
    const random = this.run.random.fast(this.fullName, 'loss');
    let answers = 0;
    const judge = (frame: FrameItem, verdict: LinkVerdict): void => {
      verdict.drop = random.chance(loss) || (frame.host === 1 && ++answers <= answersLost);
      if (random.chance(loss)) verdict.delay = 3 * US;
      if (!random.chance(repeats)) return;
      verdict.duplicates = 1;
      verdict.duplicateDelay = 4 * US;
      this.repeated++;
    };
    this.env.link.faults = { judge };
  }

  protected override *traffic(a: End, b: End): Proc {
    this.#disturb();
    const { requests, late } = OneConnection.conditions;
    const sends = Array.from({ length: requests }, (_, i) => sendOf(i, a, b));
    const recvs = sends.filter((wr) => consumesReceive(wr.opcode)).map((_, i) => recvOf(i, b));
    if (late === 0) yield* b.api.postRecv(b.qp, recvs, recvs.length);
    yield* a.api.postSend(a.qp, sends, requests);
    if (late > 0) {
      yield* delay(late * US);
      yield* b.api.postRecv(b.qp, recvs, recvs.length);
    }
    this.statuses.push(...(yield* this.take(a, requests, (wc) => wc.status)));
    this.statuses.push(...(yield* this.take(b, recvs.length, (wc) => wc.status)));
    yield* delay(30 * US);
    this.env.quiet();
  }
}

/** Whether the link loses, delays or repeats anything. */
function isFaulty({ loss, repeats = 0, answersLost = 0 }: Conditions): boolean {
  return loss + repeats + answersLost > 0;
}

function consumesReceive(opcode: number): boolean {
  return opcode !== WR_OPCODE.rdmaWrite && opcode !== WR_OPCODE.rdmaRead;
}

function sendOf(i: number, a: End, b: End): SendWr {
  const wr = new SendWr();
  wr.wrId = i;
  const { opcodes = OPCODES } = OneConnection.conditions;
  wr.opcode = opcodes[i % opcodes.length] as number;
  wr.imm = 0x1000 + i;
  wr.setNumSge(1);
  const read = wr.opcode === WR_OPCODE.rdmaRead;
  const local = read ? a.target : a.source;
  const remote = read ? b.source : b.target;
  const at = i * (LENGTH + 77);
  Object.assign(wr.sges[0] as object, { hi: local.hi, lo: local.lo + at, length: LENGTH, lkey: local.key });
  wr.remoteHi = remote.hi;
  wr.remoteLo = remote.lo + at;
  wr.rkey = remote.key;
  return wr;
}

/** Receive buffers lie behind everything that WRITEs aim at, in two pieces. */
function recvOf(i: number, b: End): RecvWr {
  const wr = new RecvWr();
  wr.wrId = i;
  wr.setNumSge(2);
  const at = b.target.lo + (1 << 19) + i * (LENGTH + 99);
  Object.assign(wr.sges[0] as object, { hi: b.target.hi, lo: at, length: 1999, lkey: b.target.key });
  Object.assign(wr.sges[1] as object, { hi: b.target.hi, lo: at + 1999, length: LENGTH - 1999, lkey: b.target.key });
  return wr;
}

describe('a reliable connection', () => {
  function play(seed: number, conditions: Conditions): { test: OneConnection; errors: string[]; passed: boolean } {
    const errors: string[] = [];
    const sink = (text: string): void => {
      errors.push(...text.split('\n').filter((line) => /^UVM_(ERROR|FATAL) @/.test(line)));
    };
    OneConnection.conditions = conditions;
    const run = new Run({ seed, testName: 'one_connection', sink });
    run.factory.register('one_connection', OneConnection);
    const { passed } = run.runTest();
    return { test: run.root.find('uvm_test_top') as OneConnection, errors, passed };
  }

  function counted(test: OneConnection, name: 'retransmissions' | 'rnrNaks'): number {
    return test.nics.reduce((n, nic) => n + nic.core.counters[name], 0);
  }

  it('delivers everything although one frame in thirty is lost and as many are late', () => {
    let retransmissions = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const { test, errors, passed } = play(seed, { loss: 1 / 30, late: 0, requests: 25 });
      expect(errors, `seed ${seed}`).to.deep.equal([]);
      expect(passed, `seed ${seed}`).to.equal(true);
      expect(test.statuses).to.have.length(25 + 15);
      expect(test.statuses.every((status) => status === WC_STATUS.success)).to.equal(true);
      retransmissions += counted(test, 'retransmissions');
    }
    expect(retransmissions).to.be.greaterThan(20);
  });

  it('delivers everything once although one frame in ten arrives twice', () => {
    let repeated = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const { test, errors } = play(seed, { loss: 0, repeats: 1 / 10, late: 0, requests: 25 });
      expect(errors, `seed ${seed}`).to.deep.equal([]);
      expect(test.statuses).to.have.length(25 + 15);
      expect(test.statuses.every((status) => status === WC_STATUS.success)).to.equal(true);
      repeated += test.repeated;
    }
    expect(repeated).to.be.greaterThan(50);
  });

  it('asks again for a READ whose answer is lost together with the acknowledgement before it', () => {
    const opcodes = [WR_OPCODE.rdmaWrite, WR_OPCODE.rdmaRead, WR_OPCODE.rdmaRead];
    for (let answersLost = 1; answersLost <= 12; answersLost++) {
      const { test, errors } = play(1, { loss: 0, late: 0, requests: 3, opcodes, answersLost });
      expect(errors, `${answersLost} answers lost`).to.deep.equal([]);
      expect(test.statuses, `${answersLost} answers lost`).to.deep.equal(Array(3).fill(WC_STATUS.success));
    }
  });

  it('waits for receives that are posted too late, as the RNR timer says', () => {
    const { test, errors } = play(1, { loss: 0, late: 50, requests: 20 });
    expect(errors).to.deep.equal([]);
    expect(test.statuses.every((status) => status === WC_STATUS.success)).to.equal(true);
    // The timer code is 1: 10 us. Five waits bridge 50 us; each is one NAK and one retransmission.
    expect(counted(test, 'rnrNaks')).to.be.within(3, 6);
    expect(counted(test, 'retransmissions')).to.equal(counted(test, 'rnrNaks'));
  });

  it('sends nothing twice on a good link', () => {
    const { test, errors } = play(1, { loss: 0, late: 0, requests: 25 });
    expect(errors).to.deep.equal([]);
    expect(counted(test, 'retransmissions')).to.equal(0);
  });
});
