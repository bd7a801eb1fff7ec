/**
 * pcapng: blocks of which the sections, the interfaces, the packets and the statistics count here. Interfaces belong to their
 * section; frames are numbered through all of them.
 */

import type { StoredFile } from '../../../files/storedFile.ts';
import { CaptureBytes, LONGEST_PACKET, wrongAt } from './captureBytes.ts';
import { CaptureClock, unitsPerSecond } from './captureClock.ts';
import { type CaptureFrame, type CaptureTotals, type Direction, DIRECTION, type FormatReader } from './captureFrame.ts';
import { LINKTYPE_ETHERNET } from './linkTypes.ts';

/** Block types; the first reads alike in both byte orders. */
export const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const OLD_PACKET = 2;
const SIMPLE_PACKET = 3;
const INTERFACE_STATISTICS = 5;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
const BLOCK_HEAD = 8;
const LEAST_BLOCK = 12;
const MOST_INTERFACES = 4096;

const OPTION_END = 0;
const OPT_COMMENT = 1;
const IF_NAME = 2;
const IF_TSRESOL = 9;
const IF_FCSLEN = 13;
const IF_TSOFFSET = 14;
const EPB_FLAGS = 2;
const EPB_DROPCOUNT = 4;
const PACK_FLAGS = 2;
const ISB_IFDROP = 5;
const DIRECTION_BITS = 3;
const MICROSECONDS = 6;
/** How the comments begin that captures of the testbench give to packets which it put in. */
const INJECTED = Buffer.from('injected: ');

interface Interface {
  readonly name: string;
  readonly linkType: number;
  /** Bytes of a packet that are captured at most; 0 = all. */
  readonly snapLength: number;
  readonly perSecond: bigint;
  readonly offset: bigint;
  readonly checkSequence: number;
}

/** A block: its body without the head and without the length at its end. */
interface Block {
  readonly type: number;
  readonly at: number;
  readonly body: Buffer;
}

/** Where the parts of a packet block are. */
interface PacketParts {
  readonly interfaceId: number;
  /** In units of the interface; undefined where the block tells none. */
  readonly time: bigint | undefined;
  readonly captured: number;
  readonly length: number;
  /** Offset of the packet in the body. */
  readonly data: number;
  readonly flagsOption: number;
}

export class PcapngReader implements FormatReader {
  readonly #bytes: CaptureBytes;
  readonly #clock = new CaptureClock();
  #isLittle = true;
  #interfaces: Interface[] = [];
  #frames = 0;
  #otherLinks = 0;
  #missed = 0;

  /** @param magic the type of the first block, which was read */
  constructor(file: StoredFile, magic: Buffer) {
    this.#bytes = new CaptureBytes(file);
    this.#section(magic.readUInt32BE(), 0);
  }

