/** A byte store that grows replaces its arrays, in the middle of whatever the NIC is doing. */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';

/** Enough for requests, packets and payload of one WRITE; each makes the store twice as large. */
const GROWTHS = 4;

class GrowingStore extends RcConnection {
  statuses: number[] = [];
  protected readonly settings = {};

  protected override *traffic(a: End): Proc {
    this.#growAtEachAllocation();
    const wr = Object.assign(new SendWr(), { opcode: WR_OPCODE.rdmaWrite, rkey: a.target.key });
    wr.setNumSge(2);
    for (const sge of wr.sges.slice(0, 2))
      Object.assign(sge, { hi: a.source.hi, lo: a.source.lo, length: 3000, lkey: a.source.key });
    Object.assign(wr, { remoteHi: a.target.hi, remoteLo: a.target.lo });
    yield* a.api.postSend(a.qp, [wr], 1);
    this.statuses = yield* this.take(a, 1, (wc) => wc.status);
  }

  #growAtEachAllocation(): void {
    const { bytes } = this.run;
    const alloc = bytes.alloc.bind(bytes);
    let left = GROWTHS;
    bytes.alloc = (...wanted) => {
      if (left-- > 0) alloc(bytes.u8.length);
      return alloc(...wanted);
    };
  }
}

describe('a NIC whose byte store grows while it works', () => {
  it('carries requests out as if it had not grown', () => {
    const errors: string[] = [];
    const sink = (text: string): void => {
      for (const [line] of text.matchAll(/^UVM_(?:ERROR|FATAL) @.*$/gm)) errors.push(line);
    };
    const run = new Run({ seed: 1, testName: 'GrowingStore', sink });
    run.factory.register('GrowingStore', GrowingStore);
    run.runTest();
    const test = run.root.find('uvm_test_top') as GrowingStore;
    expect(errors).to.deep.equal([]);
    expect(test.statuses).to.deep.equal([WC_STATUS.success]);
  });
});
