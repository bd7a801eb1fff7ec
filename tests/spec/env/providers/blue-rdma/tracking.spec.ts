import { expect } from 'chai';
import fc from 'fast-check';
import { PsnWindows, WINDOW_STEP } from '../../../../../dut-model/blue-rdma/model/psnWindows.ts';
import { CHUNK_BYTES } from '../../../../../dut-model/blue-rdma/layout/limits.ts';
import { chunksOf, packetsOf, partsOf } from '../../../../../dut-model/blue-rdma/driver/tracking/messageCut.ts';
import { msnDistance, psnAfter, psnDistance } from '../../../../../dut-model/blue-rdma/driver/tracking/psn.ts';
import { PsnSet } from '../../../../../dut-model/blue-rdma/driver/tracking/psnSet.ts';
import { ReceiveTracker } from '../../../../../dut-model/blue-rdma/driver/tracking/receiveTracker.ts';
import { SendTracker } from '../../../../../dut-model/blue-rdma/driver/tracking/sendTracker.ts';
import { WindowBits } from '../../../../../dut-model/blue-rdma/driver/tracking/windowBits.ts';

const psn = fc.integer({ min: 0, max: 0xff_ffff });
const mtu = fc.constantFrom(256, 512, 1024, 2048, 4096);

describe('sequence numbers of the blue-rdma driver', () => {
  it('measure distances modulo their space', () => {
    fc.assert(
      fc.property(psn, fc.integer({ min: -(1 << 23), max: (1 << 23) - 1 }), (from, by) => {
        expect(psnDistance(from, psnAfter(from, by))).to.equal(by);
      }),
    );
    expect([msnDistance(0xffff, 0), msnDistance(0, 0xffff), msnDistance(5, 5)]).to.deep.equal([1, -1, 0]);
  });
});

describe('set of PSNs', () => {
  it('holds what was added, in any order, and begins at the first that is missing', () => {
    const change = fc.oneof(
      fc.record({ at: fc.nat(700), count: fc.constant(1) }),
      fc.record({ at: fc.integer({ min: -50, max: 400 }), count: fc.nat(200) }),
    );
    fc.assert(
      fc.property(psn, fc.array(change, { maxLength: 60 }), (start, changes) => {
        const set = new PsnSet(start);
        const known = new Set<number>();
        for (const { at, count } of changes) {
          if (count === 1) {
            expect(set.add(psnAfter(start, at))).to.equal(at >= 0 && !known.has(at));
          } else set.addRange(psnAfter(start, at), psnAfter(start, at + count));
          for (let i = Math.max(0, at); i < at + count; i++) known.add(i);
          let base = 0;
          while (known.has(base)) base++;
          expect(psnDistance(start, set.base)).to.equal(base);
        }
        for (let i = 0; i < 900; i++) expect(set.has(psnAfter(start, i))).to.equal(known.has(i));
      }),
    );
  });
});

describe('cutting of messages', () => {
  it('gives the chunks of the published examples', () => {
    const chunks = (r: number, length: number, p: number): number[][] =>
      chunksOf(r, length, p, CHUNK_BYTES).map((part) => [
        part.length,
        part.packet,
        packetsOf(r + part.offset, part.length, p),
      ]);
    expect(chunks(0xf00, 0x30000, 4096)).to.deep.equal([
      [61696, 0, 16],
      [65536, 16, 16],
      [65536, 32, 16],
      [3840, 48, 1],
    ]);
    expect(chunks(0, 131072, 4096)).to.deep.equal([
      [65536, 0, 16],
      [65536, 16, 16],
    ]);
    expect(chunks(4095, 2, 4096)).to.deep.equal([[2, 0, 2]]);
    expect(chunks(1, 65536, 256)).to.deep.equal([
      [65535, 0, 256],
      [1, 256, 1],
    ]);
    expect(chunks(7, 0, 1024)).to.deep.equal([[0, 0, 1]]);
  });

  it('covers every byte once; parts start at packets, and are no longer than a chunk', () => {
    const address = fc.integer({ min: 0, max: 0x7fff_ffff });
    fc.assert(
      fc.property(address, fc.nat(400_000), mtu, fc.nat(), fc.nat(), (lo, length, p, a, b) => {
        const total = packetsOf(lo, length, p);
        const from = a % total;
        const count = 1 + (b % (total - from));
        const sets = [{ parts: chunksOf(lo, length, p, CHUNK_BYTES), packet: 0, end: total }];
        if (length > 0)
          sets.push({
            parts: partsOf({ remoteLo: lo, length }, p, from, count, CHUNK_BYTES),
            packet: from,
            end: from + count,
          });
        for (const { parts, packet, end } of sets) {
          let next = packet;
          let offset = parts[0]?.offset;
          for (const part of parts) {
            expect([part.packet, part.offset]).to.deep.equal([next, offset]);
            expect(part.length).to.be.at.most(65536);
            expect(part.first).to.equal(part.offset === 0);
            expect(part.last).to.equal(part.offset + part.length === length);
            if (!part.first) expect((lo + part.offset) % p).to.equal(0);
            next += packetsOf(lo + part.offset, part.length, p);
            offset = part.offset + part.length;
          }
          expect(next).to.equal(end);
        }
      }),
    );
  });
});

