import { expect } from 'chai';
import fc from 'fast-check';
import { CompletionUnit, CQC_DW, cqcMarker } from '../../../../dut-model/hangu/model/queues/completionUnit.ts';
import type { HanguCore } from '../../../../dut-model/hangu/model/core.ts';
import type { EventUnit } from '../../../../dut-model/hangu/model/queues/eventUnit.ts';
import { HANGU_DEFAULTS } from '../../../../dut-model/hangu/model/hanguConfig.ts';
import { MISS } from '../../../../dut-model/hangu/model/memory/entryTable.ts';
import { XLATE } from '../../../../dut-model/hangu/model/memory/translation.ts';
import type { Resumable } from '../../../../dut-model/roce/rxPacket.ts';
import { CQE } from '../../../../dut-model/hangu/layout/queues.ts';

const CQS = 8;
const CONTEXT_WORDS = 16;
const ENTRY_AT = CQS * CONTEXT_WORDS;
/** Outcomes of a look-up, drawn by the property: there, context missing, translation missing. */
const THERE = 0;
const NO_CONTEXT = 1;
const NO_PAGE = 2;

interface Bench {
  readonly unit: CompletionUnit;
  /** Written entries in order: queue and what the entry was posted with. */
  readonly written: [cqn: number, wqe: number][];
  readonly askers: Resumable[];
  /** Queues that have sent an event. */
  readonly fired: number[];
  /** Words of the contexts. */
  readonly words: Int32Array;
  pins: number;
  mostAskers: number;
}

/** A unit whose context cache and translation answer as `outcomes` say, in turn. */
function make(cqServices: number, outcomes: () => number): Bench {
  const i32 = new Int32Array(ENTRY_AT + 8);
  for (let cqn = 0; cqn < CQS; cqn++) {
    i32[cqn * CONTEXT_WORDS + CQC_DW.marker] = cqcMarker(cqn, 0);
    i32[cqn * CONTEXT_WORDS + CQC_DW.logSize] = 10 << 24;
    i32[cqn * CONTEXT_WORDS + CQC_DW.lkey] = cqn;
  }
  const wait = (asker: Resumable): void => {
    bench.askers.push(asker);
    bench.mostAskers = Math.max(bench.mostAskers, bench.askers.length);
  };
  let outcome = THERE;
  const cqc = {
    /** Nothing that was noted of the cache holds. */
    again: () => false,
    latestRecord: 0,
    changes: 0,
    lookup(cqn: number, asker: Resumable): number {
      outcome = outcomes();
      if (outcome !== NO_CONTEXT) return cqn * CONTEXT_WORDS * 4;
      wait(asker);
      return MISS;
    },
    pin: () => ++bench.pins > 0,
    unpin: () => void bench.pins--,
    touch: () => {},
    touchRecord: () => {},
    wake: () => {},
  };
  const xlate = {
    paHi: 0,
    paLo: 0,
    drop: () => {},
    translate(
      key: number,
      _pd: number,
      _hi: number,
      _lo: number,
      _n: number,
      _need: number,
      _q: boolean,
      asker: Resumable,
    ) {
      xlate.paHi = key;
      if (outcome !== NO_PAGE) return XLATE.ok;
      wait(asker);
      return XLATE.wait;
    },
  };
  const dma = {
    acquireBlock: () => 0,
    blockOffset: () => ENTRY_AT * 4,
    releaseBlock: () => {},
    write: (hi: number) => void bench.written.push([hi, i32[ENTRY_AT + (CQE.wqe >> 2)] as number]),
  };
  const config = { ...HANGU_DEFAULTS, cqServices };
  const core = { config, cqc, xlate, dma, bytes: { i32 }, icm: { cqc: { entries: CQS }, life: 0 } };
  const events = { post: (_eqn: number, _type: number, cqn: number) => void bench.fired.push(cqn) };
  const unit = new CompletionUnit(core as unknown as HanguCore, events as unknown as EventUnit);
  const bench: Bench = { unit, written: [], askers: [], fired: [], words: i32, pins: 0, mostAskers: 0 };
  return bench;
}

function post(bench: Bench, cqn: number, wqe: number, qpn = 0): void {
  const e = bench.unit.acquire();
  e.cqn = cqn;
  e.qpn = qpn;
  e.wqe = wqe;
  bench.unit.post(e);
}

