/** Report ids of what is judged of a blue-rdma NIC and its driver alone, with their meaning (blue-rdma.md sections 3 to 11). */
export const BLUE_REPORT_IDS = {
  BLUE_FRAME:
    'A frame of the protocol has wrong headers: Ethernet, IPv4, UDP, reserved bits, unused bytes of the extension.',
  BLUE_CHECKSUM: 'An acknowledgement of a driver has a wrong UDP checksum, or a frame of the NIC has one at all.',
  BLUE_PACKET:
    'A packet does not end at a multiple of the MTU of its remote address, or has a wrong length or address.',
  BLUE_OPCODE: 'First, Middle, Last and Only do not match the order of the bytes of the message.',
  BLUE_PSN: 'The first transmission of a packet does not have the next PSN.',
  BLUE_MSN: 'A message does not have the next message number, or its packets have different numbers.',
  BLUE_RETRY: 'The retry flag of a packet is wrong.',
  BLUE_RESENT: 'A retransmitted packet has another address, number, operation or length than before.',
  BLUE_NEEDLESS: 'A driver retransmits a packet after it has read a report that the packet was received.',
  BLUE_UNASKED: 'A NIC retransmits a packet without a request of its driver.',
  BLUE_ACK: 'A driver acknowledges packets that have never reached its NIC.',
  BLUE_NAK: 'A NIC reports a loss although no missing packet has left its window, or counts its reports wrongly.',
  BLUE_WINDOW: 'A bitmap says that packets were received that have never reached the NIC.',
  BLUE_ACK_REQUEST: 'Some packets of a message ask for an acknowledgement, and others do not.',
  BLUE_MISSED: 'A NIC reports a packet as missing that it has reported to its own driver as received.',
  BLUE_UNTOLD: 'A NIC reports losses to its own driver but not to the peer.',
  BLUE_IDLE:
    'A NIC has reported packets, but not the bitmap of their queue pair when it became idle; with `+NIC_ACK_REPORT=1`, the end of a message without a bitmap.',
  BLUE_REPORT: 'A NIC reports a packet to its driver that has not arrived in this form.',
  BLUE_RING_BASE: 'A ring does not begin at a multiple of 4096.',
  BLUE_RING_HEAD: 'A driver moves the head of a ring beyond the free entries.',
  BLUE_RING_TAIL: 'A driver moves the tail of a ring past unwritten descriptors.',
  BLUE_RING_ORDER: 'A NIC does not read or write the next descriptors of a ring.',
  BLUE_RING_UNPUBLISHED: 'A NIC reads descriptors beyond the head of their ring.',
  BLUE_RING_OVERWRITE: 'A NIC overwrites descriptors that its driver has not read.',
  BLUE_RING_BLOCK:
    'An access to a ring crosses an aligned block, of 512 bytes for reads and 128 for writes, or its end.',
  BLUE_RING_VALID: 'A published descriptor lacks its valid bit.',
  BLUE_RING_RESERVED: 'Reserved bits of a descriptor are not 0.',
} as const satisfies Readonly<Record<string, string>>;

export type BlueReportId = keyof typeof BLUE_REPORT_IDS;
