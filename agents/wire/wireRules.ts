/** Rules that a single packet can break: bits of `DecodedPacket.problems`. */
export const PROBLEM = {
  frame: 1 << 0,
  ipHeader: 1 << 1,
  ipLength: 1 << 2,
  ipChecksum: 1 << 3,
  fragment: 1 << 4,
  udpLength: 1 << 5,
  udpChecksum: 1 << 6,
  udpPort: 1 << 7,
  icrc: 1 << 8,
  bth: 1 << 9,
  opcode: 1 << 10,
  pad: 1 << 11,
  payload: 1 << 12,
  syndrome: 1 << 13,
  cnp: 1 << 14,
  destQp: 1 << 15,
  deth: 1 << 16,
} as const;

/** Name of such a rule. */
export type ProblemName = keyof typeof PROBLEM;

/** Report ids of the wire monitor with their meaning (sections of roce-transport.md). */
export const WIRE_REPORT_IDS = {
  WIRE_FRAME:
    'frame shorter than its headers say or than 60 bytes, or with surplus bytes behind the packet and padding (1.1)',
  WIRE_FOREIGN: 'frame of another protocol than RoCEv2, or with a VLAN tag that no queue pair has (1.1)',
  WIRE_IP_HEADER: 'IP version, header length or hop limit is wrong (1.2)',
  WIRE_IP_LENGTH: 'IP length disagrees with the frame (1.1)',
  WIRE_IP_CHECKSUM: 'IPv4 header checksum is wrong (1.2)',
  WIRE_FRAGMENT: 'packet is a fragment, or permits fragmentation (1.2)',
  WIRE_UDP_LENGTH: 'UDP length disagrees with the IP length (1.1)',
  WIRE_UDP_CHECKSUM: 'UDP checksum is neither 0 nor right (1.2)',
  WIRE_UDP_PORT: 'UDP source port is outside 0xC000..0xFFFF (1.2)',
  WIRE_ICRC: 'invariant CRC is wrong (2.1)',
  WIRE_BTH: 'transport version, reserved bits or a flag of the base header is wrong (1.4, 1.7)',
  WIRE_OPCODE: 'unknown opcode (1.6)',
  WIRE_PAD: 'pad count or pad bytes are wrong (1.7)',
  WIRE_PAYLOAD: 'payload length is not possible for the opcode (1.6)',
  WIRE_SYNDROME: 'reserved AETH syndrome, or an error syndrome where only an acknowledgement may be (3.4)',
  WIRE_DETH: 'the reserved byte of a DETH is not 0 (1.5)',
  WIRE_CNP: 'congestion notification with wrong fields (1.8)',
  WIRE_CNP_UNMARKED: 'congestion notification for a queue pair without an arrived marked packet (8)',
  WIRE_CNP_MISSING: 'no congestion notification for an accepted marked packet, and none in the interval before it (8)',
  WIRE_CNP_PACE: 'congestion notifications for one queue pair in less than the interval of the NIC (8)',
  WIRE_DEST_QP: 'destination QP 0, or the multicast number outside datagrams (1.4)',
  WIRE_ADDRESS:
    'MAC or IP address is not that of the sending or receiving port, or the sender is not the peer (1.1, 1.2)',
  WIRE_PATH:
    'IP version, traffic class, flow label, hop limit or partition key is not that of the queue pair or address handle, or a queue pair changed its UDP source port (1.2 to 1.4)',
  WIRE_PORT: 'a packet leaves by another port of the NIC than its queue pair is bound to (1.2)',
  WIRE_SERVICE: 'opcode class does not fit the type of the destination QP (4.1)',
  WIRE_PSN:
    'request PSN is neither the next nor that of an earlier packet, or more than half of all PSNs are outstanding; on unreliable services, not the next (3.1, 3.8, 7)',
  WIRE_SEQUENCE: 'opcode does not follow from the previous one of the flow (1.6)',
  WIRE_MTU: 'payload does not agree with the path MTU of the flow (1.7)',
  WIRE_DMA_LENGTH: 'RETH length above 2^31, or a WRITE carries more or fewer bytes than its RETH says (1.5, 4.2)',
  WIRE_ACK_REQUEST:
    'the last packet of a SEND or WRITE of a reliable connection does not ask for an acknowledgement, or none of 64 in a row inside one does (1.7)',
  WIRE_RETRY:
    'a retransmission has other headers or another payload than the first transmission, requests other data than the rest of its READ or answers that have arrived, exceeds `retry_cnt` without an answer (RNR NAKs do not reset the count), skips an older unanswered packet, or comes from an idle NIC later than four times its timeout (3.8, 3.9)',
  WIRE_UNPROVOKED:
    'a packet was retransmitted before its timeout although no arrived NAK requested it, or after its answer had arrived (3.8)',
  WIRE_ACK_PSN: 'response for a PSN that was not sent (3.3)',
  WIRE_ACK_UNARRIVED:
    'answer to a request that has not reached the responder, or more answers to a READ or atomic than copies of it have arrived (3.3, 3.9)',
  WIRE_ACK_ORDER: 'acknowledgement beyond a READ or atomic that has not been answered (3.3, 3.6)',
  WIRE_NAK:
    'NAK for an acknowledged PSN (except of a READ that may fail halfway), for a PSN inside the answer to a READ, for a missing packet without a later arrival, or a second NAK for a packet that has not arrived since the first (3.4, 3.5)',
  WIRE_NAK_IGNORED: 'a requester received a PSN sequence NAK and still waits for its timeout (3.5)',
  WIRE_RNR:
    'RNR NAK with another timer than that of its queue pair, or a retransmission before that time or beyond `rnr_retry` (3.4, 3.8)',
  WIRE_SILENT:
    'packet of a queue pair that software has stopped, reset or destroyed, a request of a drained send queue, or an answer after a NAK that took its queue pair to the error state (4.2, 5.3, 6.4)',
  WIRE_DRAINED: 'SQ_DRAINED of a reliable connection before all sent requests were answered (6.2)',
  WIRE_MSN: 'message sequence number decreased, or counts more or fewer messages than it acknowledges (3.2)',
  WIRE_RESPONSE: 'READ response or atomic acknowledgement without such a request, or out of sequence (3.9, 3.10)',
  WIRE_ATOMIC_REPEAT: 'a duplicate atomic is answered with another value than the first time (3.10)',
  WIRE_READ_LIMIT: 'more READs and atomics outstanding than the queue pair may have (3.11)',
  WIRE_READ_LENGTH: 'READ response packet of the wrong length (3.9)',
  WIRE_DECLARED: 'a packet differs from the declaration in the profile of its NIC (11)',
} as const satisfies Readonly<Record<string, string>>;

