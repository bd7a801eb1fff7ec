import { closeSync, openSync, writeSync } from 'node:fs';
import { withNamedFile } from '../../uvm/base/namedFile.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { FrameItem } from './linkItems.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { NS } from '../../uvm/kernel/time.ts';
import { isRoceFrame } from '../wire/roceFrame.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
const LINKTYPE_ETHERNET = 1;
const OPTION_NAME = 2;
const OPTION_TIME_RESOLUTION = 9;
/** Flags of a packet: which way it went. */
const OPTION_FLAGS = 2;
const INBOUND = 1;
const OUTBOUND = 2;
/** Comments of frames that are none of a NIC's own. */
const OPTION_COMMENT = 1;
const RAW_COMMENT = commentOption('raw: software has built this frame');
const INJECTED_COMMENT = commentOption('injected: no NIC has sent this packet');
const NO_COMMENT = new Uint8Array(0);
/** Time stamps count 10^-9 s. */
const NANOSECONDS = 9;
/** Kernels take pieces of this size several times faster than larger ones, and it stays in the processor's cache. */
const BUFFER_BYTES = 1 << 16;
/** Packet block without its data: header, then the flags, the end of the options, and the length again. */
const BLOCK_OVERHEAD = 44;

/**
 * Writes frames to a pcapng file (IETF draft-ietf-opsawg-pcapng) with one interface per host and port and nanosecond time
 * stamps. Each frame is there twice: outbound as its NIC sends it, and inbound as it reaches another, unless the link loses it. A frame
 * of another protocol than RoCEv2 is one that software has built, and has a comment that says so; an injected one has another, and
 * is inbound alone. In the byte order of the machine, buffered, synchronous. Connect `LinkAgent.frames` to it, and `arrivals` by way
 * of `ArrivedFrames`, both through one `FrameOrder`.
 */
export class PcapWriter implements Subscriber<FrameItem> {
  /** Frames written. */
  frames = 0;
  readonly #bytes: ByteStore;
  /** Byte-store offset of what is not in the file yet, a multiple of 4 as all blocks are. */
  readonly #buffer: number;
  #used = 0;
  readonly #path: string;
  readonly #hosts: number;
  #file: number;

  /**
   * Creates or replaces the file and writes its headers.
   * @param interfaces name of each host's interface, for example `host0`; of more ports those of port 2 behind all of port 1, and so on
   * @param hosts number of hosts. Default: there are no more ports
   * @throws the error of the file system when the file cannot be opened
   */
  constructor(path: string, bytes: ByteStore, interfaces: readonly string[], hosts = interfaces.length) {
    this.#bytes = bytes;
    this.#hosts = hosts;
    this.#buffer = bytes.alloc(BUFFER_BYTES, 4);
    this.#path = path;
    this.#file = openSync(path, 'w');
    this.#sectionHeader();
    for (const name of interfaces) this.#interface(name);
  }

  /** Appends a frame as sent by `frame.host`, or as it arrives there. Nothing happens after `close`. */
  write(frame: FrameItem): void {
    if (this.#file < 0) return;
    const padded = (frame.length + 3) & ~3;
    const comment = this.#commentOf(frame);
    const total = BLOCK_OVERHEAD + padded + comment.length;
    if (this.#used + total > BUFFER_BYTES) this.flush();
    const at = this.#buffer + this.#used;
    const ns = Math.floor(frame.time / NS);
    const { i32 } = this.#bytes;
    const head = at >>> 2;
    const tail = (at + total) >>> 2;
    i32[head] = ENHANCED_PACKET;
    i32[head + 1] = total;
    i32[head + 2] = frame.host + (frame.port - 1) * this.#hosts;
    i32[head + 3] = Math.floor(ns / TWO_32);
    i32[head + 4] = ns;
    i32[head + 5] = frame.length;
    i32[head + 6] = frame.length;
    // The padding; what of this word belongs to the frame is overwritten.
    i32[tail - 5 - (comment.length >>> 2)] = 0;
    this.#bytes.copy(at + 28, frame.data, frame.length);
    this.#bytes.u8.set(comment, at + 28 + padded);
    i32[tail - 4] = OPTION_FLAGS | (4 << 16);
    i32[tail - 3] = frame.arrives ? INBOUND : OUTBOUND;
    i32[tail - 2] = 0;
    i32[tail - 1] = total;
    this.#used += total;
    this.frames++;
  }

  #commentOf({ injected, data, length }: FrameItem): Uint8Array {
    if (injected) return INJECTED_COMMENT;
    return isRoceFrame(this.#bytes.u8, data, length) ? NO_COMMENT : RAW_COMMENT;
  }

  /**
   * Passes what is buffered on to the operating system.
   * @throws Error that names the file when it cannot be written
   */
  flush(): void {
    withNamedFile(`capture ${this.#path}`, () => this.#writeOut());
    this.#used = 0;
  }

  #writeOut(): void {
    let at = 0;
    while (at < this.#used) at += writeSync(this.#file, this.#bytes.u8, this.#buffer + at, this.#used - at);
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
    const at = this.#buffer + this.#used;
    this.#bytes.zero(at, padded);
    this.#bytes.u8.set(text, at);
    this.#used += padded;
    this.#words(OPTION_TIME_RESOLUTION | (1 << 16), NANOSECONDS, 0, total);
  }

  #words(...words: number[]): void {
    this.#bytes.i32.set(words, (this.#buffer + this.#used) >>> 2);
    this.#used += words.length * 4;
  }
}

/** Type, length, text, and zeros up to whole words. */
function commentOption(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  const option = Buffer.alloc(4 + ((bytes.length + 3) & ~3));
  option.writeUInt16LE(OPTION_COMMENT, 0);
  option.writeUInt16LE(bytes.length, 2);
  bytes.copy(option, 4);
  return option;
}