  get totals(): CaptureTotals {
    return { format: 'pcapng', frames: this.#frames, otherLinks: this.#otherLinks, missed: this.#missed };
  }

  next(frame: CaptureFrame): boolean {
    for (let block = this.#block(); block !== undefined; block = this.#block()) {
      if (block.type === INTERFACE_DESCRIPTION) this.#interface(block);
      else if (block.type === INTERFACE_STATISTICS) this.#statistics(block);
      else {
        const parts = this.#packet(block);
        if (parts !== undefined && this.#take(block, parts, frame)) return true;
      }
    }
    return false;
  }

  /** The next block that is no section; undefined at the end. */
  #block(): Block | undefined {
    const bytes = this.#bytes;
    for (;;) {
      if (bytes.isAtEnd) return undefined;
      const at = bytes.offset;
      const head = bytes.take(4, 'block type', this.#frames);
      const type = this.#word(head, 0);
      if (type === SECTION_HEADER) {
        this.#section(type, at);
        continue;
      }
      const total = this.#word(bytes.take(4, 'block length', this.#frames), 0);
      return { type, at, body: this.#body(at, total) };
    }
  }

  /** @param total length of the block, which begins at `at` */
  #body(at: number, total: number): Buffer {
    if (total < LEAST_BLOCK || total % 4 !== 0)
      throw wrongAt(at, this.#frames, `block length ${total}; a multiple of 4 from ${LEAST_BLOCK} on is right`);
    const rest = this.#bytes.take(total - BLOCK_HEAD, `block of ${total} B`, this.#frames);
    const again = this.#word(rest, rest.length - 4);
    if (again !== total)
      throw wrongAt(at, this.#frames, `block length ${total} at its beginning and ${again} at its end`);
    return rest.subarray(0, -4);
  }

  /** A section header whose type was read. It decides the byte order of all that follows. */
  #section(type: number, at: number): void {
    const bytes = this.#bytes;
    const [length, magic] = [Buffer.from(bytes.take(4, 'section header', this.#frames)), Buffer.alloc(4)];
    bytes.take(4, 'section header', this.#frames).copy(magic);
    this.#isLittle = magic.readUInt32LE() === BYTE_ORDER_MAGIC;
    if (!this.#isLittle && magic.readUInt32BE() !== BYTE_ORDER_MAGIC)
      throw wrongAt(at + 8, this.#frames, `byte-order magic 0x${magic.toString('hex')}; 0x1a2b3c4d is right`);
    const total = this.#word(length, 0);
    if (type !== SECTION_HEADER || total < 28 || total % 4 !== 0)
      throw wrongAt(at, this.#frames, `section header of ${total} B; a multiple of 4 from 28 on is right`);
    const rest = bytes.take(total - 12, 'section header', this.#frames);
    if (this.#word(rest, rest.length - 4) !== total) throw wrongAt(at, this.#frames, 'section header with two lengths');
    this.#interfaces = [];
  }

  #interface({ at, body }: Block): void {
    if (body.length < 8) throw wrongAt(at, this.#frames, 'interface description without its fields');
    if (this.#interfaces.length >= MOST_INTERFACES)
      throw wrongAt(at, this.#frames, `more than ${MOST_INTERFACES} interfaces in a section`);
    const options = this.#options(body, 8, at);
    const resolution = options.get(IF_TSRESOL)?.[0] ?? MICROSECONDS;
    const offset = options.get(IF_TSOFFSET);
    this.#interfaces.push({
      name: options.get(IF_NAME)?.toString('utf8') ?? '',
      linkType: this.#half(body, 0),
      snapLength: this.#word(body, 4),
      perSecond: unitsPerSecond(resolution),
      offset: offset?.length === 8 ? (this.#isLittle ? offset.readBigInt64LE() : offset.readBigInt64BE()) : 0n,
      checkSequence: options.get(IF_FCSLEN)?.[0] ?? 0,
    });
  }

  /** What was missed is counted; whoever captures says so at the end, if ever. */
  #statistics({ at, body }: Block): void {
    const drops = body.length < 12 ? undefined : this.#options(body, 12, at).get(ISB_IFDROP);
    if (drops?.length === 8) this.#missed += Number(this.#isLittle ? drops.readBigUInt64LE() : drops.readBigUInt64BE());
  }

  /** Undefined for other blocks, which say nothing of frames. */
  #packet({ type, at, body }: Block): PacketParts | undefined {
    const least = type === ENHANCED_PACKET || type === OLD_PACKET ? 20 : 4;
    if (type !== ENHANCED_PACKET && type !== OLD_PACKET && type !== SIMPLE_PACKET) return undefined;
    if (body.length < least) throw wrongAt(at, this.#frames, 'packet block without its fields');
    if (type === SIMPLE_PACKET) {
      const length = this.#word(body, 0);
      const snap = this.#interfaces[0]?.snapLength ?? 0;
      const captured = Math.min(length, body.length - 4, snap === 0 ? length : snap);
      return { interfaceId: 0, time: undefined, captured, length, data: 4, flagsOption: -1 };
    }
    const interfaceId = type === ENHANCED_PACKET ? this.#word(body, 0) : this.#half(body, 0);
    const time = (BigInt(this.#word(body, 4)) << 32n) | BigInt(this.#word(body, 8));
    const [captured, length] = [this.#word(body, 12), this.#word(body, 16)];
    const flagsOption = type === ENHANCED_PACKET ? EPB_FLAGS : PACK_FLAGS;
    return { interfaceId, time, captured, length, data: 20, flagsOption };
  }

  /** @returns whether the frame is one of Ethernet */
  #take({ at, body }: Block, parts: PacketParts, frame: CaptureFrame): boolean {
    const { interfaceId, captured, length, data } = parts;
    const known = this.#interfaces[interfaceId];
    if (known === undefined) {
      const count = this.#interfaces.length;
      throw wrongAt(at, this.#frames, `packet of interface ${interfaceId}; the section has described ${count}`);
    }
    if (captured > LONGEST_PACKET || captured > body.length - data)
      throw wrongAt(at, this.#frames, `captured length ${captured} in a block with ${body.length - data} B behind it`);
    if (captured > length)
      throw wrongAt(at, this.#frames, `captured length ${captured} of a frame of ${length} B; it can be no longer`);
    this.#frames++;
    const options = this.#options(body, data + ((captured + 3) & ~3), at);
    this.#missed += this.#dropped(options);
    if (known.linkType !== LINKTYPE_ETHERNET) {
      this.#otherLinks++;
      return false;
    }
    frame.number = this.#frames;
    frame.interfaceId = interfaceId;
    frame.interfaceName = known.name;
    frame.direction = this.#direction(options.get(parts.flagsOption));
    frame.injected = options.get(OPT_COMMENT)?.subarray(0, INJECTED.length).equals(INJECTED) ?? false;
    const { time } = parts;
    frame.time = time === undefined ? 0 : this.#clock.since(time, known.perSecond, known.offset);
    frame.length = Math.max(0, length - known.checkSequence);
    frame.bytes = body.subarray(data, data + Math.min(captured, frame.length));
    return true;
  }

  #dropped(options: ReadonlyMap<number, Buffer>): number {
    const drops = options.get(EPB_DROPCOUNT);
    if (drops?.length !== 8) return 0;
    return Number(this.#isLittle ? drops.readBigUInt64LE() : drops.readBigUInt64BE());
  }

  #direction(flags: Buffer | undefined): Direction {
    const bits = flags?.length === 4 ? this.#word(flags, 0) & DIRECTION_BITS : DIRECTION.unknown;
    return bits === DIRECTION.sent || bits === DIRECTION.received ? bits : DIRECTION.unknown;
  }

  /** The first value of each option. */
  #options(body: Buffer, from: number, at: number): ReadonlyMap<number, Buffer> {
    if (from >= body.length) return NO_OPTIONS;
    const options = new Map<number, Buffer>();
    for (let next = from; next + 4 <= body.length; ) {
      const [code, length] = [this.#half(body, next), this.#half(body, next + 2)];
      if (code === OPTION_END) break;
      if (length > body.length - next - 4)
        throw wrongAt(at, this.#frames, `option ${code} of ${length} B in a block with ${body.length - next - 4} left`);
      if (!options.has(code)) options.set(code, body.subarray(next + 4, next + 4 + length));
      next += 4 + ((length + 3) & ~3);
    }
    return options;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }

  #half(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }
}

const NO_OPTIONS: ReadonlyMap<number, Buffer> = new Map();