/** A receive queue of the NIC and what a driver is told of it: every report, also to the peer. */
function receiver(start: number): {
  windows: PsnWindows;
  now: WindowBits;
  before: WindowBits;
  show: () => void;
} {
  const windows = new PsnWindows(1);
  windows.reset(0, start);
  const now = new WindowBits();
  const before = new WindowBits();
  const show = (): void => {
    for (let n = 0; n < 4; n++) {
      now.words[n] = windows.word(0, n);
      before.words[n] = windows.before[n] as number;
    }
    now.place(windows.psnNow(0));
    before.place(windows.psnBefore);
  };
  return { windows, now, before, show };
}

const arrivals = fc.array(fc.record({ lost: fc.boolean(), late: fc.nat(200) }), { minLength: 1, maxLength: 600 });

/** PSNs in the order of their arrival, of those that arrive. */
function orderOf(packets: readonly { lost: boolean; late: number }[], everyth: number): number[] {
  return packets
    .map(({ lost, late }, n) => ({ n, lost: lost && n % everyth === 0, at: n + (late > 190 ? late : late % 20) }))
    .filter(({ lost }) => !lost)
    .sort((a, b) => a.at - b.at || a.n - b.n)
    .map(({ n }) => n);
}

describe('trackers of the blue-rdma driver', () => {
  it('say of no packet that it has been received which was not, and know all that the bitmaps have shown', () => {
    fc.assert(
      fc.property(psn, arrivals, fc.integer({ min: 1, max: 30 }), (any, packets, everyth) => {
        const start = any & ~15;
        const { windows, now, before, show } = receiver(start);
        const own = new ReceiveTracker(start);
        const peer = new SendTracker(start);
        peer.next = psnAfter(start, packets.length);
        peer.given = peer.next;
        const seen = new Set<number>();
        let behind = 0;
        let sequence = 0;
        for (const n of orderOf(packets, everyth)) {
          const step = windows.accept(0, psnAfter(start, n));
          seen.add(n);
          if (step === WINDOW_STEP.behind) behind++;
          if (step !== WINDOW_STEP.lost) continue;
          show();
          own.localNak(before, now);
          expect(peer.hardwareNak(sequence++, before, now)).to.equal(true);
          for (let i = 0; i < packets.length; i++) {
            const at = psnAfter(start, i);
            if (own.received.has(at) || peer.acknowledged.has(at)) expect(seen.has(i)).to.equal(true);
          }
        }
        show();
        own.localAck(now);
        const known = [...seen].filter((i) => own.received.has(psnAfter(start, i))).length;
        expect(known).to.be.at.least(seen.size - behind);
        for (let i = 0; i < packets.length; i++) {
          if (own.received.has(psnAfter(start, i))) expect(seen.has(i)).to.equal(true);
        }
      }),
    );
  });

  it('draw no conclusions from what slid out of the window when a report of a loss was lost', () => {
    fc.assert(
      fc.property(
        arrivals,
        fc.integer({ min: 1, max: 30 }),
        fc.infiniteStream(fc.boolean()),
        (packets, everyth, drops) => {
          const { windows, now, before, show } = receiver(0);
          const peer = new SendTracker(0);
          peer.next = packets.length;
          peer.given = peer.next;
          const seen = new Set<number>();
          let sequence = 0;
          for (const n of orderOf(packets, everyth)) {
            seen.add(n);
            if (windows.accept(0, n) !== WINDOW_STEP.lost) continue;
            show();
            const own = sequence++;
            if (drops.next().value === true) continue;
            peer.hardwareNak(own, before, now);
            for (let i = 0; i < packets.length; i++) if (peer.acknowledged.has(i)) expect(seen.has(i)).to.equal(true);
          }
        },
      ),
    );
  });

  it('send again what left the window and is missing, and nothing that may be under way', () => {
    const { windows, now, before, show } = receiver(0);
    const peer = new SendTracker(0);
    peer.next = 1000;
    peer.given = 1000;
    for (let n = 0; n <= 128; n++) if (n !== 5 && n !== 7 && n !== 120) windows.accept(0, n);
    show();
    expect(peer.hardwareNak(0, before, now)).to.equal(true);
    expect(peer.toResend('selective', before, now)).to.deep.equal([
      { first: 5, count: 1 },
      { first: 7, count: 1 },
    ]);
    expect(peer.toResend('hull', before, now)).to.deep.equal([{ first: 5, count: 139 }]);
    expect(peer.toResend('gbn', before, now)).to.deep.equal([{ first: 5, count: 995 }]);
    expect(peer.hardwareNak(0, before, now)).to.equal(false);
  });
});
