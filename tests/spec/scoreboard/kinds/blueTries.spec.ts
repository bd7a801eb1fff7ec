import { expect } from 'chai';
import { HEADER, DESCRIPTOR_WORDS, SEND_0, SEND_1 } from '../../../../dut-model/blue-rdma/layout/descriptors.ts';
import { type Handover, SendRing } from '../../../../dut-model/blue-rdma/judge/handovers.ts';
import { SpoiltTries } from '../../../../dut-model/blue-rdma/judge/spoiltTries.ts';

const US = 1e6;

describe('tries of a blue-rdma queue pair that the link spoils', () => {
  it('are counted once for all copies that are lost together, and each answer for itself', () => {
    const tries = new SpoiltTries();
    for (const at of [0, 1, 2, 300, 301]) tries.copyHit(at * US);
    expect(tries.others).to.equal(2);
    tries.answerHit();
    tries.answerHit();
    expect(tries.others).to.equal(4);
    tries.clear();
    expect(tries.others).to.equal(0);
  });

  it('are none where one of the copies arrives, before the others are lost or after that', () => {
    const tries = new SpoiltTries();
    tries.copyHit(0);
    tries.copyArrives(US);
    tries.copyHit(2 * US);
    expect(tries.others).to.equal(0);
    tries.copyArrives(300 * US);
    tries.copyHit(301 * US);
    expect(tries.others).to.equal(0);
    tries.copyHit(600 * US);
    expect(tries.others).to.equal(1);
  });
});

describe('a send ring of blue-rdma as the judge sees it', () => {
  it('hands over in the order of slots, with what the driver knew then, when answers of reads overtake each other', () => {
    const handed: Handover[] = [];
    let stamps = 0;
    const user = {
      stamp: () => ++stamps,
      handed: (h: Handover) => handed.push(h),
      told: () => {},
      handoversUnknown: () => {},
    };
    const ring = new SendRing(0, user, 8);
    const words = (edit: (w: Int32Array) => void): ((n: number) => number) => {
      const w = new Int32Array(DESCRIPTOR_WORDS);
      edit(w);
      return (n) => w[n] as number;
    };
    const first = (psn: number): ((n: number) => number) =>
      words((w) => {
        w[HEADER.word] = HEADER.hasNext;
        w[SEND_0.psn.word] = (w[SEND_0.psn.word] as number) | (psn << SEND_0.psn.shift);
      });
    const second = words((w) => {
      w[HEADER.word] = SEND_1.retry;
    });
    ring.headMoves(2);
    ring.headMoves(2);
    ring.fetched(2, first(7));
    ring.fetched(3, second);
    expect(handed).to.have.length(0);
    ring.fetched(0, first(5));
    ring.fetched(1, second);
    expect(handed.map(({ psn, stamp, again }) => [psn, stamp, again])).to.deep.equal([
      [5, 1, true],
      [7, 2, true],
    ]);
  });
});
