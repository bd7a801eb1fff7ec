import { expect } from 'chai';
import fc from 'fast-check';
import {
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  RING_REGISTER,
} from '../../../../dut-model/blue-rdma/layout/registers.ts';
import { BlueRings, type Words } from '../../support/blueRdma/blueRings.ts';
import { BlueWorld } from '../../support/blueRdma/blueWorld.ts';

/** A command that does nothing but come back: its opcode is none. */
const nothing = (tag: number): Words => [0n, 0n, 0n, (0x8077n << 48n) | (BigInt(tag & 0xff) << 32n)];
const tagOf = ([, , , c3]: Words): number => Number((c3 >> 32n) & 0xffn);

describe('blue-rdma rings', () => {
  it('answer every command once and in order, however many are posted and taken at once', () => {
    const step = fc.record({ post: fc.nat(16), take: fc.nat(16) });
    fc.assert(
      fc.property(fc.constantFrom(16, 32, 64), fc.array(step, { maxLength: 40 }), (depth, steps) => {
        const w = new BlueWorld({ knobs: { RING_DEPTH: depth } });
        const rings = new BlueRings(w.hosts[0], depth);
        let posted = 0;
        let taken = 0;
        for (const { post, take } of [...steps, { post: 0, take: 1000 }, { post: 0, take: 1000 }]) {
          const fetched = w.nics[0].rings.commandRequest.pointers;
          w.scheduler.run();
          const n = Math.min(post, fetched.free);
          rings.post(
            COMMAND_REQUEST_RING,
            Array.from({ length: n }, (_, i) => nothing(posted + i)),
          );
          posted += n;
          w.scheduler.run();
          for (const response of rings.take(COMMAND_RESPONSE_RING, take)) {
            expect(tagOf(response)).to.equal(taken & 0xff);
            taken++;
          }
          w.scheduler.run();
        }
        while (taken < posted) {
          const found = rings.take(COMMAND_RESPONSE_RING);
          expect(found.length).to.be.greaterThan(0);
          for (const response of found) expect(tagOf(response)).to.equal(taken++ & 0xff);
          w.scheduler.run();
        }
        expect(rings.take(COMMAND_RESPONSE_RING)).to.deep.equal([]);
      }),
      { numRuns: 30 },
    );
  });

  it('are read and written within aligned blocks inside the ring', () => {
    const w = new BlueWorld({ knobs: { RING_DEPTH: 16 } });
    const rings = new BlueRings(w.hosts[0], 16);
    for (let round = 0; round < 9; round++) {
      rings.post(
        COMMAND_REQUEST_RING,
        Array.from({ length: 7 }, (_, i) => nothing(i)),
      );
      w.scheduler.run();
      rings.take(COMMAND_RESPONSE_RING);
      w.scheduler.run();
    }
    const { reads, writes } = w.hosts[0];
    for (const [accesses, block, base] of [
      [reads, 512, rings.slotAt(COMMAND_REQUEST_RING, 0)],
      [writes, 128, rings.slotAt(COMMAND_RESPONSE_RING, 0)],
    ] as const) {
      expect(accesses.length).to.be.greaterThan(8);
      for (const { lo, length } of accesses) {
        expect(Math.floor(lo / block)).to.equal(Math.floor((lo + length - 1) / block));
        expect([lo >= base, lo + length <= base + 16 * 32]).to.deep.equal([true, true]);
      }
    }
  });

  it('hold back when the response ring is full, and go on when it is drained', () => {
    const w = new BlueWorld({ knobs: { RING_DEPTH: 16, REPORT_FIFO: 8 } });
    const rings = new BlueRings(w.hosts[0], 16);
    for (let i = 0; i < 4; i++) {
      rings.post(
        COMMAND_REQUEST_RING,
        Array.from({ length: 16 }, (_, n) => nothing(16 * i + n)),
      );
      w.scheduler.run();
      if (w.nics[0].rings.commandRequest.pointers.used > 0) break;
    }
    const { pointers } = w.nics[0].rings.commandResponse;
    expect([pointers.used, pointers.free]).to.deep.equal([16, 0]);
    expect(w.hosts[0].writes.reduce((sum, { length }) => sum + length, 0)).to.equal(16 * 32);
    expect(rings.take(COMMAND_RESPONSE_RING).map(tagOf)).to.deep.equal(Array.from({ length: 16 }, (_, n) => n));
    w.scheduler.run();
    expect(rings.take(COMMAND_RESPONSE_RING).map(tagOf)[0]).to.equal(16);
  });

  it('keep their base while they hold something, and take pointers of their owner only', () => {
    const w = new BlueWorld();
    const rings = new BlueRings(w.hosts[0]);
    w.scheduler.run();
    const { pointers } = w.nics[0].rings.commandResponse;
    const { baseLo } = pointers;
    rings.post(COMMAND_REQUEST_RING, [nothing(1)]);
    w.scheduler.run();
    expect(w.nics[0].core.badAccesses).to.equal(0);
    const { bus } = { bus: w.hosts[0] };
    bus.barWrite(0, COMMAND_RESPONSE_RING + RING_REGISTER.baseLow, [0x9000]);
    bus.barWrite(0, COMMAND_RESPONSE_RING + RING_REGISTER.head, [3]);
    bus.barWrite(0, COMMAND_REQUEST_RING + RING_REGISTER.tail, [3]);
    bus.barWrite(0, 0x180, [1, 2]);
    w.scheduler.run();
    expect([pointers.baseLo, pointers.head, w.nics[0].core.badAccesses]).to.deep.equal([baseLo, 1, 4]);
  });

  it('answer registers that do not exist with 0', () => {
    const w = new BlueWorld();
    for (const at of [0x1a0, 0x3fc, 0x2000, 0xffc]) expect(w.nics[0].registers.read(0, at)).to.equal(0);
  });
});
