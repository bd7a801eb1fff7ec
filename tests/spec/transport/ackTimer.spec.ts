/** The local ACK timer of a requester (roce-transport.md 3.8). */

import { expect } from 'chai';
import { psnAdd } from '../../../agents/wire/psnArithmetic.ts';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { QpSlot } from '../../../dut-model/hangu/model/transport/qpSlot.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { CONNECTION_MTU, type End, RcConnection } from '../support/rcConnection.ts';
import { US } from '../../../uvm/kernel/time.ts';

const MS = 1000 * US;

function write(a: End, b: End, length: number): SendWr {
  const wr = new SendWr();
  wr.opcode = WR_OPCODE.rdmaWrite;
  wr.flags = SEND_FLAG.signaled;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: a.source.hi, lo: a.source.lo, length, lkey: a.source.key });
  Object.assign(wr, { remoteHi: b.target.hi, remoteLo: b.target.lo, rkey: b.target.key });
  return wr;
}

/** The timer runs out while the queue pair waits for its turn, and the acknowledgement comes first. */
class Overtaken extends RcConnection {
  /** Far away, so that everything has been sent before the first answer comes. */
  protected readonly settings = { link: { latency: 40 * US } };
  readonly statuses: number[] = [];

  protected override *traffic(a: End, b: End): Proc {
    const slot = this.nics[0]?.core.slot(a.qp.qpn);
    yield* a.api.postSend(a.qp, [write(a, b, 100), write(a, b, 3000)], 2);
    yield* delay(30 * US);
    Object.assign(slot as object, { deadline: 0, timeoutDue: true });
    this.statuses.push(...(yield* this.take(a, 2, (wc) => wc.status)));
    this.env.quiet();
  }
}

const PACKETS = 20;

/** The requester has gone back, its queue pair waits for its turn, and an acknowledgement of some packets comes first. */
class GoneBack extends RcConnection {
  protected readonly settings = {
    link: { latency: 40 * US },
    nicKnobs: { ackInterval: 8 },
    checkLevel: CHECK_LEVEL.off,
  };
  /** Of the packets of each host, in their order. */
  readonly psns: [number[], number[]] = [[], []];

  protected override *traffic(a: End, b: End): Proc {
    this.env.monitor?.packets.connect({ write: ({ host, psn }) => void this.psns[host as 0 | 1].push(psn) });
    const slot = this.nics[0]?.core.slot(a.qp.qpn) as QpSlot;
    yield* a.api.postSend(a.qp, [write(a, b, PACKETS * CONNECTION_MTU)], 1);
    yield* delay(50 * US);
    expect(this.psns[0]).to.have.lengthOf(PACKETS);
    Object.assign(slot, { cursor: slot.head, cursorPacket: 0, sentPsn: slot.head?.firstPsn });
    yield* this.take(a, 1, (wc) => wc.status);
    this.env.quiet();
  }
}

/** The answer of a READ is there at once, and the way to where it goes has to be read from slow host memory first. */
class SlowTranslation extends RcConnection {
  /** Few translations stay in the NIC. */
  protected readonly settings = {
    nicKnobs: { mttCache: 8 },
    pcieOf: (host: number) => (host === 0 ? { memoryLatency: 2 * MS } : {}),
  };
  readonly statuses: number[] = [];

  protected override *traffic(a: End, b: End): Proc {
    const read = write(a, b, 3000);
    read.opcode = WR_OPCODE.rdmaRead;
    // Far from the start, whose translation may share a line with that of the queues.
    Object.assign(read.sges[0] as object, { lo: a.source.lo + (1 << 19) });
    yield* a.api.postSend(a.qp, [read], 1);
    this.statuses.push(...(yield* this.take(a, 1, (wc) => wc.status)));
    this.env.quiet();
  }
}

/** Nothing arrives. */
class Silent extends RcConnection {
  static timeout = 0;
  protected override readonly ackTimeout = Silent.timeout;
  protected readonly settings = { checkLevel: CHECK_LEVEL.off, lossAllowed: true };

  protected override *traffic(a: End, b: End): Proc {
    this.env.link.faults = { judge: (_frame, verdict) => Object.assign(verdict, { drop: true }) };
    yield* a.api.postSend(a.qp, [write(a, b, 3000)], 1);
    yield* delay(200 * MS);
  }
}

function play<T extends RcConnection>(make: new (...args: ConstructorParameters<typeof RcConnection>) => T): T {
  const run = new Run({ seed: 1, testName: 'timer', sink: () => {} });
  run.factory.register('timer', make);
  run.runTest();
  return run.root.find('uvm_test_top') as T;
}

describe('the local ACK timer', () => {
  it('counts no longer when the acknowledgement comes before the turn of the queue pair', () => {
    const { nics, statuses } = play(Overtaken);
    expect(statuses).to.deep.equal([0, 0]);
    expect(nics[0]?.core.counters.retransmissions).to.equal(0);
  });

  it('sends nothing again that is acknowledged by the time the requester comes to it', () => {
    const [sent, acknowledged] = play(GoneBack).psns;
    expect(sent[PACKETS]).to.equal(psnAdd(acknowledged[0] as number, 1));
  });

  it('does not count while an answer waits inside the NIC', () => {
    const { nics, statuses } = play(SlowTranslation);
    expect(statuses).to.deep.equal([0]);
    expect(nics[0]?.core.counters.timeouts).to.equal(0);
  });

  it('sends everything again when it runs out, seven times, and then gives up', () => {
    Silent.timeout = 12;
    expect(play(Silent).nics[0]?.core.counters.timeouts).to.equal(7 + 1);
  });

  it('never runs out with code 0', () => {
    Silent.timeout = 0;
    expect(play(Silent).nics[0]?.core.counters.timeouts).to.equal(0);
  });
});
