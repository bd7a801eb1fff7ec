/** How many packet sequence numbers may be outstanding (roce-transport.md 3.1). */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';

/** At this MTU the longest READ takes half of all numbers. Its region is too short, so that it is refused at once. */
class LongestRead extends RcConnection {
  static frames = 0;
  static statuses: number[] = [];
  protected readonly settings = { checkLevel: CHECK_LEVEL.off };
  protected override readonly mtu = 256;

  protected override *traffic(a: End, b: End): Proc {
    const wrs = [WR_OPCODE.rdmaRead, WR_OPCODE.rdmaWrite].map((opcode) => {
      const wr = new SendWr();
      wr.opcode = opcode;
      wr.setNumSge(1);
      const length = opcode === WR_OPCODE.rdmaRead ? 2 ** 31 - 1 : 10;
      Object.assign(wr.sges[0] as object, { hi: a.target.hi, lo: a.target.lo, length, lkey: a.target.key });
      return Object.assign(wr, { remoteHi: b.target.hi, remoteLo: b.target.lo, rkey: b.target.key });
    });
    yield* a.api.postSend(a.qp, wrs, wrs.length);
    LongestRead.statuses = yield* this.take(a, wrs.length, (wc) => wc.status);
    LongestRead.frames = this.nics[0]?.core.counters.framesSent ?? 0;
  }
}

describe('half of all packet sequence numbers', () => {
  it('may be outstanding, and nothing is sent beyond', () => {
    const run = new Run({ seed: 1, testName: 'longestRead', sink: () => {} });
    run.factory.register('longestRead', LongestRead);
    run.runTest();
    expect(LongestRead.statuses).to.deep.equal([WC_STATUS.remAccessErr, WC_STATUS.wrFlushErr]);
    expect(LongestRead.frames).to.equal(1);
  });
});
