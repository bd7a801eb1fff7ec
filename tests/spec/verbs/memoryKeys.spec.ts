/** Windows, regions that requests register, and keys with tags, as the host API and HanGu's provider have them. */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { nextKey, withTag } from '../../../env/verbs/mkeys/keyTags.ts';
import { QP_STATE, QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { play } from '../tests/harness.ts';
import { ProviderBench } from '../env/support/providerBench.ts';

function kindOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof HostApiError) return error.kind;
    throw error;
  }
  return 'none';
}

function opened(request = { keyTags: 8 }) {
  const bench = new ProviderBench();
  bench.run(bench.api.openDevice(request));
  const pd = bench.api.allocPd(1);
  const region = (): number => bench.run(bench.api.regMr(pd, { hi: 0x8000, lo: 0, length: 64, access: 0 })).key;
  return { bench, pd, region };
}

const ON_KEYS = '+RC_QP_NUM=7 +UC_QP_NUM=0 +UD_QP_NUM=0 +PROC_NUM=1';

describe('keys with tags', () => {
  it('have their index above eight bits of tag, and another tag when the index comes back', () => {
    const { bench, pd, region } = opened({ keyTags: 8, keysSoon: true } as { keyTags: number });
    const first = region();
    const mr = bench.run(bench.api.regMr(pd, { hi: 0x8000, lo: 0, length: 64, access: 0 }));
    bench.run(bench.api.deregMr(mr));
    const again = region();
    expect(again >>> 8).to.equal(mr.key >>> 8);
    expect(again).to.not.equal(mr.key);
    expect(again >>> 8).to.not.equal(first >>> 8);
  });

  it('come back as soon as the bits of their tag let them', () => {
    const { bench, pd } = opened({ keyTags: 1, keysSoon: true } as { keyTags: number });
    const keys = Array.from({ length: 3 }, () => {
      const mr = bench.run(bench.api.regMr(pd, { hi: 0x8000, lo: 0, length: 64, access: 0 }));
      bench.run(bench.api.deregMr(mr));
      return mr.key;
    });
    expect(keys[2]).to.equal(keys[0]);
    expect(keys[1]).to.not.equal(keys[0]);
  });

  it('go round after 256 tags, and keep their index', () => {
    expect(nextKey(0x1_23ff)).to.equal(0x1_2300);
    expect(withTag(0x1_23ff, 0x105)).to.equal(0x1_2305);
  });

  it('have 8 bits of tag at most', () => {
    for (const keyTags of [-1, 9, 1.5])
      expect(kindOf(() => new ProviderBench().api.openDevice({ keyTags }).next())).to.equal('ATTRIBUTE');
  });
});

describe('windows and regions that requests register', () => {
  it('need keys with tags', () => {
    const { bench, pd } = opened({ keyTags: 0 });
    expect(kindOf(() => bench.run(bench.api.allocMw(pd, 1)))).to.equal('UNSUPPORTED');
    expect(kindOf(() => bench.run(bench.api.allocMr(pd, 1)))).to.equal('UNSUPPORTED');
  });

  it('belong to their domain, which is busy as long as there are any', () => {
    const { bench, pd } = opened();
    const mw = bench.run(bench.api.allocMw(pd, 2));
    const mr = bench.run(bench.api.allocMr(pd, 3));
    expect([mw.type, mr.maxPages]).to.deep.equal([2, 3]);
    expect(kindOf(() => bench.api.deallocPd(pd))).to.equal('IN_USE');
    bench.run(bench.api.deallocMw(mw));
    bench.run(bench.api.deallocMr(mr));
    expect(kindOf(() => bench.api.deallocPd(pd))).to.equal('none');
    expect(kindOf(() => bench.run(bench.api.deallocMw(mw)))).to.equal('GONE');
    expect(kindOf(() => bench.run(bench.api.deallocMr(mr)))).to.equal('GONE');
  });

  it('have room for as many pages as a page list has', () => {
    const { bench, pd } = opened();
    for (const pages of [0, 513]) expect(kindOf(() => bench.run(bench.api.allocMr(pd, pages)))).to.equal('LIMIT');
    bench.run(bench.api.allocMr(pd, 512));
  });

  it('are changed by requests that say how, and have no data', () => {
    const { bench, pd } = opened();
    const cq = bench.run(bench.api.createCq(1, { entries: 8 }));
    const init = { type: QP_TYPE.rc, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 1, maxSge: 1 };
    const qp = bench.run(bench.api.createQp(pd, init));
    qp.state = QP_STATE.rts;
    const wr = new SendWr();
    wr.opcode = WR_OPCODE.bindMw;
    expect(kindOf(() => bench.run(bench.api.postSend(qp, [wr], 1)))).to.equal('ATTRIBUTE');
    wr.opcode = WR_OPCODE.localInv;
    wr.setNumSge(1);
    expect(kindOf(() => bench.run(bench.api.postSend(qp, [wr], 1)))).to.equal('TOO_MANY_SGE');
  });

  it('are freed with the device, and leave nothing', () => {
    const { bench, pd } = opened();
    bench.run(bench.api.allocMw(pd, 1));
    bench.run(bench.api.allocMr(pd, 8));
    bench.run(bench.api.closeDevice());
    expect(bench.api.provider.leaks()).to.deep.equal([]);
  });

  it('are judged, also where requests meet keys that are out of date', async () => {
    for (const name of ['fast_registration', 'key_invalidations']) {
      const run = await play('test_sequence', `+UVM_TEST_SEQ=${name} ${ON_KEYS} +ACK_TIMEOUT=1 +RETRY_CNT=1`);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['error_completions'], name).to.be.above(0);
    }
  });

  it('may change while requests with them are under way', async () => {
    const run = await play('test_sequence', `+UVM_TEST_SEQ=random_verbs +KEY_PCT=60 +RC_QP_NUM=2 --seed 5`);
    expect(run.verdict, run.log).to.equal('passed');
  });
});