describe('CompletionUnit', () => {
  it('writes every entry once, those of one queue in order, whatever waits for what and comes when', () => {
    const posts = fc.array(fc.nat(CQS - 1), { maxLength: 60 });
    fc.assert(
      fc.property(posts, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat(2)), (cqns, services, picks) => {
        let ending = false;
        const bench = make(services, () => (ending ? THERE : (picks.next().value as number)));
        const resumeOne = (): void => {
          const i = (picks.next().value as number) % bench.askers.length;
          (bench.askers.splice(i, 1)[0] as Resumable).resume();
        };
        for (const [i, cqn] of cqns.entries()) {
          post(bench, cqn, i);
          if (bench.askers.length > 0 && picks.next().value === 0) resumeOne();
        }
        ending = true;
        while (bench.askers.length > 0) resumeOne();
        expect(bench.written.length).to.equal(cqns.length);
        for (let cqn = 0; cqn < CQS; cqn++) {
          const order = bench.written.filter(([q]) => q === cqn).map(([, wqe]) => wqe);
          expect(order).to.deep.equal([...cqns.keys()].filter((i) => cqns[i] === cqn));
        }
        expect(bench.pins).to.equal(0);
        expect(bench.mostAskers).to.be.at.most(services);
      }),
    );
  });

  it('says that the entries of a queue pair are written when they are, and wakes up who waits for that', () => {
    const posts = fc.array(fc.record({ cqn: fc.nat(CQS - 1), qpn: fc.nat(2) }), { maxLength: 40 });
    fc.assert(
      fc.property(posts, fc.integer({ min: 1, max: 3 }), fc.infiniteStream(fc.nat(2)), (entries, services, picks) => {
        let ending = false;
        const bench = make(services, () => (ending ? THERE : (picks.next().value as number)));
        for (const [i, { cqn, qpn }] of entries.entries()) post(bench, cqn, i, qpn);
        const mine = [...entries.keys()].filter((i) => entries[i]?.qpn === 1);
        const left = (): number[] => mine.filter((i) => !bench.written.some(([, wqe]) => wqe === i));
        let done = false;
        const waiter = {
          resume: (): void => {
            done = bench.unit.hasWritten(1, waiter);
            expect(done).to.equal(left().length === 0);
          },
        };
        waiter.resume();
        ending = true;
        while (bench.askers.length > 0) (bench.askers.shift() as Resumable).resume();
        expect(done).to.equal(true);
      }),
    );
  });

  it('goes on with other queues while one waits for its context', () => {
    const outcomes = [NO_CONTEXT];
    const bench = make(2, () => outcomes.shift() ?? THERE);
    post(bench, 1, 10);
    post(bench, 2, 20);
    post(bench, 1, 11);
    expect(bench.written).to.deep.equal([[2, 20]]);
    (bench.askers[0] as Resumable).resume();
    expect(bench.written).to.deep.equal([
      [2, 20],
      [1, 10],
      [1, 11],
    ]);
  });

  it('keeps the context of a queue that waits for its translation', () => {
    const outcomes = [NO_PAGE];
    const bench = make(2, () => outcomes.shift() ?? THERE);
    post(bench, 1, 10);
    expect(bench.pins).to.equal(1);
    (bench.askers[0] as Resumable).resume();
    expect(bench.pins).to.equal(0);
  });

  it('fires for a solicited completion that had not been seen when its queue was armed, however many came before', () => {
    const bench = make(2, () => THERE);
    const context = CONTEXT_WORDS;
    for (const [solicited, producer, seen, expected] of [
      [1, 1, 0, 1],
      [1, 1, 1, 0],
      [0, 1, 0, 0],
      [0, 140_000, 140_000, 0],
      [0, 140_000, 139_000, 0],
      [139_500, 140_000, 139_000, 1],
      [0, 300_000, 299_990, 0],
      [300_000, 300_000, 299_990, 1],
    ] as const) {
      bench.fired.length = 0;
      bench.words[context + CQC_DW.solicited] = solicited;
      bench.words[context + CQC_DW.producer] = producer;
      bench.words[context + CQC_DW.armed] = 0;
      bench.unit.arm(1, true, seen % (1 << 18));
      expect(bench.fired.length, `${solicited} of ${producer}, ${seen} seen`).to.equal(expected);
    }
  });
});
