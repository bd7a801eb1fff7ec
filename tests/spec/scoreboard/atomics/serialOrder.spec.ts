import { expect } from 'chai';
import fc from 'fast-check';
import { minimalContradiction } from '../../../../scoreboard/atomics/contradiction.ts';
import { PossibleValues } from '../../../../scoreboard/atomics/possibleValues.ts';
import { serialOrder } from '../../../../scoreboard/atomics/serialOrder.ts';
import type { WordProblem, WordStep } from '../../../../scoreboard/atomics/wordProblem.ts';
import { effectOf, isOpen, type WordAtomic } from '../../../../scoreboard/atomics/wordAtomic.ts';

const NEVER = Number.POSITIVE_INFINITY;
const TOP = (1n << 64n) - 1n;

const faa = (add: bigint, returned?: bigint, chain = 0, from = 0, until = NEVER): WordAtomic => ({
  operation: 'fetchAdd',
  operand: add,
  swap: undefined,
  chain,
  returned,
  from,
  until,
});
const cas = (operand: bigint, swap: bigint, returned?: bigint, chain = 0, from = 0, until = NEVER): WordAtomic => ({
  operation: 'compareSwap',
  operand,
  swap,
  chain,
  returned,
  from,
  until,
});
const from = (value: bigint, ...atomics: WordAtomic[]): WordProblem => ({ start: PossibleValues.of(value), atomics });

/** An operation, its queue pair, and how long before its execution it is sent and how long behind it is answered. */
const PLANS = fc.array(
  fc.record({
    operation: fc.constantFrom('compareSwap', 'fetchAdd') as fc.Arbitrary<'compareSwap' | 'fetchAdd'>,
    operand: fc.constantFrom(0n, 1n, 2n, TOP),
    swap: fc.constantFrom(0n, 1n, 2n),
    chain: fc.nat(2),
    early: fc.nat(25),
    late: fc.nat(25),
    lost: fc.constantFrom('no', 'answer', 'request') as fc.Arbitrary<'no' | 'answer' | 'request'>,
  }),
  { minLength: 1, maxLength: 6 },
);

interface History {
  readonly atomics: WordAtomic[];
  readonly steps: WordStep[];
  readonly last: bigint;
}

/** What a right responder makes of them, one every 10 ps; only the last ones of a queue pair can be without an answer. */
function execute(plans: readonly (typeof PLANS extends fc.Arbitrary<(infer P)[]> ? P : never)[]): History {
  const atomics: WordAtomic[] = [];
  const steps: WordStep[] = [];
  /** Queue pairs whose requests are not heard any more. */
  const gone = new Set<number>();
  let value = 0n;
  plans.forEach(({ operation, operand, swap, chain, early, late, lost }, i) => {
    const at = 10 * i + 100;
    const behind = plans.slice(i + 1).filter((other) => other.chain === chain);
    const isLost = lost !== 'no' && behind.every((other) => other.lost !== 'no');
    const returned = isLost ? undefined : value;
    if (isLost && lost === 'request') gone.add(chain);
    const atomic = {
      operation,
      operand,
      swap,
      chain,
      returned,
      from: at - early,
      until: returned === undefined ? NEVER : at + late,
    };
    atomics.push(atomic);
    const after = gone.has(chain) ? value : (effectOf(atomic, value) as bigint);
    if (after !== value) steps.push({ at: at + 1, before: value, after, by: 'atomic' });
    value = after;
  });
  return { atomics, steps, last: value };
}

/** Tries every order, with and without what nobody answered. */
function ordersExist(problem: WordProblem, unheard = new Set<WordAtomic>()): boolean {
  const { atomics, steps } = problem;
  const go = (left: readonly WordAtomic[], value: bigint, step: number): boolean => {
    const mustStay = left.filter(
      (a) => !isOpen(a) || left.some((b) => b.chain === a.chain && left.indexOf(b) > left.indexOf(a) && !isOpen(b)),
    );
    if (mustStay.length === 0 && (steps === undefined || step === steps.length)) return true;
    return left.some((next) => {
      if (left.find(({ chain }) => chain === next.chain) !== next) return false;
      if (mustStay.some((other) => other !== next && other.until < next.from)) return false;
      if (!unheard.has(next) && next.returned !== undefined && next.returned !== value) return false;
      const after = effectOf(next, value) as bigint;
      const rest = left.filter((other) => other !== next);
      const seen = steps?.[step];
      if (steps === undefined) return go(rest, after, step);
      if (after === value) return next.from <= (seen?.at ?? NEVER) && go(rest, after, step);
      return seen !== undefined && seen.after === after && next.from <= seen.at && go(rest, after, step + 1);
    });
  };
  return (problem.start.list as bigint[]).some((start) => go(atomics, start, 0));
}

