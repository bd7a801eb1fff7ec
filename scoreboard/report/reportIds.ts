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
  SCB_WIRE_DATA: 'The payload of a packet differs from the source memory of its sender.',
  SCB_WIRE_REQUEST:
    'A packet of a request has another operation, address, key, length or immediate than was posted, or goes to another queue pair.',
  SCB_REVERIFY: 'A destination was right at its completion, and differs at the end of the test.',
  SCB_READ_AGAIN: 'The answer to a retransmitted READ differs from memory that has never changed.',
  SCB_READ_FORGOTTEN:
    'On a link without loss, a responder did not answer a retransmitted READ or atomic again although it must still have it, and its NIC became idle.',
  SCB_ANSWERED:
    'A READ is answered, wholly or in part, although its key does not cover the range, does not permit READs, or belongs to another protection domain.',
  SCB_OVERTAKEN:
    'A message of a reliable connection was received, or a READ answered, before the data of an earlier WRITE of its queue pair were in memory: the target of the WRITE still has its old content.',
  SCB_GUARD: 'A byte outside every legal destination changed. Source buffers are not legal destinations.',
  SCB_STRAY_WRITE:
    'The NIC wrote to an address that no outstanding request and no permitted area covers, or wrote the data of a WRITE again after a later message had been received.',
  SCB_CQE_ADDR: 'A completion queue entry has the wrong size or is not in the next slot of its ring.',
  SCB_CQ: 'A completion arrived in a completion queue other than the one of its queue pair and direction.',
  SCB_QPN: 'A completion names a queue pair that the host does not have, or that has been idle since its reset.',
  SCB_SURPLUS: 'A completion arrived although its queue has no outstanding request.',
  SCB_DUPLICATE: 'The request that completed last on this queue completed again.',
  SCB_ORDER: 'A completion is for a request that is not the oldest outstanding one of its queue.',
  SCB_WR_ID: 'The request identifier or WQE index of a completion names no outstanding request.',
  SCB_UNSIGNALLED: 'A send request that asked for no completion got one.',
  SCB_STATUS: 'The completion status is not the one that the posted request requires.',
  SCB_REFUSED:
    'A receiver sent an RNR NAK although a receive had been posted before the message was sent, or a fatal NAK for a correct request.',
  SCB_OPCODE: 'The completion opcode does not fit the request or the message.',
  SCB_BYTE_LEN: 'The byte count of a completion is not the length of the message.',
  SCB_IMM: 'The immediate data of a receive completion differ from those of the sender.',
  SCB_FLAGS: 'The immediate or GRH flag of a completion is wrong.',
  SCB_REMOTE_QPN: 'The remote queue pair number of a completion is wrong.',
  SCB_NO_MESSAGE: 'A receive completed although no peer sent a message that could have filled it.',
  SCB_RECV_LEN: 'A message longer than its receive buffer completed with success.',
  SCB_UD_GRH: 'The 40 bytes in front of a UD message hold a wrong IPv4 or IPv6 header for its request.',
  SCB_TRANSMISSIONS: 'The number of messages on the wire differs from the number of completed requests.',
  SCB_CREDITS: 'A responder grants more credits in an acknowledgement than it has posted receives.',
  SCB_EARLY: 'A request of a reliable connection completed before the peer had acknowledged it.',
  SCB_UNANSWERED:
    'A request had to be retransmitted because the NIC of its peer received it and became idle without answering it.',
  SCB_FENCE: 'A fenced request was sent before earlier READs and atomics had been answered.',
  SCB_SOLICITED: 'The number of messages sent as solicited differs from the number posted as solicited.',
  SCB_UNSOLICITED:
    'A completion queue that was armed for solicited completions sent an event without a new solicited or failed completion.',
  SCB_CQ_OVERFLOW:
    'A completion was written to a queue that was full by the latest consumer index that its NIC could know, or whose overflow the NIC had reported (roce-transport.md 5.5).',
  SCB_EVENT_LOST: 'An armed completion queue sent no event for a matching completion.',
  SCB_ASYNC_EVENT:
    'A required asynchronous event is missing: for a refused request without a receive, a message received in RTR, a drained send queue, or a failed read of data that a queue pair, completion queue or device needs. Or an event reports a refused request although none was refused, or a receive has reported it.',
  SCB_EVENT_UNARMED: 'A completion event came for a queue that was not armed.',
  SCB_EVENT_EMPTY: 'A completion event came for a queue without a new completion since it was armed.',
  SCB_EVENT_GROUNDLESS:
    'A spurious asynchronous event: a repeated QP failure or COMM_EST, SQ_DRAINED without a request, CQ overrun of a queue that was never full, QP or device failure although all reads succeeded, or an event for a queue that never existed.',
  SCB_QUERY_QP: 'QUERY_QP returned other values than were written, or an impossible state or PSN.',
  SCB_REGION_BOUND:
    'A region was deregistered although memory windows were bound to it, or deregistration failed although none were; the profile of the NIC declares the right result (roce-transport.md 4.4, 4.8).',
  SCB_QUERY_CQ:
    'QUERY_CQ returned a wrong size, no error for a queue that has overflowed, or a wrong number of completions.',
  SCB_QUERY_MR: 'QUERY_MPT returned another range, domain or rights than those of the registration.',
  SCB_QUERY_SRQ: 'QUERY_SRQ returned a wrong size or limit of a shared receive queue.',
  SCB_FAILED_READ:
    'A read of host memory got an error, poisoned data or no answer, and every request that may have needed it completed with success.',
  SCB_RESET:
    'A NIC sent a packet, or a request to its host, after it was reset and before software opened it again (roce-transport.md 4.1).',
  SCB_MISSING:
    'A completion or the data of a posted request is missing at the end of the test; a failed queue pair does not flush its work, at the end or before it is reset or destroyed (5.3); or a complete message of an unreliable service arrived, its NIC became idle or a later message consumed its receive, and it consumed none (7.1, 7.2).',
  SCB_LEFTOVER_RECV:
    'Receives were left over, at the end of the test or when their queue pair was destroyed, although the scenario consumes all.',
  SCB_STARVED:
    'A queue pair with work, or a READ, waited while its NIC sent more than 4096 frames for each queue pair of its host.',
  SCB_STUCK: 'A queue pair with outstanding work made no useful progress for the stall time (`+STALL_TIME`).',
  SCB_NO_RECEIVE: 'All traffic has stopped, because messages wait for receives that software has not posted.',
  SCB_NOT_RESUMED:
    'All traffic has stopped, because requests wait in send queues that software has drained and has not taken from SQD to RTS.',
  SCB_RAW_SENT: 'A frame of software differs from the posted frame, or is sent before an earlier one.',
  SCB_RAW_RECEIVED:
    'The memory of a receive of a raw packet queue pair holds no frame that has arrived, or bytes behind the frame have changed.',
  SCB_RAW_COMPLETION: 'A completion of a raw packet queue pair is not for the oldest request, or has a wrong status.',
  SCB_RAW_MISSING:
    'A posted frame of software has no completion or was never sent, or a frame arrived with a receive posted and was not received.',
  SCB_ATOMIC_ORDER:
    'No serial order of the atomics on a word, each executed once, explains their results. The message names a minimal set of contradicting results (3.10).',
  SCB_ATOMIC_WRITE: 'The word of an atomic was changed in a way that no sent atomic explains (3.10).',
  SCB_ATOMIC_RESULT: 'The result in the memory of the requester differs from the answer to its atomic (3.10).',
  SCB_ATOMIC_FINAL: 'The final value of a word is not a possible result of its atomics, with nothing in flight (3.10).',
  SCB_VACUOUS: 'The run ended without a single check.',
  SCB_SETUP: 'The scoreboard got an impossible notification, for example a request on an unknown queue pair.',
};
