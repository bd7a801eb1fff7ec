import { expect } from 'chai';
import * as fc from 'fast-check';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Transcript } from '../../../../uvm/bytes/transcript.ts';

type Record = readonly [kind: number, port: number, time: number, hi: number, lo: number, length: number];

const record: fc.Arbitrary<Record> = fc.tuple(
  fc.nat(2047),
  fc.nat(255),
  fc.maxSafeNat(),
  fc.integer(),
  fc.integer(),
  fc.nat(2 ** 24 - 1),
);

function digest(records: readonly Record[], implementation: 'wasm' | 'js' = 'js'): string {
  const store = ByteStore.create({ implementation });
  const transcript = new Transcript(store);
  for (const r of records) transcript.record(...r);
  return transcript.digest();
}

describe('Transcript', () => {
  it('gives pinned digests with either implementation', () => {
    for (const implementation of ['wasm', 'js'] as const) {
      const store = ByteStore.create({ implementation });
      const transcript = new Transcript(store);
      expect(transcript.digest()).to.equal('423f3f7960f956dc6b598b8f694e1bb9');
      transcript.record(1, 2, 3_000_000_000_000, 4, 5, 6);
      const off = store.alloc(130);
      store.fillSeeded(1, 0, off, 130);
      transcript.bytes(off, 130);
      expect(transcript.digest()).to.equal('b1b0286a8d1ccfb1151e0feedcbea947');
      expect(transcript.events).to.equal(1);
      transcript.message(1, 2, 3_000_000_000_000, 4, 5, 130, off);
      expect(transcript.digest()).to.equal('dcd1328e13cbfe34daab78b683f1359d');
      expect(transcript.events).to.equal(2);
    }
  });

  it('records the same of a payload that it copies', () => {
    for (const implementation of ['wasm', 'js'] as const) {
      const store = ByteStore.create({ implementation });
      const [a, b] = [new Transcript(store), new Transcript(store)];
      const [from, to] = [store.alloc(130), store.alloc(130)];
      store.fillSeeded(1, 0, from, 130);
      a.message(1, 2, 3_000_000_000_000, 4, 5, 130, from);
      b.copied(1, 2, 3_000_000_000_000, 4, 5, 130, to, from);
      expect(b.digest()).to.equal(a.digest());
      expect(store.equal(to, from, 130)).to.equal(true);
    }
  });

  it('changes with any change of any field', () => {
    fc.assert(
      fc.property(record, fc.nat(5), record, (a, field, other) => {
        const b = a.map((value, i) => (i === field ? other[i] : value)) as unknown as Record;
        expect(digest([a]) === digest([b])).to.equal(a[field] === b[field]);
      }),
      { numRuns: 60 },
    );
  });

  it('depends on the order of events', () => {
    const a: Record = [0, 0, 10, 0, 0, 0];
    const b: Record = [1, 0, 10, 0, 0, 0];
    expect(digest([a, b])).to.not.equal(digest([b, a]));
    expect(digest([a])).to.not.equal(digest([a, a]));
  });

  it('may be read at any time without changing what follows', () => {
    const store = ByteStore.create();
    const transcript = new Transcript(store);
    transcript.record(1, 0, 1, 2, 3, 4);
    expect(transcript.digest()).to.equal(transcript.digest());
    transcript.record(2, 0, 1, 2, 3, 4);
    expect(transcript.digest()).to.equal(
      digest(
        [
          [1, 0, 1, 2, 3, 4],
          [2, 0, 1, 2, 3, 4],
        ],
        'wasm',
      ),
    );
  });

  it('is the same in the next run of a process', () => {
    const store = ByteStore.create();
    const run = (): string => {
      store.reset();
      const transcript = new Transcript(store);
      transcript.record(1, 0, 1, 2, 3, 4);
      return transcript.digest();
    };
    expect(run()).to.equal(run());
  });

  it('keeps what it was on the way at a few dozen points, however long it is, that other lengths have too', () => {
    const store = ByteStore.create();
    const transcript = new Transcript(store);
    const digests = new Map<number, string>();
    for (let i = 0; i < 20_000; i++) {
      if (i % 64 === 0) digests.set(i, transcript.digest());
      transcript.record(1, 0, 1000 * i, i, 3, 4);
      if (i === 63) expect(transcript.checkpoints).to.deep.equal([]);
      if (i === 64) expect(transcript.checkpoints.map(({ events }) => events)).to.deep.equal([64]);
    }
    const { checkpoints } = transcript;
    expect(checkpoints).to.have.length.within(24, 47);
    const step = checkpoints[0]?.events as number;
    expect(Math.log2(step / 64) % 1).to.equal(0);
    for (const [i, { events, time, hash }] of checkpoints.entries()) {
      expect([events, time]).to.deep.equal([(i + 1) * step, (i + 1) * step * 1000]);
      expect(hash).to.equal(digests.get(events));
    }
    expect(checkpoints.at(-1)?.events).to.be.above(20_000 - 2 * step);
  });
});
