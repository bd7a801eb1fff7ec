import { expect } from 'chai';
import fc from 'fast-check';
import { Sge } from '../../../agents/verbs/verbsItems.ts';
import { MrTable } from '../../../scoreboard/model/mrTable.ts';
import { Messages, SGE_WORDS } from '../../../scoreboard/model/messages.ts';
import { CAUSE } from '../../../scoreboard/model/outcomes.ts';
import { type Message, NO_QP, ARRIVAL } from '../../../scoreboard/model/work.ts';

/** What is kept of the list of a request. */
function listOf(messages: Messages, { sges, numSge }: Message): number[] {
  return [...messages.sges.words.slice(sges, sges + numSge * SGE_WORDS)];
}

function listFrom(seed: number, count: number): Sge[] {
  return Array.from({ length: count }, (_, i) => new Sge(seed, seed * 1000 + 100 * i, 10 + i, 7));
}

describe('the records of requests', () => {
  it('keep the lists of all requests in use apart, however long the lists before were', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.nat()), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, (list) => {
        const messages = new Messages();
        const mrs = new MrTable();
        const live: [r: Message, words: number[]][] = [];
        list.forEach(([count, pick], step) => {
          if (live.length > 8) messages.release((live.splice(pick % live.length, 1)[0] as [Message, number[]])[0]);
          const r = messages.message(NO_QP, 0, step, 0);
          const sges = listFrom(step, count);
          messages.setSges(r, 0, sges, count, mrs);
          live.push([r, sges.flatMap(({ hi, lo, length }) => [hi, lo, length])]);
          expect(r.length).to.equal(sges.reduce((n, { length }) => n + length, 0));
        });
        for (const [r, words] of live) expect(listOf(messages, r)).to.deep.equal(words);
      }),
      { numRuns: 200 },
    );
  });

  it('make addresses in zero-based regions absolute', () => {
    const messages = new Messages();
    const mrs = new MrTable();
    const region = { host: 1, process: 2, pd: 3, hi: 5, lo: -16, length: 1 << 20, access: 0 };
    mrs.add({ ...region, key: 7, zeroBased: true });
    mrs.add({ ...region, key: 8, zeroBased: false });
    const r = messages.message(NO_QP, 0, 0, 0);
    messages.setSges(r, 1, [new Sge(0, 8, 4, 7), new Sge(9, 8, 4, 8), new Sge(0, 32, 4, 7)], 3, mrs);
    expect(listOf(messages, r)).to.deep.equal([5, -8, 4, 9, 8, 4, 6, 16, 4]);
  });

  it('know lists whose entries lie one behind the other, within one upper half', () => {
    const messages = new Messages();
    const isFlat = (...list: Sge[]): boolean => {
      const r = messages.message(NO_QP, 0, 0, 0);
      messages.setSges(r, 0, list, list.length, new MrTable());
      return r.flat;
    };
    expect(isFlat(new Sge(1, 100, 10))).to.equal(true);
    expect(isFlat(new Sge(1, 100, 10), new Sge(1, 110, 5), new Sge(1, 115, 1))).to.equal(true);
    expect(isFlat(new Sge(1, 100, 10), new Sge(1, 110, 5), new Sge(1, 116, 1))).to.equal(false);
    expect(isFlat(new Sge(1, 100, 10), new Sge(2, 110, 5))).to.equal(false);
    expect(isFlat(new Sge(1, -10, 10))).to.equal(true);
    expect(isFlat(new Sge(1, -10, 11))).to.equal(false);
    expect(isFlat()).to.equal(false);
  });

  it('are used again by later requests, as if they were new, with another place in the order', () => {
    const messages = new Messages();
    const first = messages.message(NO_QP, 3, 7, 100);
    Object.assign(first, { arrival: ARRIVAL.mayVanish, signalled: true });
    first.outcomes.only(CAUSE.remoteKey);
    messages.release(first);
    expect([...messages.completed()]).to.deep.equal([first]);
    const second = messages.message(NO_QP, 4, 8, 200);
    expect(second).to.equal(first);
    const { wqe, wrId, postedAt, order, mayVanish, signalled, outcomes } = second;
    expect([wqe, wrId, postedAt, order, mayVanish, signalled, outcomes.mayFail]).to.deep.equal([
      4,
      8,
      200,
      1,
      false,
      false,
      false,
    ]);
    expect([...messages.all()]).to.deep.equal([second]);
  });
});
