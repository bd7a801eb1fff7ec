import { expect } from 'chai';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { type Work, expectClean, playConnection } from './playConnection.ts';

/** More than two pages, wherever they begin. */
const BYTES = 9000;

function pattern(seed: number): Uint8Array {
  // No two pages alike.
  return Uint8Array.from({ length: BYTES }, (_, i) => Math.imul(i + seed, 0x9e37_79b1) >>> 24);
}

/** SENDs, WRITEs and READs contents that the sequence chooses, twice through the same buffers. */
const chosen: Work = function* (sequence, { left, right }): Proc<void> {
  const [source, sink, copy] = [yield* left.source(BYTES), yield* right.sink(BYTES), yield* left.sink(BYTES)];
  for (const seed of [1, 99]) {
    left.fill(source, pattern(seed));
    expect(left.contents(source)).to.deep.equal(pattern(seed));
    yield* right.receive(sink);
    yield* left.send(source);
    sequence.expectSuccess(yield* left.sent(), 'SEND');
    sequence.expectSuccess(yield* right.received(), 'receive');
    expect(right.contents(sink)).to.deep.equal(pattern(seed));
    right.fill(sink.part(4000, 500), pattern(seed + 1).subarray(0, 500));
    yield* left.read(copy, sink);
    sequence.expectSuccess(yield* left.sent(), 'READ');
    expect(left.contents(copy.part(4000, 500))).to.deep.equal(pattern(seed + 1).slice(0, 500));
    yield* left.write(source, sink);
    sequence.expectSuccess(yield* left.sent(), 'WRITE');
  }
};

describe('the contents of buffers', () => {
  it('are those that a sequence gives them, and arrive', async () => {
    for (const line of ['', '+DATA_OFFSET=4294967000', '+PAGE_SCATTER=0 +MTU=256']) {
      expectClean(await playConnection(chosen, `+RC_QP_NUM=1 ${line}`));
    }
  });

  it('are judged as others are', async () => {
    const written: Work = function* (sequence, { left, right }): Proc<void> {
      const [source, sink] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      left.fill(source, pattern(1));
      yield* left.write(source, sink);
      sequence.expectSuccess(yield* left.sent(), 'WRITE');
    };
    expectClean(await playConnection(written));
    const run = await playConnection(written, '+RC_QP_NUM=1 +MTU=256 +DUT_FAULT=gather_shifted');
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_WIRE_DATA']);
  });

  it('need as many bytes as the buffer has, and a buffer of the side', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      const [source, sink] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      const few = new Uint8Array(10);
      expect(() => left.fill(source, few)).to.throw('fill() with 10 bytes, and the buffer has 9000');
      expect(() => left.contents(sink)).to.throw('host 1');
      expect(() => left.fill(sink, pattern(1))).to.throw('host 1');
    });
    expect(run.verdict).to.equal('vacuous');
  });
});
