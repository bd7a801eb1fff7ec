/** The invariant CRC (roce-transport.md 2): of frames whose CRC is known, and of what comes of them when bits change. */
import type { CaseBench } from '../caseBench.ts';
import { type FrameParts, icrcIn, partsOf } from '../caseCodec.ts';
import { subject } from '../conformanceCase.ts';
import { ICRC_VECTORS } from '../icrcVectors.ts';

const RESIDUE = 0xdebb_20e3;
/** Every bit of longer frames would take long. */
const SHORT = 130;
const TAG = Uint8Array.of(0x81, 0x00, 0x20, 0x64);
const ADDRESSES = 12;

const FRAMES = ICRC_VECTORS.map(([name, hex]) => ({ name, frame: Uint8Array.from(Buffer.from(hex, 'hex')) }));

/** Bytes that may change on the way, with the bits that may; of IPv4 and IPv6 (2.1). */
function variantBytes({ version, network, udp, transport }: FrameParts): ReadonlyMap<number, number> {
  const ofNetwork: [number, number][] =
    version === 4
      ? [1, 8, 10, 11].map((at) => [network + at, 0xff])
      : [[network, 0x0f] as [number, number], ...[1, 2, 3, 7].map((at): [number, number] => [network + at, 0xff])];
  return new Map([...ofNetwork, [udp + 6, 0xff], [udp + 7, 0xff], [transport + 4, 0xff]]);
}

/** Changes each bit that `wanted` names, one at a time, and says whether the CRC must stay. */
function changeEach(t: CaseBench, stays: boolean): void {
  for (const { name, frame } of FRAMES.filter((each) => each.frame.length <= SHORT)) {
    const parts = partsOf(frame);
    const variant = variantBytes(parts);
    const before = t.codec.icrcOf(frame);
    for (let at = parts.network; at < parts.end; at++) {
      const bits = stays ? (variant.get(at) ?? 0) : 0xff & ~(variant.get(at) ?? 0);
      for (let bit = 1; bit < 0x100; bit <<= 1) {
        if ((bits & bit) === 0) continue;
        const changed = Uint8Array.from(frame);
        changed[at] = (changed[at] as number) ^ bit;
        const same = t.codec.icrcOf(changed, parts) === before;
        if (same !== stays)
          t.expect(false, `${name}: with bit ${bit} of byte ${at} changed the ICRC ${stays ? 'changes' : 'stays'}`);
      }
    }
    t.expectations++;
  }
}

export const INVARIANT_CRC = subject([], {
  // biome-ignore lint/correctness/useYield: nothing of it takes time
  *T_010(t) {
    for (const { name, frame } of FRAMES) {
      const { tagged, network } = partsOf(frame);
      const head = frame.subarray(0, ADDRESSES);
      const other = tagged ? [head, frame.subarray(network - 2)] : [head, TAG, frame.subarray(ADDRESSES)];
      t.expectEqual(`${name}: ICRC with and without a tag`, t.codec.icrcOf(Buffer.concat(other)), icrcIn(frame));
    }
  },
  // biome-ignore lint/correctness/useYield: nothing of it takes time
  *T_011(t) {
    for (const { name, frame } of FRAMES) t.expectEqual(`ICRC of ${name}`, t.codec.icrcOf(frame), icrcIn(frame));
  },
  // biome-ignore lint/correctness/useYield: nothing of it takes time
  *T_012(t) {
    changeEach(t, true);
  },
  // biome-ignore lint/correctness/useYield: nothing of it takes time
  *T_013(t) {
    changeEach(t, false);
  },
  // biome-ignore lint/correctness/useYield: nothing of it takes time
  *T_015(t) {
    for (const { name, frame } of FRAMES)
      t.expectEqual(`residue of ${name}`, t.codec.residueOf(frame, t.codec.icrcOf(frame)), RESIDUE);
  },
});
