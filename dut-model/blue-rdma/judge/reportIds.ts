/** Report ids of what is judged of a blue-rdma NIC and its driver alone, with their meaning (blue-rdma.md sections 3 to 11). */
export const BLUE_REPORT_IDS = {
  BLUE_FRAME:
    'A frame of the protocol has wrong headers: Ethernet, IPv4, UDP, reserved bits, unused bytes of the extension.',
  BLUE_CHECKSUM: 'An acknowledgement of a driver has a wrong UDP checksum, or a frame of the NIC has one at all.',
  BLUE_PACKET:
    'A packet ends elsewhere than at a multiple of the MTU of its remote address, or says another length or address.',
  BLUE_OPCODE: 'First, Middle, Last and Only do not follow one another as the bytes of the message do.',
  BLUE_PSN: 'A packet that is sent for the first time does not have the PSN behind the one before it.',
  BLUE_MSN: 'A message does not have the number behind that of the one before it, or its packets have several.',
  BLUE_RETRY: 'A packet that was sent before does not say so, or one that was not says so.',
  BLUE_RESENT: 'A packet is sent again with another address, number, operation or length than before.',
  BLUE_NEEDLESS: 'A driver hands over a packet to be sent again after it has taken a report that it was received.',
  BLUE_UNASKED: 'A NIC sends a packet again that its driver has not handed over again.',
  BLUE_ACK: 'A driver acknowledges packets that have never reached its NIC.',
  BLUE_NAK: 'A NIC reports a loss although no packet has left its window unseen, or counts its reports wrongly.',
  BLUE_WINDOW: 'A bitmap says that packets were received that have never reached the NIC.',
  BLUE_ACK_REQUEST: 'Some packets of a message ask for an acknowledgement, and others do not.',
  BLUE_MISSED: 'A NIC reports as missing what it has reported to its own driver to be there.',
  BLUE_UNTOLD: 'A NIC tells its own driver of losses that it does not tell the peer.',
  BLUE_IDLE:
    'A NIC has reported packets, and never the bitmap of their idle queue pair after that; with `+NIC_ACK_REPORT=1` the end of a message, and no bitmap.',
  BLUE_REPORT: 'A NIC reports a packet to its driver that has not reached it so.',
  BLUE_RING_BASE: 'A ring does not begin at a multiple of 4096.',
  BLUE_RING_HEAD: 'A driver moves the head of a ring further than there is room.',
  BLUE_RING_TAIL: 'A driver moves the tail of a ring over descriptors that have not been written.',
  BLUE_RING_ORDER: 'A NIC reads or writes other descriptors of a ring than the next ones.',
  BLUE_RING_UNPUBLISHED: 'A NIC reads descriptors that the head of their ring does not show.',
  BLUE_RING_OVERWRITE: 'A NIC writes descriptors over some that its driver has not taken.',
  BLUE_RING_BLOCK:
    'An access to a ring crosses an aligned block, of 512 bytes for reads and 128 for writes, or its end.',
  BLUE_RING_VALID: 'A descriptor that is handed over lacks its valid bit.',
  BLUE_RING_RESERVED: 'Reserved bits of a descriptor are not 0.',
} as const satisfies Readonly<Record<string, string>>;

export type BlueReportId = keyof typeof BLUE_REPORT_IDS;
