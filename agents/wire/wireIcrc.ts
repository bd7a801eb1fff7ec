import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** CRC-32 of the eight bytes of ones that stand for the link header (roce-transport.md 2.1). */
const LINK_HEADER_CRC = 0x2144df1c;
/** Packets up to this size are copied and checked in one piece. */
const ONE_PIECE = 256;
/** Bytes of the base transport header up to the last one with a field that routers may change. */
const CHANGED_OF_TRANSPORT = 5;
/** What is copied of longer ones: more than all headers of a packet. */
const HEADERS = 96;

/**
 * The invariant CRC of RoCE: CRC-32 over the packet with the fields that routers may change set to ones. It needs a
 * copy of the headers, which begins at a word, so that they can be read from it by words too.
 */
export class WireIcrc {
  /** Where the copy begins in the 32-bit words of the byte store. Its fields are as on the wire until `finish`. */
  readonly words: number;
  readonly #bytes: ByteStore;
  readonly #scratch: number;
  #copied = 0;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
    this.#scratch = bytes.alloc(ONE_PIECE);
    this.words = this.#scratch >>> 2;
  }

  /** Copies the headers of the packet whose network header is at `network`; `length` bytes may be read. */
  load(network: number, length: number): void {
    const copied = length <= ONE_PIECE ? length : HEADERS;
    this.#copied = copied;
    this.#bytes.copy(this.#scratch, network, copied);
  }

  /**
   * The CRC of the packet that was loaded, up to `end`, where the ICRC field begins. Can be had once for each `load`.
   * @param version 4 or 6; a RoCE v1 global route header counts as 6
   * @param transport offset of the base transport header; UDP, if there is any, lies just before it
   * @returns a signed 32-bit integer, the field read least significant byte first
   */
  finish(version: number, network: number, transport: number, end: number): number {
    const bytes = this.#bytes;
    const copied = this.#copied;
    const length = end - network;
    this.#mask(bytes.i32, version, transport - network);
    if (length <= copied) return bytes.crc32(LINK_HEADER_CRC, this.#scratch, length) | 0;
    // What is changed is short: of the copy no more than that, since long runs cost less for each byte.
    const changed = transport - network + CHANGED_OF_TRANSPORT;
    const crc = bytes.crc32(LINK_HEADER_CRC, this.#scratch, changed);
    return bytes.crc32(crc, network + changed, length - changed) | 0;
  }

  /** `load` and `finish` of a packet that nobody reads. */
  compute(version: number, network: number, transport: number, end: number): number {
    this.load(network, end - network);
    return this.finish(version, network, transport, end);
  }

  /** Sets the bits of the copy; the first byte of a word is its lowest. @param transport bytes before that header */
  #mask(w: Int32Array, version: number, transport: number): void {
    const at = this.words;
    if (version === 4) {
      w[at] = (w[at] as number) | 0xff00;
      w[at + 2] = (w[at + 2] as number) | 0xffff_00ff;
    } else {
      w[at] = (w[at] as number) | 0xffff_ff0f;
      w[at + 1] = (w[at + 1] as number) | 0xff00_0000;
    }
    const bth = at + (transport >> 2);
    if (transport !== 40) w[bth - 1] = (w[bth - 1] as number) | 0xffff_0000;
    w[bth + 1] = (w[bth + 1] as number) | 0xff;
  }
}
