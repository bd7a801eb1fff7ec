/** The local ACK timer of a requester (roce-transport.md 3.8). */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/options.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../../support/rcConnection.ts';
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

  it('sends everything again when it runs out, seven times, and then gives up', () => {
    Silent.timeout = 12;
    expect(play(Silent).nics[0]?.core.counters.timeouts).to.equal(7 + 1);
  });

  it('never runs out with code 0', () => {
    Silent.timeout = 0;
    expect(play(Silent).nics[0]?.core.counters.timeouts).to.equal(0);
  });
});