/** The results of some atomics are others. */
function spoiled(history: History, changes: readonly (bigint | undefined)[]): WordAtomic[] {
  return history.atomics.map((atomic, i) => {
    const wrong = changes[i];
    return wrong === undefined || atomic.returned === undefined ? atomic : { ...atomic, returned: wrong };
  });
}

const CHANGES = fc.array(fc.option(fc.constantFrom(0n, 1n, 2n, 3n, TOP), { nil: undefined, freq: 3 }), {
  maxLength: 6,
});

describe('the serial order of atomics on a word', () => {
  it('is found for everything that a right responder can have done, with its last value among the possible ones', () => {
    fc.assert(
      fc.property(PLANS, (plans) => {
        const history = execute(plans);
        const start = PossibleValues.of(0n);
        const unseen = serialOrder({ start, atomics: history.atomics });
        expect(unseen.found).to.equal('order');
        if (unseen.found === 'order') expect(unseen.finals.has(history.last)).to.equal(true);
        const seen = serialOrder({ start, atomics: history.atomics, steps: history.steps });
        expect(seen.found).to.equal('order');
      }),
    );
  });

  it('is found exactly where one of all orders explains results and changes', () => {
    fc.assert(
      fc.property(PLANS, CHANGES, fc.boolean(), (plans, changes, withSteps) => {
        const history = execute(plans);
        const atomics = spoiled(history, changes);
        const problem: WordProblem = {
          start: PossibleValues.of(0n),
          atomics,
          ...(withSteps ? { steps: history.steps } : {}),
        };
        expect(serialOrder(problem).found).to.equal(ordersExist(problem) ? 'order' : 'none');
      }),
      { numRuns: 400 },
    );
  });

  it('is missing for a set of results from which none can be left out', () => {
    fc.assert(
      fc.property(PLANS, CHANGES, (plans, changes) => {
        const problem = { start: PossibleValues.of(0n), atomics: spoiled(execute(plans), changes) };
        fc.pre(!ordersExist(problem));
        const needed = minimalContradiction(problem);
        const without = (kept: readonly WordAtomic[]): Set<WordAtomic> =>
          new Set(problem.atomics.filter((atomic) => !kept.includes(atomic)));
        expect(ordersExist(problem, without(needed)), 'those alone').to.equal(false);
        for (const one of needed) {
          const rest = needed.filter((other) => other !== one);
          expect(ordersExist(problem, without(rest)), 'one fewer').to.equal(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('names the two that returned the same value of a counter', () => {
    const many = Array.from({ length: 40 }, (_, i) => faa(1n, BigInt(i), i % 5));
    const wrong = faa(1n, 17n, 7);
    const needed = minimalContradiction(from(0n, ...many, wrong));
    expect(needed).to.include(wrong);
    expect(needed.length).to.be.lessThan(many.length + 2);
  });

  it('accounts for each change of memory once', () => {
    const steps = [
      { at: 10, before: 5n, after: 8n, by: 'atomic' },
      { at: 20, before: 8n, after: 11n, by: 'atomic' },
    ] as const;
    const once = { ...from(5n, faa(3n, 5n)), steps };
    expect(serialOrder(once)).to.deep.equal({ found: 'none', explained: 1 });
    expect(minimalContradiction(once)).to.deep.equal([]);
    expect(serialOrder({ ...from(5n, faa(3n, 5n), faa(3n, 8n, 1)), steps }).found).to.equal('order');
  });

  it('settles what all orders have in common, and no more', () => {
    const by = 'atomic' as const;
    const up = { at: 10, before: 0n, after: 1n, by };
    const down = { at: 20, before: 1n, after: 0n, by };
    const atomics = [faa(1n, 0n), faa(1n, 0n, 1), faa(-1n, 1n, 2)];
    const open = serialOrder({ ...from(0n, ...atomics), steps: [up, down], prefix: true });
    if (open.found !== 'order') throw new Error(open.found);
    expect(open.settled).to.deep.equal({ steps: 0, passed: 0, atomics: [] });
    expect(open.perhaps).to.have.members(atomics);
    const closed = serialOrder({ ...from(0n, ...atomics), steps: [up, down, { ...up, at: 30 }], prefix: true });
    if (closed.found !== 'order') throw new Error(closed.found);
    expect(closed.settled).to.deep.equal({ steps: 3, passed: 0, atomics });
    // Whoever was answered before the other was sent comes first, though the change alone does not say so.
    const early = [faa(1n, 0n, 0, 0, 12), faa(1n, 0n, 1), faa(-1n, 1n, 2), faa(1n, 0n, 3, 15)];
    const seen = serialOrder({ ...from(0n, ...early), steps: [up, down, { ...up, at: 30 }], prefix: true });
    expect(seen.found === 'order' && seen.perhaps).to.include(early[3]);
  });

  it('finds what changed a word behind an atomic of which nobody knows whether it was executed', () => {
    const lost = [cas(7n, 9n), faa(1n)];
    const steps = [{ at: 10, before: 0n, after: 1n, by: 'atomic' as const }];
    expect(serialOrder({ ...from(0n, ...lost), steps }).found).to.equal('order');
    expect(
      serialOrder({ ...from(7n, ...lost), steps: [{ ...steps[0], before: 7n, after: 8n } as WordStep] }).found,
    ).to.equal('none');
  });

  it('lets others write between reading and writing a word, where they may', () => {
    const by = 'other' as const;
    const steps = [
      { at: 10, before: 5n, after: 100n, by },
      { at: 20, before: 100n, after: 8n, by: 'atomic' as const },
    ];
    expect(serialOrder({ ...from(5n, faa(3n, 5n)), steps }).found).to.equal('order');
    const atomic = steps.map((step) => ({ ...step, by: 'atomic' as const }));
    expect(serialOrder({ ...from(5n, faa(3n, 5n)), steps: atomic }).found).to.equal('none');
    expect(
      serialOrder({ ...from(5n, faa(3n, 5n)), steps: atomic.map((s) => ({ ...s, by: 'either' as const })) }).found,
    ).to.equal('order');
  });

  it('takes what others may have written for possible until somebody sees it', () => {
    const write: WordAtomic = {
      operation: 'write',
      operand: 0n,
      swap: 9n,
      chain: 8,
      returned: undefined,
      from: 0,
      until: NEVER,
    };
    const open = serialOrder(from(1n, write));
    expect(open.found === 'order' && open.finals.list).to.deep.equal([1n, 9n]);
    const shown = serialOrder(from(1n, write, faa(0n, 9n)));
    expect(shown.found === 'order' && shown.finals.list).to.deep.equal([9n]);
    expect(serialOrder(from(1n, write, faa(0n, 8n))).found).to.equal('none');
  });

  it('does not put an answered atomic behind one that was sent later', () => {
    const first = cas(0n, 1n, 1n, 0, 0, 10);
    expect(serialOrder(from(0n, first, cas(0n, 1n, 0n, 1, 20, 30))).found).to.equal('none');
    expect(serialOrder(from(0n, first, cas(0n, 1n, 0n, 1, 5, 30))).found).to.equal('order');
  });

  it('ends undecided, and soon, where too many orders would have to be tried', () => {
    // All of them may come anywhere but for the last, which none of the orders can explain.
    const lost = Array.from({ length: 30 }, (_, i) => faa(2n ** BigInt(i), undefined, i));
    expect(serialOrder(from(0n, ...lost, faa(1n, 1n << 50n, 99))).found).to.equal('undecided');
  });

  it('goes through a long history of many queue pairs at once', () => {
    const atomics: WordAtomic[] = [];
    for (let i = 0; i < 3000; i++)
      atomics.push(
        faa(BigInt(i % 7), BigInt(21 * Math.floor(i / 7) + ((i % 7) * ((i % 7) - 1)) / 2), i % 16, i, i + 400),
      );
    expect(serialOrder(from(0n, ...atomics)).found).to.equal('order');
  });
});

describe('the possible values of a word', () => {
  it('grow with what others may have written, and shrink to what is seen', () => {
    const some = PossibleValues.of(3n, 1n, 3n);
    expect([some.list, some.only, some.has(2n)]).to.deep.equal([[1n, 3n], undefined, false]);
    expect(some.or(PossibleValues.of(2n)).list).to.deep.equal([1n, 2n, 3n]);
    expect(some.shown(2n)).to.equal(undefined);
    expect(some.shown(3n)?.only).to.equal(3n);
    expect([PossibleValues.any.has(TOP), PossibleValues.any.list, some.or(PossibleValues.any).isAny]).to.deep.equal([
      true,
      undefined,
      true,
    ]);
    expect(PossibleValues.of(...Array.from({ length: 65 }, (_, i) => BigInt(i))).isAny).to.equal(true);
    expect(() => PossibleValues.of()).to.throw('at least one possible value');
  });
});
