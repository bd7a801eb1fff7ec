/**
 * The invariant CRC as the harness computes it (`agents/wire`), of frames that a case has written, and bugs of it that no NIC can
 * have (`+CASE_BUG`): each changes what is computed over, or what comes of it.
 */
import { WireIcrc } from '../../agents/wire/wireIcrc.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** Bytes of the longest frame of a case. */
const MOST_BYTES = 512;
/** Frames lie so that their network header begins at a word. */
const ETHERNET = 14;
const TAG = 4;
const ICRC = 4;
const IPV4 = { type: 0x0800, bytes: 20 } as const;
const IPV6_BYTES = 40;
const ETHERTYPE_VLAN = 0x8100;
const UDP = 8;

/** Where things are in a frame of RoCEv2. */
export interface FrameParts {
  readonly tagged: boolean;
  readonly version: 4 | 6;
  readonly network: number;
  readonly udp: number;
  /** Base transport header. */
  readonly transport: number;
  /** Of the ICRC field. */
  readonly end: number;
}

/** Finds the headers of a frame; the ICRC by the length of UDP, as the frame may be filled up. */
export function partsOf(frame: Uint8Array): FrameParts {
  const view = viewOf(frame);
  const tagged = view.getUint16(12) === ETHERTYPE_VLAN;
  const network = ETHERNET + (tagged ? TAG : 0);
  const version = view.getUint16(network - 2) === IPV4.type ? 4 : 6;
  const udp = network + (version === 4 ? IPV4.bytes : IPV6_BYTES);
  const end = udp + view.getUint16(udp + 4) - ICRC;
  return { tagged, version, network, udp, transport: udp + UDP, end };
}

/** The ICRC that a frame has. */
export function icrcIn(frame: Uint8Array): number {
  return viewOf(frame).getInt32(partsOf(frame).end, true);
}

function viewOf(frame: Uint8Array): DataView {
  return new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
}

/** What a codec that has a bug computes over in place of a frame, and what it makes of the CRC. */
interface CodecBug {
  covered?(frame: Uint8Array, parts: FrameParts): Uint8Array;
  result?(crc: number, frame: Uint8Array, parts: FrameParts): number;
}

const BUGS: Readonly<Record<string, CodecBug>> = {
  /** The last inversion is left out. */
  icrc_not_inverted: { result: (crc) => ~crc },
  /** Time to live and hop limit are covered. */
  icrc_covers_ttl: {
    result: (crc, frame, { version, network }) => crc ^ (frame[network + (version === 4 ? 8 : 7)] as number),
  },
  /** The last byte of the PSN is not covered. */
  icrc_without_psn: { covered: (frame, { transport }) => frame.with(transport + 11, 0) },
  /** The VLAN tag is covered. */
  icrc_covers_tag: {
    result: (crc, frame, { tagged }) => (tagged ? crc ^ ETHERTYPE_VLAN ^ (frame[15] as number) : crc),
  },
  /** The field is written with its highest byte first. */
  icrc_swapped: { result: (crc) => (crc << 24) | ((crc & 0xff00) << 8) | ((crc >>> 8) & 0xff00) | (crc >>> 24) },
};

/** Names of the bugs. */
export const CODEC_BUGS: readonly string[] = Object.keys(BUGS);

export class CaseCodec {
  readonly #bytes: ByteStore;
  readonly #at: number;
  readonly #icrc: WireIcrc;
  readonly #bug: string;

  /** @param bug one of `CODEC_BUGS`; any other word for none */
  constructor(bytes: ByteStore, bug: string) {
    this.#bytes = bytes;
    this.#at = bytes.alloc(MOST_BYTES, 4);
    this.#icrc = new WireIcrc(bytes);
    this.#bug = bug;
  }

  /** The ICRC that a frame must have, as a signed number; the parts of another frame tell where its headers are. */
  icrcOf(frame: Uint8Array, parts = partsOf(frame)): number {
    const bug = Object.hasOwn(BUGS, this.#bug) ? (BUGS[this.#bug] as CodecBug) : {};
    const crc = this.#compute(bug.covered?.(frame, parts) ?? frame, parts, parts.end);
    return (bug.result?.(crc, frame, parts) ?? crc) | 0;
  }

  /** What is left in the register behind a frame that ends with this ICRC. */
  residueOf(frame: Uint8Array, icrc: number): number {
    const parts = partsOf(frame);
    const closed = Uint8Array.from(frame);
    viewOf(closed).setInt32(parts.end, icrc, true);
    return ~this.#compute(closed, parts, parts.end + ICRC) >>> 0;
  }

  #compute(frame: Uint8Array, { version, network, transport }: FrameParts, end: number): number {
    // Two bytes of slack, or of the next four where there is a tag.
    const at = this.#at + 2;
    this.#bytes.u8.set(frame, at);
    return this.#icrc.compute(version, at + network, at + transport, at + end);
  }
}
