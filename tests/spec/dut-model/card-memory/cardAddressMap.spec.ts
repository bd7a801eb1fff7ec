import { expect } from 'chai';
import fc from 'fast-check';
import { CardAddressMap } from '../../../../dut-model/card-memory/driver/cardAddressMap.ts';
import { cardLayout, LARGE_PAGE_LOG } from '../../../../dut-model/card-memory/layout/index.ts';
import { carried, TWO_32 } from '../../../../uvm/bytes/words.ts';

const PAGE = 4096;
const LARGE = 2 ** LARGE_PAGE_LOG;
const PROCESS = 1;
/** Upper half of a card address, without the bit of the domain. */
const CARD_HI = 3;

/** A map in which one process has a handle of as many pages as there are, of each size. */
function mapOf(subWindowLog: number, key: number, mode: 'scattered' | 'contiguous') {
  const layout = cardLayout(subWindowLog, 0);
  const map = new CardAddressMap(key, mode);
  map.configure(layout, 0);
  const [small, large] = [false, true].map((isLarge) => {
    const [first, end] = map.handlePages(isLarge);
    return { ...map.claim(PROCESS, first, end - first), pages: end - first };
  });
  const place = (handle: { hi: number; lo: number }, byte: number): number => {
    const at = (handle.lo >>> 0) + byte;
    map.translate(PROCESS, carried(handle.hi, at), at | 0);
    return (map.physHi & CARD_HI) * TWO_32 + (map.physLo >>> 0);
  };
  type Handle = { hi: number; lo: number; pages: number };
  return { map, layout, place, small: small as Handle, large: large as Handle };
}

const modes = fc.constantFrom('scattered' as const, 'contiguous' as const);

describe('addresses of a card', () => {
  it('with large pages are found again from where they lie', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(22, 24, 28),
        fc.integer(),
        modes,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (log, key, mode, share) => {
          const { map, place, small, large } = mapOf(log, key, mode);
          for (const handle of [small, large]) {
            const byte = Math.floor(share * handle.pages) * PAGE + 5;
            place(handle, byte);
            map.reverse(map.physHi, map.physLo);
            const at = (handle.lo >>> 0) + byte;
            expect([map.process, map.virtHi, map.virtLo | 0]).to.deep.equal([PROCESS, carried(handle.hi, at), at | 0]);
          }
        },
      ),
    );
  });

  it('in a large page lie together, and begin with a multiple of its size', () => {
    fc.assert(
      fc.property(fc.integer(), modes, fc.nat(7), fc.nat(LARGE - 1), (key, mode, page, byte) => {
        const { place, large } = mapOf(22, key, mode);
        const start = place(large, page * LARGE);
        expect([start % LARGE, place(large, page * LARGE + byte)]).to.deep.equal([0, start + byte]);
      }),
    );
  });

  it('have places of their own: no page lies where another one does', () => {
    const { place, small, large } = mapOf(22, 7, 'scattered');
    const places = new Set<number>();
    for (const handle of [small, large]) for (let n = 0; n < handle.pages; n++) places.add(place(handle, n * PAGE));
    expect(places.size).to.equal(small.pages + large.pages);
  });
});
