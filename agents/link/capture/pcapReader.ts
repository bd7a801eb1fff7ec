/** The classic format: a file header, then packets with a header of 16 bytes each. It knows one interface and no directions. */

import type { StoredFile } from '../../../files/storedFile.ts';
import { CaptureBytes, LONGEST_PACKET, wrongAt } from './captureBytes.ts';
import { CaptureClock } from './captureClock.ts';
import { type CaptureFrame, type CaptureTotals, DIRECTION, type FormatReader } from './captureFrame.ts';
import { LINKTYPE_ETHERNET } from './linkTypes.ts';

const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;
const FILE_HEADER_REST = 20;
const PACKET_HEADER = 16;
/** The file header's last word: link type, and whether frames have a check sequence of how many half-words. */
const LINK_TYPE = 0x03ff_ffff;
const HAS_CHECK_SEQUENCE = 1 << 26;
const CHECK_SEQUENCE_SHIFT = 28;

/** @param magic first four bytes of a file */
export function isPcapMagic(magic: Buffer): boolean {
  return [magic.readUInt32LE(), magic.readUInt32BE()].some((word) => word === MICROSECONDS || word === NANOSECONDS);
}

export class PcapReader implements FormatReader {
  readonly #bytes: CaptureBytes;
  readonly #isLittle: boolean;
  readonly #perSecond: bigint;
  readonly #checkSequence: number;
  readonly #clock = new CaptureClock();
  #frames = 0;

  constructor(file: StoredFile, magic: Buffer) {
    this.#bytes = new CaptureBytes(file);
    const little = magic.readUInt32LE();
    this.#isLittle = little === MICROSECONDS || little === NANOSECONDS;
    const word = this.#isLittle ? little : magic.readUInt32BE();
    this.#perSecond = word === NANOSECONDS ? 10n ** 9n : 10n ** 6n;
    const rest = this.#bytes.take(FILE_HEADER_REST, 'file header', 0);
    const link = this.#word(rest, 16);
    if ((link & LINK_TYPE) !== LINKTYPE_ETHERNET)
      throw wrongAt(20, 0, `link type ${link & LINK_TYPE}; only ${LINKTYPE_ETHERNET} (Ethernet) can be judged`);
    this.#checkSequence = (link & HAS_CHECK_SEQUENCE) === 0 ? 0 : 2 * (link >>> CHECK_SEQUENCE_SHIFT);
  }

  get totals(): CaptureTotals {
    return { format: 'pcap', frames: this.#frames, otherLinks: 0, missed: 0 };
  }

  next(frame: CaptureFrame): boolean {
    const bytes = this.#bytes;
    if (bytes.isAtEnd) return false;
    const at = bytes.offset;
    const header = bytes.take(PACKET_HEADER, 'packet header', this.#frames);
    const [seconds, fraction] = [this.#word(header, 0), this.#word(header, 4)];
    const [captured, length] = [this.#word(header, 8), this.#word(header, 12)];
    if (captured > LONGEST_PACKET)
      throw wrongAt(at, this.#frames, `captured length ${captured}; no more than ${LONGEST_PACKET} are right`);
    if (captured > length)
      throw wrongAt(at, this.#frames, `captured length ${captured} of a frame of ${length} B; it can be no longer`);
    const data = bytes.take(captured, 'packet', this.#frames);
    frame.number = ++this.#frames;
    frame.interfaceId = 0;
    frame.interfaceName = '';
    frame.direction = DIRECTION.unknown;
    const units = BigInt(seconds) * this.#perSecond + BigInt(fraction);
    frame.time = this.#clock.since(units, this.#perSecond, 0n);
    frame.length = Math.max(0, length - this.#checkSequence);
    frame.bytes = data.subarray(0, Math.min(captured, frame.length));
    return true;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}
