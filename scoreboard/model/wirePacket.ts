/** What the scoreboard is told of a packet on the wire. */

/** The fields of a decoded packet that are read; the wire monitor's item has them all. */
export interface WirePacket {
  /** `PACKET`; only well-formed RoCE packets count. */
  readonly kind: number;
  /** Rules that the packet breaks, 0 = none. */
  readonly problems: number;
  /** Sending and receiving host; -1 = unknown. */
  readonly host: number;
  readonly to: number;
  /** BTH opcode with its class. */
  readonly opcode: number;
  readonly destQp: number;
  readonly psn: number;
  /** DETH; UD only. */
  readonly sourceQp: number;
  readonly qkey: number;
  /** RETH; bytes that a READ asks for, unsigned. */
  readonly dmaLength: number;
  /** AtomicETH. */
  readonly swapHi: number;
  readonly swapLo: number;
  readonly compareHi: number;
  readonly compareLo: number;
  /** AtomicAckETH. */
  readonly originalHi: number;
  readonly originalLo: number;
  /** First bit on the wire, ps. */
  readonly time: number;
  /** AETH; responses only, and of those not the middle of a READ's answer. */
  readonly syndrome: number;
  readonly msn: number;
  /** RNR NAK: when the packet that it refuses was sent last, ps; -1 = not known. */
  readonly refusedSentAt: number;
  /** A NAK that refuses for good a packet that was sent and not acknowledged, or a READ. */
  readonly refusesForGood: boolean;
  /** A PSN that was sent before. */
  readonly retransmission: boolean;
  /** A request that is sent again for want of an answer: since when one is due, ps; -1 = not known, and for all others. */
  readonly unansweredSince: number;
  /** PSN of the request that has waited for one since then. */
  readonly unansweredPsn: number;
  /** A READ response, of the bytes at `vaHi` and `vaLo` by the key `rkey`; whether it was sent before. */
  readonly answersRead: boolean;
  readonly answersAgain: boolean;
  /**
   * A READ that is rightly asked for again, wholly or in part: READs and atomics of its sender that were sent first after
   * it, -1 = not known, and for all other packets; and whether its answer has begun.
   */
  readonly readsBehind: number;
  readonly wasAnswered: boolean;
  /** Inside a message of an unreliable connection: frames that its NIC has sent since the packet before; else 0. */
  readonly framesBetween: number;
  /** The first packet of the answer to a READ of `dmaLength` bytes, not none, at this address, by this key. */
  readonly beginsAnswer: boolean;
  readonly vaHi: number;
  readonly vaLo: number;
  readonly rkey: number;
  /** ImmDt or IETH. */
  readonly immediate: number;
  /** Byte-store offset and length of its payload. */
  readonly payload: number;
  readonly payloadLength: number;
  /** BTH. */
  readonly solicited: boolean;
  /** At the start of a request: READs and atomics before it without a complete answer. */
  readonly openReads: number;
}
