import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** CRC-32 of the eight bytes of ones that stand for the link header (roce-transport.md 2.1). */
const LINK_HEADER_CRC = 0x2144df1c;
/** Packets up to this size are masked and checked in one piece. */
const ONE_PIECE = 256;

/** The invariant CRC of RoCE: CRC-32 over the packet with the fields that routers may change set to ones. */
export class WireIcrc {
  readonly #bytes: ByteStore;
  readonly #scratch: number;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
    this.#scratch = bytes.alloc(ONE_PIECE);
  }

  /**
   * The CRC of the packet from its network header up to `end`, where the ICRC field begins.
   * @param version 4 or 6; a RoCE v1 global route header counts as 6
   * @param transport offset of the base transport header; UDP, if there is any, lies just before it
   * @returns a signed 32-bit integer, the field read least significant byte first
   */
  compute(version: number, network: number, transport: number, end: number): number {
    const bytes = this.#bytes;
    const scratch = this.#scratch;
    const whole = end - network <= ONE_PIECE;
    const copied = (whole ? end : transport + 12) - network;
    bytes.copy(scratch, network, copied);
    this.#mask(version, transport - network);
    const crc = bytes.crc32(LINK_HEADER_CRC, scratch, copied);
    return (whole ? crc : bytes.crc32(crc, transport + 12, end - transport - 12)) | 0;
  }

  #mask(version: number, transport: number): void {
    const u8 = this.#bytes.u8;
    const at = this.#scratch;
    const bth = at + transport;
    if (version === 4) {
      u8[at + 1] = 0xff;
      u8[at + 8] = 0xff;
      u8[at + 10] = 0xff;
      u8[at + 11] = 0xff;
    } else {
      u8[at] = (u8[at] as number) | 0x0f;
      u8[at + 1] = 0xff;
      u8[at + 2] = 0xff;
      u8[at + 3] = 0xff;
      u8[at + 7] = 0xff;
    }
    if (transport !== 40) {
      u8[bth - 2] = 0xff;
      u8[bth - 1] = 0xff;
    }
    u8[bth + 4] = 0xff;
  }
}
