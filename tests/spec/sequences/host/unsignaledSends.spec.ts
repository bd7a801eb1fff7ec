/** Requests of a doorbell that ask for no completion: how many completions a host waits for, and what each tells. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { WR_OPCODE } from '../../../../rdma/verbs.ts';
import { WorkPlan } from '../../../../config/scenario/workPlan.ts';
import { WR_ID_BITS } from '../../../../sequences/host/bindWork.ts';
import { UnsignaledSends } from '../../../../sequences/host/unsignaledSends.ts';

function planOf(signaled: readonly boolean[]): WorkPlan {
  const plan = new WorkPlan(signaled.length, 1);
  for (const each of signaled) plan.at(plan.add(WR_OPCODE.send)).signaled = each;
  return plan;
}

describe('requests of a doorbell without a completion', () => {
  it('are done with the completions that were asked for, and each counts once, whatever else completes', () => {
    const requests = fc.array(fc.boolean(), { minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(requests, requests, fc.integer({ min: 0, max: 3 }), (first, second, index) => {
        const sends = new UnsignaledSends(4);
        for (const row of [first, second]) {
          const signaled = [...row.slice(0, -1), true];
          const awaited = sends.posted(index, planOf(signaled));
          let [asked, done] = [0, 0];
          for (const [k, own] of signaled.entries()) {
            const wrId = (index << WR_ID_BITS) | k;
            // Flushed requests complete without having asked for it.
            const completes = own || k % 3 === 0;
            if (completes && sends.asked(wrId)) asked++;
            if (completes) done += sends.done(wrId);
          }
          expect([asked, done]).to.deep.equal([awaited, signaled.length]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