export type WireReportId = keyof typeof WIRE_REPORT_IDS;

/** Report id of each. */
const PROBLEM_ID: Readonly<Record<ProblemName, WireReportId>> = {
  frame: 'WIRE_FRAME',
  ipHeader: 'WIRE_IP_HEADER',
  ipLength: 'WIRE_IP_LENGTH',
  ipChecksum: 'WIRE_IP_CHECKSUM',
  fragment: 'WIRE_FRAGMENT',
  udpLength: 'WIRE_UDP_LENGTH',
  udpChecksum: 'WIRE_UDP_CHECKSUM',
  udpPort: 'WIRE_UDP_PORT',
  icrc: 'WIRE_ICRC',
  bth: 'WIRE_BTH',
  opcode: 'WIRE_OPCODE',
  pad: 'WIRE_PAD',
  payload: 'WIRE_PAYLOAD',
  syndrome: 'WIRE_SYNDROME',
  cnp: 'WIRE_CNP',
  destQp: 'WIRE_DEST_QP',
  deth: 'WIRE_DETH',
};

/** Report ids of the bits of `PROBLEM`, by bit number. */
export const WIRE_PROBLEM_IDS: readonly WireReportId[] = idsByBit();

function idsByBit(): WireReportId[] {
  const ids: WireReportId[] = [];
  for (const [name, bit] of Object.entries(PROBLEM)) ids[Math.log2(bit)] = PROBLEM_ID[name as ProblemName];
  return ids;
}
