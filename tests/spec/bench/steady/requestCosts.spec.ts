/**
 * What a steady small request costs, in exact counts: events of the scheduler, PCIe transactions and calls into
 * WebAssembly. They are the same on every machine. Whoever makes a request dearer raises a count here, with the reason.
 */

import { expect } from 'chai';
import { playSteady } from '../../../../bench/steady/playSteady.ts';
import { steadySpec } from '../../../../bench/steady/steadySpec.ts';
import type { SteadyCounts } from '../../../../bench/steady/steadyTest.ts';

const PAIRS = 4;
const PER_DOORBELL = 10;
/** Batches before everything has its size, and then counted. */
const WARM = 4;
const COUNTED = 10;

interface Calls {
  count: number;
}

/** Has the functions of every instance made meanwhile counted. @returns what puts the engine back */
function countCalls(calls: Calls): () => void {
  const engine = (globalThis as unknown as { WebAssembly: { Instance: new (...made: unknown[]) => object } })
    .WebAssembly;
  const { Instance } = engine;
  engine.Instance = class {
    readonly exports: Readonly<Record<string, unknown>>;

    constructor(...made: unknown[]) {
      const { exports } = new Instance(...made) as { exports: Record<string, unknown> };
      this.exports = Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, counted(calls, value)]));
    }
  };
  return () => {
    engine.Instance = Instance;
  };
}

function counted(calls: Calls, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  return (...words: unknown[]): unknown => {
    calls.count++;
    return value(...words);
  };
}

describe('a steady small request', () => {
  it('costs so many events, PCIe transactions and calls into WebAssembly', async () => {
    const calls = { count: 0 };
    const putBack = countCalls(calls);
    const looks: (SteadyCounts & { readonly calls: number })[] = [];
    try {
      const spec = steadySpec({ kind: 'send', pairs: PAIRS, perDoorbell: PER_DOORBELL, perRound: 1 });
      const { run } = await playSteady(spec, (counts) => {
        looks.push({ ...counts, calls: calls.count });
        return counts.batch < WARM + COUNTED;
      });
      expect(run.verdict).to.equal('passed');
    } finally {
      putBack();
    }
    const [from, to] = [WARM, WARM + COUNTED].map((batch) => looks.find((look) => look.batch === batch));
    const each = (count: (look: (typeof looks)[number]) => number): number =>
      (count(to as never) - count(from as never)) / (PAIRS * PER_DOORBELL * COUNTED);
    expect({
      events: each(({ events }) => events),
      transactions: each(({ transactions }) => transactions),
      calls: each((look) => look.calls),
    }).to.deep.equal({ events: 17.5775, transactions: 15.4275, calls: 49.5825 });
  });
});
