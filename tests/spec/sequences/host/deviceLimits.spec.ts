import { expect } from 'chai';
import type { DeviceAttributes } from '../../../../env/verbs/hostApi.ts';
import { DeviceLimitError } from '../../../../env/verbs/hostErrors.ts';
import { checkQueues, checkRegions } from '../../../../sequences/host/deviceLimits.ts';
import type { TopologyPlan } from '../../../../config/scenario/scenario.ts';

/** Exactly what the plan below needs. */
const DEVICE: DeviceAttributes = {
  name: 'spec',
  maxQps: 3,
  maxCqs: 2,
  maxMrs: 100,
  maxSge: 5,
  maxQpWr: 31,
  maxCqEntries: 128,
  maxMtu: 4,
  maxRdAtomic: 16,
  maxDestRdAtomic: 16,
  maxSrqs: 0,
  maxSrqWr: 0,
  maxSrqSge: 0,
};
const PLAN = {
  qpCount: () => 3,
  cqCount: () => 2,
  qp: (_host: number, i: number) => ({ maxSendWr: 30 - i, maxRecvWr: 29 + i, maxSge: i === 1 ? 5 : 2, mtu: 512 << i }),
  cq: (_host: number, i: number) => ({ process: 1, entries: i === 0 ? 128 : 64 }),
} as unknown as TopologyPlan;

/** What is said about the plan on a device that differs in `change`. */
function complaint(change: Partial<DeviceAttributes>): string {
  try {
    checkQueues({ ...DEVICE, ...change }, PLAN, 1);
  } catch (error) {
    expect(error).to.be.instanceOf(DeviceLimitError);
    return (error as Error).message;
  }
  return '';
}

describe('device limits', () => {
  it('let everything pass that a device can just do', () => {
    expect(complaint({})).to.equal('');
    checkRegions(DEVICE, 0, 100);
  });

  it('are named with what is needed, the limit and the parameter to lower', () => {
    const rows: [Partial<DeviceAttributes>, RegExp][] = [
      [{ maxQps: 2 }, /3 queue pairs, its limit is 2 \(lower \+RC_QP_NUM/],
      [{ maxCqs: 1 }, /2 completion queues, its limit is 1 \(use \+SPLIT_CQ=0/],
      [{ maxCqEntries: 64 }, /128 entries of a completion queue, its limit is 64 \(lower \+SHARED_CQ/],
      [{ maxQpWr: 30 }, /31 requests of a receive queue, its limit is 30 \(lower \+MAX_RECV_WR/],
      [{ maxSge: 4 }, /5 entries of a scatter\/gather list, its limit is 4 \(lower \+SG_NUM/],
      [{ maxMtu: 3 }, /2048 bytes of path MTU, its limit is 1024 \(lower \+MTU/],
    ];
    for (const [change, text] of rows)
      expect(complaint(change))
        .to.match(text)
        .and.match(/^host 1: this run needs more/);
    expect(() => checkRegions(DEVICE, 2, 101)).to.throw(
      DeviceLimitError,
      /101 memory regions.* limit is 100 .*MR_GRANULARITY/,
    );
  });

  it('are all named at once', () => {
    expect(complaint({ maxQps: 1, maxSge: 1, maxCqs: 0 }).split('; ').length).to.be.at.least(3);
  });
});
