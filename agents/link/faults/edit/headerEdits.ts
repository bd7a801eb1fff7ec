/** The changes that rules make in frames: a byte or field, missing payload, a mark of congestion, and what repairs them. */

import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { rightIpv4Checksum } from '../../../wire/internetChecksum.ts';
import { WireIcrc } from '../../../wire/wireIcrc.ts';
import type { FrameHeaders } from '../frame/frameHeaders.ts';
import type { FaultAction } from '../rule/faultRule.ts';
import { extendedOffset, HEADER_FIELDS, type HeaderField } from '../rule/headerFields.ts';
import type { HeaderEdit } from './frameEdits.ts';

/** Ethernet frames are no shorter, without their check sequence. */
const MIN_FRAME = 60;
const UDP_AND_TRANSPORT = 20;
const ICRC_BYTES = 4;

/** `corrupt` with everything decided: byte or field, and either `xor` or `set`. */
export type ResolvedCorruption = FaultAction<'corrupt'>;

/** Makes the edits of one run. */
export class HeaderEdits {
  readonly #bytes: ByteStore;
  readonly #icrc: WireIcrc;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
    this.#icrc = new WireIcrc(bytes);
  }

  /** Marks a frame that is capable of it: congestion experienced. */
  readonly mark: HeaderEdit = (h, _data, length) => {
    const { u8 } = this.#bytes;
    const at = h.network + 1;
    u8[at] = (u8[at] as number) | (h.version === 4 ? 3 : 0x30);
    this.#repairIp(h);
    return length;
  };

  /** Changes one byte or field. */
  corrupt(how: ResolvedCorruption): HeaderEdit {
    return (h, _data, length) => {
      const place = placeOf(how, h);
      if (place === undefined) return length;
      const before = this.#read(place.at, place.bytes);
      const { mask } = place;
      const value = how.set === null ? before ^ shifted(how.xor ?? 1, mask) : (before & ~mask) | shifted(how.set, mask);
      this.#write(place.at, place.bytes, value);
      if (how.repaired === true) this.#repair(h);
      return length;
    };
  }

  /** Takes the last `cut` bytes of the payload away. */
  truncate({ cut, repaired }: FaultAction<'truncate'>): HeaderEdit {
    return (h, data, length) => {
      if (cut > h.payloadLength) return length;
      if (repaired !== true) return length - cut;
      return this.#shorten(h, data, h.payloadLength - cut);
    };
  }

  /** Gives the packet another payload length, and everything that says so. */
  #shorten(h: FrameHeaders, data: number, payload: number): number {
    const { u8 } = this.#bytes;
    const pad = (4 - (payload % 4)) % 4;
    const icrc = h.payload + payload + pad;
    u8.fill(0, h.payload + payload, icrc);
    u8[h.transport + 1] = ((u8[h.transport + 1] as number) & ~0x30) | (pad << 4);
    const datagram = icrc + ICRC_BYTES - h.udp;
    this.#write(h.udp + 4, 2, datagram);
    if (h.version === 4) this.#write(h.network + 2, 2, datagram + (h.udp - h.network));
    else this.#write(h.network + 4, 2, datagram);
    h.icrc = icrc;
    this.#repair(h);
    const end = icrc + ICRC_BYTES;
    const length = end - data;
    if (length >= MIN_FRAME) return length;
    u8.fill(0, end, data + MIN_FRAME);
    return MIN_FRAME;
  }

  #repair(h: FrameHeaders): void {
    this.#repairIp(h);
    if (h.icrc < h.udp + UDP_AND_TRANSPORT) return;
    const crc = this.#icrc.compute(h.version, h.network, h.transport, h.icrc);
    const { u8 } = this.#bytes;
    for (let i = 0; i < ICRC_BYTES; i++) u8[h.icrc + i] = crc >>> (8 * i);
  }

  #repairIp({ version, network }: FrameHeaders): void {
    if (version === 4) this.#write(network + 10, 2, rightIpv4Checksum(this.#bytes.u8, network));
  }

  #read(at: number, bytes: number): number {
    const { u8 } = this.#bytes;
    let value = 0;
    for (let i = 0; i < bytes; i++) value = (value << 8) | (u8[at + i] as number);
    return value;
  }

  #write(at: number, bytes: number, value: number): void {
    const { u8 } = this.#bytes;
    for (let i = 0; i < bytes; i++) u8[at + i] = value >>> (8 * (bytes - 1 - i));
  }
}

/** Where a corruption takes hold of a packet, and the bits that it may change; undefined where the packet has no such place. */
export function placeOf(
  { field, byte }: Pick<ResolvedCorruption, 'field' | 'byte'>,
  h: FrameHeaders,
): { at: number; bytes: number; mask: number } | undefined {
  if (field === 'payload' || field === 'packet' || field === 'icrc') {
    const [start, length] = bytesOf(field, h);
    const n = byte ?? 0;
    return n < length ? { at: start + n, bytes: 1, mask: 0xff } : undefined;
  }
  const known: HeaderField = HEADER_FIELDS[field];
  const at = fieldOffset(known, h);
  return at < 0 ? undefined : { at, bytes: known.bytes, mask: known.mask };
}

/** Start and length of what `byte` counts in. */
export function bytesOf(
  field: 'payload' | 'packet' | 'icrc',
  h: FrameHeaders,
): readonly [start: number, length: number] {
  if (field === 'icrc') return [h.icrc, ICRC_BYTES];
  if (field === 'payload') return [h.payload, h.payloadLength];
  return [h.transport, h.icrc + ICRC_BYTES - h.transport];
}

function fieldOffset({ part, at, at6 }: HeaderField, h: FrameHeaders): number {
  if (part === 'ip') {
    const offset = h.version === 6 && at6 !== undefined ? at6 : at;
    return offset < 0 ? -1 : h.network + offset;
  }
  if (part === 'udp') return h.udp + at;
  if (part === 'bth') return h.transport + at;
  const offset = extendedOffset(part, h.flags);
  return offset < 0 ? -1 : h.transport + offset + at;
}

/** A value at the bits of a field. */
function shifted(value: number, mask: number): number {
  let m = mask;
  let v = value;
  while ((m & 1) === 0) {
    m >>>= 1;
    v <<= 1;
  }
  return v & mask;
}
