/** What a capture says of a frame. */

/** How a frame passed the place where it was captured, as pcapng says (epb_flags). */
export const DIRECTION = {
  unknown: 0,
  /** It came in from the link, where it may have been lost, doubled or overtaken before. */
  received: 1,
  /** It went out to the link: as its sender sent it. */
  sent: 2,
} as const;
export type Direction = (typeof DIRECTION)[keyof typeof DIRECTION];

/** One frame of a capture. Reused: valid until the next one is read. */
export class CaptureFrame {
  /** As Wireshark numbers them, from 1 on. */
  number = 0;
  /** Interface of its section, and the name of that; '' where the capture gives none. */
  interfaceId = 0;
  interfaceName = '';
  direction: Direction = DIRECTION.unknown;
  /** Its comment says that the testbench put it in at a port: no NIC has sent it. */
  injected = false;
  /** Since the first frame, ps; before that it is negative. Not a number at first, so that the engine keeps a double. */
  time = Number.NaN;
  /** Its bytes from the destination address on, as far as they were captured; without frame check sequence. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Bytes that it had on the link, without frame check sequence: more than were captured where it was cut off. */
  length = 0;
}

/** What can be read of a capture. */
export interface CaptureTotals {
  readonly format: 'pcap' | 'pcapng';
  readonly frames: number;
  /** Frames of interfaces that are no Ethernet, which are left out. */
  readonly otherLinks: number;
  /** Frames that whoever captured says to have missed. */
  readonly missed: number;
}

/** The frames of one format. */
export interface FormatReader {
  /** Fills `frame` with the next frame. @returns false at the end @throws DataError that says where the file is wrong */
  next(frame: CaptureFrame): boolean;
  readonly totals: CaptureTotals;
}
