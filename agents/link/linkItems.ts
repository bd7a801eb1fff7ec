import { SEAL, type Seal } from '../wire/frameSeal.ts';

/**
 * A frame as it leaves a NIC, or in a capture as it reaches one. Reused: valid during the call of the analysis port.
 * @public
 */
export class FrameItem {
  /** Host whose NIC sent it; of one that arrives, whose NIC it reaches. */
  host = 0;
  /** Port of that NIC, and of its receiver, from 1. */
  port = 1;
  /** Host that it goes to by its destination address; -1 when it is flooded or goes nowhere. */
  to = -1;
  /** Byte-store offset of the destination address, and bytes without frame check sequence. */
  data = 0;
  length = 0;
  /** First bit on the wire, or of one that arrives its last, ps; not a number at first, so that the engine keeps a double from the start. */
  time = Number.NaN;
  /** When its last bit has left the sender, ps. */
  end = Number.NaN;
  /** It reaches a NIC: for captures alone. */
  arrives = false;
  /** No NIC has sent it. */
  injected = false;
  /** What those who see a frame sent leave for those who see it arrive; each copy has it. 0 = nothing. */
  tag = 0;
  /** What a subscriber that has decoded the frame says of its invariant CRC. */
  seal: Seal = SEAL.unknown;
  /** The invariant CRC that the same subscriber has read, as a signed integer. */
  icrc = 0;
}

/** What fault rules do to a frame that has just been published. Reused. @public */
export class FrameFate {
  /** It arrives this many times besides the first, and that one or not. */
  duplicates = 0;
  dropped = false;
  /** It takes longer than others, so that these may overtake it. */
  delayed = false;
  /** Other bytes arrive than were sent. */
  edited = false;
  /** Who says what did it. */
  teller: { because?(): string } | null = null;
  readonly frame: FrameItem;

  constructor(frame: FrameItem) {
    this.frame = frame;
  }

  /** What did it, in words; '' where that is not known. */
  get because(): string {
    return this.teller?.because?.() ?? '';
  }
}

/** A frame, or a copy of one, reaches a NIC. Reused: valid during the call. @public */
export class ArrivalItem {
  /** Receiving and sending host. */
  host = 0;
  from = 0;
  /** Of both, from 1. */
  port = 1;
  /** `FrameItem.tag`. */
  tag = 0;
  data = 0;
  length = 0;
  edited = false;
  /** The check sequence of Ethernet does not fit: a MAC drops it. */
  fcsError = false;
  /** `FrameItem.icrc` of what was sent. */
  sentIcrc = 0;
}
