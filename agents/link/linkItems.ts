/** A frame as it leaves a NIC. Reused: valid during the call of the analysis port. */
export class FrameItem {
  /** Host whose NIC sent it. */
  host = 0;
  /** Host that it goes to by its destination address; -1 when it is flooded or goes nowhere. */
  to = -1;
  /** Byte-store offset of the destination address, and bytes without frame check sequence. */
  data = 0;
  length = 0;
  /** First bit on the wire, ps; not a number at first, so that the engine keeps a double from the start. */
  time = Number.NaN;
  /** When its last bit has left the sender, ps. */
  end = Number.NaN;
}
