import { expect } from 'chai';
import { WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { Message } from '../../../../scoreboard/model/work.ts';
import { RunAtomic } from '../../../../scoreboard/atomics/runAtomic.ts';
import { WordTimeline } from '../../../../scoreboard/atomics/wordTimeline.ts';

const PLACE = { host: 0, process: 1, hi: 0, lo: 0x40 };
const FIRST = 7n;

/** A word whose changes are seen, and what is found wrong with it. */
class Word {
  readonly found: string[] = [];
  readonly timeline = new WordTimeline(PLACE, FIRST, true, {
    contradiction: () => this.found.push('contradiction'),
    undecided: () => this.found.push('undecided'),
    holds: () => this.found.push('holds'),
    isOver: () => false,
  });
  #serial = 0;

  /** Sent at `from`, ps, by a queue pair of its own. It adds `operand`, or stores 1 where it finds that. */
  sends(opcode: number, operand: number, from: number): RunAtomic {
    const operands = { opcode, compareHi: 0, compareLo: operand, swapHi: 0, swapLo: 1 };
    const chain = this.#serial++;
    const atomic = new RunAtomic({ qp: {}, wrId: chain, order: chain } as Message, operands, chain, chain);
    atomic.from = from;
    this.timeline.sent(atomic);
    return atomic;
  }
}

describe('a word of atomics whose changes are seen', () => {
  const ANSWERS = [
    { what: 'is as it was before a change that is accounted for', returned: FIRST },
    { what: 'is nothing that the word ever held', returned: 99n },
  ];
  for (const { what, returned } of ANSWERS)
    it(`says nothing of a late answer to a request that had ended before that change, also where it ${what}`, () => {
      const w = new Word();
      const swap = w.sends(WR_OPCODE.atomicCmpAndSwp, 50, 10);
      const add = w.sends(WR_OPCODE.atomicFetchAndAdd, 5, 20);
      // Executed in front of the other one; its requester gives up before the answer leaves.
      swap.abandon(30);
      w.timeline.answered();
      w.timeline.written(40, FIRST + 5n, 'atomic');
      add.answered(FIRST, 50);
      w.timeline.answered();
      swap.answered(returned, 60);
      w.timeline.answered();
      w.timeline.quiet(FIRST + 5n);
      expect(w.found).to.deep.equal([]);
    });

  it('contradicts a late answer where no change stands between', () => {
    const w = new Word();
    const swap = w.sends(WR_OPCODE.atomicCmpAndSwp, 50, 10);
    swap.abandon(30);
    w.timeline.answered();
    swap.answered(99n, 60);
    w.timeline.answered();
    w.timeline.quiet(FIRST);
    expect(w.found).to.deep.equal(['contradiction']);
  });
});
