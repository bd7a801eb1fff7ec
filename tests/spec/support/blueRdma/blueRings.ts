/** A driver by hand: rings at fixed places, descriptors as four 64-bit words. */
import { DESCRIPTOR_BYTES } from '../../../../dut-model/blue-rdma/layout/descriptors.ts';
import {
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  RAW_RECEIVE_RING,
  RAW_SEND_RING,
  REPORT_RING,
  RING_REGISTER,
  SEND_RING,
} from '../../../../dut-model/blue-rdma/layout/registers.ts';
import type { BlueHost } from './blueHost.ts';

/** Words c0 .. c3 of a descriptor. */
export type Words = readonly [bigint, bigint, bigint, bigint];

const PLACES: Readonly<Record<number, number>> = {
  [SEND_RING]: 0x100_0000,
  [REPORT_RING]: 0x110_0000,
  [COMMAND_REQUEST_RING]: 0x120_0000,
  [COMMAND_RESPONSE_RING]: 0x130_0000,
  [RAW_SEND_RING]: 0x140_0000,
  [RAW_RECEIVE_RING]: 0x150_0000,
};

export class BlueRings {
  readonly #host: BlueHost;
  readonly #depth: number;
  readonly #pointers = new Map<number, number>();

  constructor(host: BlueHost, depth = 4096) {
    this.#host = host;
    this.#depth = depth;
    for (const [ring, at] of Object.entries(PLACES)) {
      host.put(0, at, new Uint8Array(depth * DESCRIPTOR_BYTES));
      host.barWrite(0, Number(ring) + RING_REGISTER.baseLow, [at]);
      host.barWrite(0, Number(ring) + RING_REGISTER.baseHigh, [0]);
    }
  }

  /** Physical address of a slot. */
  slotAt(ring: number, slot: number): number {
    return (PLACES[ring] as number) + (slot % this.#depth) * DESCRIPTOR_BYTES;
  }

  /** Puts descriptors behind the last ones; `ring` false leaves the head alone. */
  post(ring: number, descriptors: readonly Words[], ringHead = true): void {
    let at = this.#pointers.get(ring) ?? 0;
    for (const words of descriptors) {
      this.#host.put(0, this.slotAt(ring, at), toBytes(words));
      at = (at + 1) % (2 * this.#depth);
    }
    this.#pointers.set(ring, at);
    if (ringHead) this.setPointer(ring, at);
  }

  setPointer(ring: number, value: number): void {
    const toHost = [REPORT_RING, COMMAND_RESPONSE_RING, RAW_RECEIVE_RING].includes(ring);
    this.#host.barWrite(0, ring + (toHost ? RING_REGISTER.tail : RING_REGISTER.head), [value]);
  }

  /** Takes what the NIC has written, zeroes the slots and moves the tail. */
  take(ring: number, limit = Number.POSITIVE_INFINITY): Words[] {
    const taken: Words[] = [];
    let at = this.#pointers.get(ring) ?? 0;
    while (taken.length < limit) {
      const words = this.peek(ring, at);
      if (words[3] >> 63n === 0n) break;
      taken.push(words);
      this.#host.put(0, this.slotAt(ring, at), new Uint8Array(DESCRIPTOR_BYTES));
      at = (at + 1) % (2 * this.#depth);
    }
    this.#pointers.set(ring, at);
    if (taken.length > 0) this.setPointer(ring, at);
    return taken;
  }

  peek(ring: number, slot: number): Words {
    return toWords(this.#host.bytesAt(0, this.slotAt(ring, slot), DESCRIPTOR_BYTES));
  }
}

function toBytes(words: Words): Uint8Array {
  const out = new DataView(new ArrayBuffer(DESCRIPTOR_BYTES));
  words.forEach((word, i) => {
    out.setBigUint64(8 * i, word, true);
  });
  return new Uint8Array(out.buffer);
}

function toWords(bytes: Uint8Array): Words {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [0, 8, 16, 24].map((at) => view.getBigUint64(at, true)) as unknown as Words;
}
