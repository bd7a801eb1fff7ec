import { closeSync, openSync, writeSync } from 'node:fs';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { FrameItem } from './linkItems.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
const LINKTYPE_ETHERNET = 1;
const OPTION_NAME = 2;
const OPTION_TIME_RESOLUTION = 9;
/** Time stamps count 10^-9 s. */
const NANOSECONDS = 9;
const PS_PER_NS = 1000;
const TWO_32 = 2 ** 32;
const BUFFER_BYTES = 1 << 20;
/** Packet block without its data: header, then the length again. */
const BLOCK_OVERHEAD = 32;

/**
 * Writes frames to a pcapng file (IETF draft-ietf-opsawg-pcapng) with one interface per host and nanosecond time
 * stamps. Little-endian on every machine, buffered, synchronous. Connect `LinkAgent.frames` to it.
 */
export class PcapWriter implements Subscriber<FrameItem> {
  /** Frames written. */
  frames = 0;
  readonly #bytes: ByteStore;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #used = 0;
  #file: number;

  /**
   * Creates or replaces the file and writes its headers.
   * @param interfaces name of each host's interface, for example `host0`
   * @throws the error of the file system when the file cannot be opened
   */
  constructor(path: string, bytes: ByteStore, interfaces: readonly string[]) {
    this.#bytes = bytes;
    this.#file = openSync(path, 'w');
    this.#sectionHeader();
    for (const name of interfaces) this.#interface(name);
  }

  /** Appends a frame as sent by `frame.host`. Nothing happens after `close`. */
  write(frame: FrameItem): void {
    if (this.#file < 0) return;
    const padded = (frame.length + 3) & ~3;
    const total = BLOCK_OVERHEAD + padded;
    if (this.#used + total > BUFFER_BYTES) this.flush();
    const buffer = this.#buffer;
    const at = this.#used;
    const ns = Math.floor(frame.time / PS_PER_NS);
    buffer.writeUInt32LE(ENHANCED_PACKET, at);
    buffer.writeUInt32LE(total, at + 4);
    buffer.writeUInt32LE(frame.host, at + 8);
    buffer.writeUInt32LE(Math.floor(ns / TWO_32), at + 12);
    buffer.writeUInt32LE(ns % TWO_32, at + 16);
    buffer.writeUInt32LE(frame.length, at + 20);
    buffer.writeUInt32LE(frame.length, at + 24);
    buffer.set(this.#bytes.u8.subarray(frame.data, frame.data + frame.length), at + 28);
    buffer.fill(0, at + 28 + frame.length, at + 28 + padded);
    buffer.writeUInt32LE(total, at + 28 + padded);
    this.#used = at + total;
    this.frames++;
  }

  /** Passes what is buffered on to the operating system. */
  flush(): void {
    let at = 0;
    while (at < this.#used) at += writeSync(this.#file, this.#buffer, at, this.#used - at);
    this.#used = 0;
  }

  /** Flushes and closes. Closing twice is allowed. */
  close(): void {
    if (this.#file < 0) return;
    this.flush();
    closeSync(this.#file);
    this.#file = -1;
  }

  #sectionHeader(): void {
    const total = 28;
    this.#words(SECTION_HEADER, total, BYTE_ORDER_MAGIC, 1, 0xffff_ffff, 0xffff_ffff, total);
  }

  #interface(name: string): void {
    const text = Buffer.from(name, 'utf8').subarray(0, 255);
    const padded = (text.length + 3) & ~3;
    const total = 36 + padded;
    this.#words(INTERFACE_DESCRIPTION, total, LINKTYPE_ETHERNET, 0);
    this.#words(OPTION_NAME | (text.length << 16));
    this.#buffer.fill(0, this.#used, this.#used + padded);
    this.#buffer.set(text, this.#used);
    this.#used += padded;
    this.#words(OPTION_TIME_RESOLUTION | (1 << 16), NANOSECONDS, 0, total);
  }

  #words(...words: number[]): void {
    for (const word of words) this.#used = this.#buffer.writeUInt32LE(word, this.#used);
  }
}
