import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { ACCESS, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
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

function opened() {
  const bench = new ProviderBench();
  bench.run(bench.api.openDevice());
  return { bench, api: bench.api, pd: bench.api.allocPd(1) };
}

describe('address handles of the host API', () => {
  it('say what was asked for, and have defaults for the rest', () => {
    const { api, pd } = opened();
    expect(api.queryAh(api.createAh(pd, 1))).to.deep.equal({
      remoteHost: 1,
      ipv6: false,
      gidIndex: 0,
      trafficClass: 0,
      flowLabel: 0,
      hopLimit: 64,
    });
    const asked = { ipv6: true, gidIndex: 1, trafficClass: 0xff, flowLabel: 0xf_ffff, hopLimit: 1 };
    expect(api.queryAh(api.createAh(pd, 1, asked))).to.deep.equal({ remoteHost: 1, ...asked });
    expect(api.queryAh(api.createAh(pd, 1, { gidIndex: 1 })).ipv6).to.equal(true);
  });

  it('are refused with attributes that there are not, and with a GID of the other IP version', () => {
    const { api, pd } = opened();
    for (const wrong of [
      { trafficClass: 256 },
      { flowLabel: 0x10_0000 },
      { hopLimit: 0 },
      { hopLimit: 256 },
      { gidIndex: 2 },
      { gidIndex: 0, ipv6: true },
      { gidIndex: 1, ipv6: false },
      { trafficClass: 1.5 },
    ])
      expect(
        kindOf(() => api.createAh(pd, 1, wrong)),
        JSON.stringify(wrong),
      ).to.equal('ATTRIBUTE');
  });

  it('keep their domain in use until they are destroyed, once', () => {
    const { api, pd } = opened();
    const ah = api.createAh(pd, 1);
    expect(kindOf(() => api.deallocPd(pd))).to.equal('IN_USE');
    api.destroyAh(ah);
    api.deallocPd(pd);
    expect(kindOf(() => api.destroyAh(ah))).to.equal('GONE');
    expect(kindOf(() => api.queryAh(ah))).to.equal('GONE');
  });

  it('that are destroyed are no way for a request, and their number is no other handle', () => {
    const { bench, api, pd } = opened();
    const cq = bench.run(api.createCq(1, { entries: 4 }));
    const init = { type: QP_TYPE.ud, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 1, maxSge: 1 };
    const qp = bench.run(api.createQp(pd, init));
    bench.run(api.connectQp(qp, null, { accessFlags: ACCESS.localWrite }));
    const ah = api.createAh(pd, 1);
    const wr = Object.assign(new SendWr(), { opcode: WR_OPCODE.send, flags: SEND_FLAG.signaled, ah: ah.index });
    expect(kindOf(() => bench.run(api.postSend(qp, [wr], 1)))).to.equal('none');
    api.destroyAh(ah);
    expect(api.createAh(pd, 1).index).to.not.equal(ah.index);
    expect(kindOf(() => bench.run(api.postSend(qp, [wr], 1)))).to.equal('ATTRIBUTE');
  });
});
