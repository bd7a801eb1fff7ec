/** What a frame turned out to be. */
export const PACKET = {
  /** No RoCEv2: another protocol, left alone. */
  other: 0,
  /** RoCEv2 that could be decoded to the end. */
  roce: 1,
  /** RoCEv2, but so broken that the transport fields mean nothing. */
  malformed: 2,
} as const;

/**
 * One decoded frame. Reused: valid during the call of the analysis port. Numbers are as on the wire, 32-bit fields
 * as signed integers. Fields of a header that the packet does not carry keep an older packet's value: look at
 * `flags` (`OPCODE` bits) first.
 * @public
 */
export class DecodedPacket {
  /** Sending host, host of the destination address (-1: none or all), first bit on the wire in ps. */
  host = 0;
  to = -1;
  /** Port of both hosts' NICs, from 1. */
  port = 1;
  /** Not numbers at first, so that the engine keeps doubles from the start. */
  time = Number.NaN;
  /** When the NIC handed the frame over, ps; until `time` it waits for the frames before it. */
  handedOver = Number.NaN;
  /** `PACKET`. */
  kind = 0;
  /** `PROBLEM` bits. */
  problems = 0;
  /** Where the frame lies in the byte store, and its length. */
  frame = 0;
  frameLength = 0;
  /** VLAN tag control information, -1 without a tag. */
  vlan = -1;
  /** 4 or 6. */
  ipVersion = 0;
  /** Byte-store offsets of IP header, base transport header and payload. */
  network = 0;
  transport = 0;
  payload = 0;
  payloadLength = 0;
  trafficClass = 0;
  /** IPv4 only. */
  identification = 0;
  /** IPv6 only. */
  flowLabel = 0;
  hopLimit = 0;
  sourcePort = 0;
  /** Base transport header. */
  opcode = 0;
  flags = 0;
  solicited = false;
  migration = false;
  padCount = 0;
  partitionKey = 0;
  fecn = false;
  becn = false;
  destQp = 0;
  ackRequest = false;
  psn = 0;
  /** RETH and AtomicETH. `dmaLength` is unsigned. */
  vaHi = 0;
  vaLo = 0;
  rkey = 0;
  dmaLength = 0;
  /** AtomicETH. */
  swapHi = 0;
  swapLo = 0;
  compareHi = 0;
  compareLo = 0;
  /** AETH. */
  syndrome = 0;
  msn = 0;
  /** AtomicAckETH. */
  originalHi = 0;
  originalLo = 0;
  /** ImmDt or IETH. */
  immediate = 0;
  /** DETH. */
  qkey = 0;
  sourceQp = 0;
  /** Invariant CRC as on the wire (least significant byte first) and as it should be. */
  icrc = 0;
  icrcExpected = 0;
  /** Set by the flow checks: a PSN of this flow that was sent before. */
  retransmission = false;
  /**
   * Set by the flow checks for a packet that is sent again for want of any answer: when the oldest request arrived that asks
   * for one and for which its responder has sent nothing since, ps; -1 = none, or not known, and for all other packets.
   */
  unansweredSince = Number.NaN;
  /** Set with it: PSN of that request. */
  unansweredPsn = 0;
  /**
   * Set by the flow checks for a packet inside a message of an unreliable connection, which nothing but its NIC holds
   * back: frames that the NIC has sent since the packet before; 0 for all others, and where that is not known.
   */
  framesBetween = 0;
  /** Set by the flow checks: a READ response, of which `vaHi`, `vaLo` and `rkey` say of which bytes it is. */
  answersRead = false;
  /** Set with it: its responder has sent it before. */
  answersAgain = false;
  /**
   * Set by the flow checks for a READ that is rightly asked for again, wholly or in part: how many READs and atomics of the flow
   * were sent first after it; -1 = not known, and for all other packets.
   */
  readsBehind = -1;
  /** Set with it: its responder has answered that READ, in its beginning at least, or something behind it. */
  wasAnswered = false;
  /** Set with it: the first packet of an answer to a READ of `dmaLength` bytes, not none. */
  beginsAnswer = false;
  /** Set by the flow checks for an RNR NAK: when the packet that it refuses was handed over last, ps; -1 = not known. */
  refusedSentAt = Number.NaN;
  /** Set by the flow checks: a NAK that refuses for good a packet that was sent and not acknowledged, or a READ. */
  refusesForGood = false;
  /** Set by the flow checks at the start of a request: READs and atomics of the flow without a complete answer. */
  openReads = 0;
  /** `FrameItem.tag` of its frame. */
  tag = 0;
}

/** A packet of which fault rules have just changed what arrives. Reused. */
export class PacketFate {
  declare packet: DecodedPacket;
  /** It arrives this many times, and how: each time later than others, or with other bytes. */
  copies = 0;
  delayed = false;
  edited = false;
}

/** A packet reaches a NIC. Reused. */
export class PacketArrival {
  /** Receiving host, and sending host. */
  host = 0;
  from = 0;
  /** `FrameItem.tag`. */
  tag = 0;
  /** What arrives, where a fault rule has changed that on the way; null where all that the invariant CRC covers is as sent. */
  edited: DecodedPacket | null = null;
  /** No NIC has sent it: `edited` is all of it. */
  injected = false;
  /** Of an injected packet, `REACH`: what it may do where it arrives. Set by the flow checks. */
  reach: Reach = REACH.nothing;
}

/** A sound packet reaches a NIC: sending host `packet.host`, receiving host `packet.to`. Reused. */
export class PacketDelivery {
  declare packet: DecodedPacket;
  /** A fault rule has changed what its invariant CRC covers, and has repaired that. */
  edited = false;
}

/** What a packet that no NIC has sent may do. */
export const REACH = {
  /** The NIC drops it without a word. */
  nothing: 0,
  /** It is answered as what came once more, or behind a gap; its request is not carried out. */
  answered: 1,
  /** It may be taken for one that its sender would have sent. */
  taken: 2,
} as const;
export type Reach = (typeof REACH)[keyof typeof REACH];
