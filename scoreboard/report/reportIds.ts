/**
 * The room of what users read: ids, and texts that name a request, the owner of bytes, what stands still and why. It asks the
 * model and changes nothing. A new finding begins here and in docs/checks.md, and is not done before a planted bug shows it.
 *
 * Report ids of the scoreboard and what each one means. The one list: checks name their id through `SCB`, the table
 * of docs/checks.md is compared with `SCB_MEANING` by a spec.
 */

/** Ids by short name. */
export const SCB = {
  data: 'SCB_DATA',
  wireData: 'SCB_WIRE_DATA',
  wireRequest: 'SCB_WIRE_REQUEST',
  reverify: 'SCB_REVERIFY',
  readAgain: 'SCB_READ_AGAIN',
  readForgotten: 'SCB_READ_FORGOTTEN',
  answered: 'SCB_ANSWERED',
  overtaken: 'SCB_OVERTAKEN',
  guard: 'SCB_GUARD',
  strayWrite: 'SCB_STRAY_WRITE',
  cqeAddr: 'SCB_CQE_ADDR',
  cq: 'SCB_CQ',
  qpn: 'SCB_QPN',
  surplus: 'SCB_SURPLUS',
  duplicate: 'SCB_DUPLICATE',
  order: 'SCB_ORDER',
  wrId: 'SCB_WR_ID',
  unsignalled: 'SCB_UNSIGNALLED',
  status: 'SCB_STATUS',
  refused: 'SCB_REFUSED',
  opcode: 'SCB_OPCODE',
  byteLen: 'SCB_BYTE_LEN',
  imm: 'SCB_IMM',
  flags: 'SCB_FLAGS',
  remoteQpn: 'SCB_REMOTE_QPN',
  noMessage: 'SCB_NO_MESSAGE',
  recvLen: 'SCB_RECV_LEN',
  udGrh: 'SCB_UD_GRH',
  transmissions: 'SCB_TRANSMISSIONS',
  credits: 'SCB_CREDITS',
  early: 'SCB_EARLY',
  unanswered: 'SCB_UNANSWERED',
  fence: 'SCB_FENCE',
  solicited: 'SCB_SOLICITED',
  unsolicited: 'SCB_UNSOLICITED',
  cqOverflow: 'SCB_CQ_OVERFLOW',
  eventLost: 'SCB_EVENT_LOST',
  eventUnarmed: 'SCB_EVENT_UNARMED',
  eventEmpty: 'SCB_EVENT_EMPTY',
  eventGroundless: 'SCB_EVENT_GROUNDLESS',
  asyncEvent: 'SCB_ASYNC_EVENT',
  queryQp: 'SCB_QUERY_QP',
  queryCq: 'SCB_QUERY_CQ',
  queryMr: 'SCB_QUERY_MR',
  querySrq: 'SCB_QUERY_SRQ',
  regionBound: 'SCB_REGION_BOUND',
  failedRead: 'SCB_FAILED_READ',
  reset: 'SCB_RESET',
  missing: 'SCB_MISSING',
  leftoverRecv: 'SCB_LEFTOVER_RECV',
  starved: 'SCB_STARVED',
  stuck: 'SCB_STUCK',
  noReceive: 'SCB_NO_RECEIVE',
  notResumed: 'SCB_NOT_RESUMED',
  rawSent: 'SCB_RAW_SENT',
  rawReceived: 'SCB_RAW_RECEIVED',
  rawCompletion: 'SCB_RAW_COMPLETION',
  rawMissing: 'SCB_RAW_MISSING',
  atomicOrder: 'SCB_ATOMIC_ORDER',
  atomicWrite: 'SCB_ATOMIC_WRITE',
  atomicResult: 'SCB_ATOMIC_RESULT',
  atomicFinal: 'SCB_ATOMIC_FINAL',
  vacuous: 'SCB_VACUOUS',
  setup: 'SCB_SETUP',
} as const;

/** One of the ids. */
export type ScbId = (typeof SCB)[keyof typeof SCB];

