import { expect } from 'chai';
import fc from 'fast-check';
import { RegisteredBuffer } from '../../../../sequences/user/memory/registeredBuffer.ts';

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const length = fc.integer({ min: 0, max: 2 ** 31 });

/** The 64-bit address of a buffer. */
function addressOf({ hi, lo }: RegisteredBuffer): bigint {
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}

describe('a registered buffer', () => {
  it('moves by any number of bytes, up and down across multiples of 4 GiB and around the address space', () => {
    const by = fc.oneof(fc.integer({ min: -(2 ** 33), max: 2 ** 33 }), fc.constantFrom(1, -1, 2 ** 32, -(2 ** 32)));
    fc.assert(
      fc.property(word, word, length, word, by, (hi, lo, bytes, key, distance) => {
        const buffer = new RegisteredBuffer(hi, lo, bytes, key);
        const moved = buffer.moved(distance);
        expect(addressOf(moved)).to.equal(BigInt.asUintN(64, addressOf(buffer) + BigInt(distance)));
        expect([moved.length, moved.key, moved.mr]).to.deep.equal([bytes, key, undefined]);
      }),
    );
  });

  it('has parts that lie where they are asked for, and refuses those that leave it', () => {
    fc.assert(
      fc.property(word, word, length, length, length, (hi, lo, bytes, offset, part) => {
        const buffer = new RegisteredBuffer(hi, lo, bytes, 1);
        if (offset + part > bytes) expect(() => buffer.part(offset, part)).to.throw(RangeError, /leaves the buffer/);
        else expect(addressOf(buffer.part(offset, part))).to.equal(addressOf(buffer.moved(offset)));
      }),
    );
  });

  it('keeps its range under another key', () => {
    const { hi, lo, length: bytes, key } = new RegisteredBuffer(3, -1, 40, 5).withKey(7);
    expect([hi, lo, bytes, key]).to.deep.equal([3, -1, 40, 7]);
  });
});
