/** Which word of an event holds what. */

export const POST_SEND = {
  qpn: 0,
  wqe: 1,
  opcode: 2,
  flags: 3,
  entries: 4,
  bytes: 5,
  idHi: 6,
  idLo: 7,
  remoteHost: 8,
  remoteHi: 9,
  remoteLo: 10,
  rkey: 11,
  hi: 12,
  lo: 13,
  imm: 14,
  remoteQpn: 15,
  /** First PSN and number of packets, or -1 where that is not known. */
  psn: 16,
  packets: 17,
  process: 18,
  /** UD: Q_Key of the receiver. */
  qkey: 19,
} as const;

export const POST_RECV = {
  /** -1 = a shared receive queue. */
  qpn: 0,
  wqe: 1,
  entries: 2,
  bytes: 3,
  idHi: 4,
  idLo: 5,
  hi: 6,
  lo: 7,
  srqn: 8,
  /** -1 where it is not known. */
  process: 9,
} as const;

export const COMPLETION = {
  cqn: 0,
  qpn: 1,
  idHi: 2,
  idLo: 3,
  status: 4,
  opcode: 5,
  vendorError: 6,
  bytes: 7,
  isSend: 8,
  wqe: 9,
  flags: 10,
  imm: 11,
} as const;

/** Of packets, arrivals, fates and losses. */
export const PACKET_WORD = {
  to: 0,
  opcode: 1,
  destQp: 2,
  /** Sending queue pair, -1 where it is not known. */
  sourceQp: 3,
  psn: 4,
  payload: 5,
  flags: 6,
  rkey: 7,
  dmaLength: 8,
  hi: 9,
  lo: 10,
  syndrome: 11,
  msn: 12,
  frame: 13,
  problems: 14,
  ackRequest: 15,
  qkey: 16,
} as const;

export const FRAME_WORD = { to: 0, length: 1 } as const;

/** Of transactions of the NIC, and of BAR accesses. */
export const TLP_WORD = {
  kind: 0,
  hi: 1,
  lo: 2,
  length: 3,
  tag: 4,
  bar: 5,
  poisoned: 6,
  interrupt: 7,
  /** `AREA` that it goes to; of data, process and virtual address; of rings, queue and place in it. */
  area: 8,
  owner: 9,
  virtHi: 10,
  virtLo: 11,
} as const;

export const ANSWER_WORD = { tag: 0, from: 1, count: 2, remaining: 3, status: 4, lost: 5 } as const;

export const ENTRY_WORD = { hi: 0, lo: 1, length: 2, lkey: 3 } as const;

/** What a transaction goes to. */
export const AREA = {
  unknown: 0,
  data: 1,
  cq: 2,
  eq: 3,
  icm: 4,
  outbox: 5,
  msix: 6,
  queue: 7,
  inbox: 8,
  aq: 9,
} as const;
export const AREA_NAME = [
  'memory',
  'data',
  'completion queue',
  'event queue',
  'context memory',
  'outbox',
  'interrupts',
  'work queue',
  'inbox',
  'ACK queues',
] as const;