/** One line for each id. */
export const SCB_MEANING: Readonly<Record<ScbId, string>> = {
  SCB_DATA: 'The bytes at the destination differ from the source when the rules make them visible.',
  SCB_WIRE_DATA: 'The payload of a packet is not what its sender holds where it was to be taken from.',
  SCB_WIRE_REQUEST:
    'A packet of a request carries another operation, address, key, length or immediate than was posted, or goes to another queue pair.',
  SCB_REVERIFY: 'A destination that was right at its completion holds other bytes at the end of the test.',
  SCB_READ_AGAIN:
    'A READ that was asked for again is answered with other bytes than those that are there and have never changed.',
  SCB_READ_FORGOTTEN:
    'On a link that loses nothing, a READ or an atomic was asked for again that its responder must know, and its NIC came to rest without answering it again.',
  SCB_ANSWERED:
    'A READ is answered, wholly or in its beginning, that its key does not cover, does not permit, or opens to another protection domain only.',
  SCB_OVERTAKEN:
    'A message of a reliable connection was received, or a READ answered, before the data of an earlier WRITE of its queue pair were there: its target holds what it held before.',
  SCB_GUARD: 'A byte outside every legal destination changed; source buffers count as such bytes.',
  SCB_STRAY_WRITE:
    'The NIC wrote to an address that no outstanding request and no allowed area covers, or wrote the data of a WRITE once more after a message behind it had been received.',
  SCB_CQE_ADDR: 'A completion queue entry has the wrong size or is not in the next slot of its ring.',
  SCB_CQ: 'A completion arrived in a completion queue other than the one of its queue pair and direction.',
  SCB_QPN: 'A completion names a queue pair that the host does not have, or that has done nothing since it was reset.',
  SCB_SURPLUS: 'A completion arrived although its queue has no outstanding request.',
  SCB_DUPLICATE: 'The request that completed last on this queue completed again.',
  SCB_ORDER: 'A completion is for a request that is not the oldest outstanding one of its queue.',
  SCB_WR_ID: 'The request identifier or WQE index of a completion names no outstanding request.',
  SCB_UNSIGNALLED: 'A send request that asked for no completion got one.',
  SCB_STATUS: 'The completion status is not the one that the posted request calls for.',
  SCB_REFUSED:
    'A receiver refused a message for want of a receive although one had been posted for it before it was sent, or for good a request with which nothing is wrong.',
  SCB_OPCODE: 'The completion opcode does not fit the request or the message.',
  SCB_BYTE_LEN: 'The byte count of a completion is not the length of the message.',
  SCB_IMM: 'The immediate data of a receive completion is not what the sender gave.',
  SCB_FLAGS: 'The immediate or GRH flag of a completion is wrong.',
  SCB_REMOTE_QPN: 'The remote queue pair number of a completion is wrong.',
  SCB_NO_MESSAGE: 'A receive completed although no peer sent a message that could have filled it.',
  SCB_RECV_LEN: 'A message longer than its receive buffer completed with success.',
  SCB_UD_GRH: 'The 40 bytes in front of a UD message hold another IPv4 or IPv6 header than its request calls for.',
  SCB_TRANSMISSIONS: 'Messages on the wire and completed requests do not agree in number.',
  SCB_CREDITS: 'A responder offers its peer more receives, in the credits of an acknowledgement, than are posted.',
  SCB_EARLY: 'A request of a reliable connection completed before the peer had acknowledged it.',
  SCB_UNANSWERED:
    'A request that had arrived had to be sent again because the NIC of its peer came to rest without answering it.',
  SCB_FENCE: 'A fenced request was sent before the READs and atomics in front of it had been answered.',
  SCB_SOLICITED: 'More or fewer messages were sent as solicited than were posted so.',
  SCB_UNSOLICITED:
    'A completion queue that was armed for solicited completions sent an event, and nothing that software had not seen was solicited or an error.',
  SCB_CQ_OVERFLOW:
    'A completion was written to a queue that was full by all that its NIC could know of what software had taken, or that the NIC had said to have overflowed (roce-transport.md 5.5).',
  SCB_EVENT_LOST: 'A completion queue was armed and sent no event for what it was armed for.',
  SCB_ASYNC_EVENT:
    'A queue pair refused a request for which it held no receive, or received a message in RTR, or must drain its send queue and has nothing left to do, or what a queue pair, a completion queue or a device cannot do without could not be read, and no asynchronous event said so; or one said that a queue pair has refused a request, and it refused none, or a receive has reported it.',
  SCB_EVENT_UNARMED: 'A completion event came for a queue that was not armed.',
  SCB_EVENT_EMPTY: 'A completion event came for a queue in which nothing had arrived since it was armed.',
  SCB_EVENT_GROUNDLESS:
    'An asynchronous event came for nothing: a queue pair is said again to have failed or to be talked to, one is drained although nobody asked, a completion queue overran that was never full, a queue pair or a device has failed that could read all it needs, or it names a queue that never was.',
  SCB_QUERY_QP: 'QUERY_QP returned something else than was written, or a state or PSN that cannot be.',
  SCB_REGION_BOUND:
    'A region was deregistered with memory windows bound to it, or was not although none were; what is right is said by the profile of the NIC (roce-transport.md 4.4, 4.8).',
  SCB_QUERY_CQ:
    'QUERY_CQ returned another size than a completion queue has, that it works when it has overflowed, or another number of completions than were written.',
  SCB_QUERY_MR: 'QUERY_MPT returned another range, domain or rights than a memory region was registered with.',
  SCB_QUERY_SRQ: 'QUERY_SRQ returned another size or limit than a shared receive queue has.',
  SCB_FAILED_READ:
    'A read of host memory was answered with an error, with poisoned data or never, and every request that it may have been made for has ended well.',
  SCB_RESET:
    'A NIC sent a packet, or a request to its host, after it was reset and before software opened it again (roce-transport.md 4.1).',
  SCB_MISSING:
    'At the end of the test a completion or the data of a posted request is missing, a queue pair that has failed does not flush its work, there or before it is reset or destroyed (5.3), or a message of an unreliable service has arrived whole at a NIC that came to rest, or in front of another one that fills its receive, and fills none (7.1, 7.2).',
  SCB_LEFTOVER_RECV:
    'Receives were left over, at the end of the test or when their queue pair was destroyed, although the scenario says that all are used.',
  SCB_STARVED:
    'A queue pair that was given work, or a READ, waited while the NIC that was to serve it sent more than 4096 frames for each queue pair of its host.',
  SCB_STUCK: 'A queue pair with outstanding work made no useful progress for the stall time (`+STALL_TIME`).',
  SCB_NO_RECEIVE: 'Nothing moves any more, because messages wait for receives that software has not posted.',
  SCB_NOT_RESUMED:
    'Nothing moves any more, because requests wait in send queues that software has drained and has not taken from SQD to RTS.',
  SCB_RAW_SENT: 'A frame of software leaves otherwise than it was posted, or before another that was posted earlier.',
  SCB_RAW_RECEIVED:
    'What is in the memory of a receive of a raw packet queue pair is no frame that has come, or bytes behind it have changed.',
  SCB_RAW_COMPLETION:
    'A completion of a raw packet queue pair is not of the oldest request, or has another status than that must end with.',
  SCB_RAW_MISSING:
    'A frame of software was posted and has no completion or has never left, or has come, with a receive posted, and was not received.',
  SCB_ATOMIC_ORDER:
    'No serial order of the atomics on a word explains what they returned, each execution once; the results that contradict each other are named, none of which can be left out (3.10).',
  SCB_ATOMIC_WRITE: 'A word that atomics name was changed as none of those that were sent can have changed it (3.10).',
  SCB_ATOMIC_RESULT: 'The requester of an atomic holds another value than its answer had (3.10).',
  SCB_ATOMIC_FINAL: 'A word holds another value than its atomics leave, and nothing is in flight any more (3.10).',
  SCB_VACUOUS: 'The run ended without a single check.',
  SCB_SETUP: 'The scoreboard was told something impossible, for example a request on an unknown queue pair.',
};
