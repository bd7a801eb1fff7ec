/**
 * What the NIC keeps on chip for one queue pair beside its context: work in progress, timers, messages half received.
 * Created when the queue pair is first touched; everything that can be large hangs off it only while in use.
 */
import type { KeyWork } from '../memory/keyWork.ts';
import type { EventHandler } from '../../../../uvm/kernel/scheduler.ts';
import type { Frame } from '../../../nic.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import type { WritesUnderWay } from '../../../roce/memoryTarget.ts';
import type { SharedTake } from '../queues/sharedTake.ts';

/** The engines that a slot or its jobs call back. One object per NIC. */
export interface SlotEngine {
  /** The NIC forgets everything: reset, or the end of CLOSE_HCA. */
  dropAll(): void;
  /** The NIC forgets a slot: nothing that was under way for it goes on, and what it holds of others is given back. */
  dropWork(slot: QpSlot): void;
  resumeSlot(slot: QpSlot): void;
  /** The context of a slot could not be read from host memory. */
  contextLost(slot: QpSlot): void;
  /** A completion of a queue pair is lost, for its queue has overflowed: the queue pair is to stop. */
  completionLost(slot: QpSlot): void;
  slotTimer(slot: QpSlot, kind: number): void;
  requestFetched(request: SendRequest, ok: boolean): void;
  resumeRequest(request: SendRequest): void;
  jobDone(job: PacketJob, ok: boolean): void;
  resumeJob(job: PacketJob): void;
}

/** Kinds of message that a responder can be in the middle of. */
export const IN_MESSAGE = { none: 0, send: 1, write: 2 } as const;

export class QpSlot implements Resumable, EventHandler {
  readonly qpn: number;
  readonly engine: SlotEngine;

  /**
   * Dword index and record of its context in the cache, what that had counted when they were found, and whether the
   * context has been marked as changed since.
   */
  context = -1;
  contextRecord = 0;
  contextChanges = 0;
  contextTouched = false;

  /** Its context could not be read, so that nothing is done for it until software stops it. */
  lost = false;

  /** Header template and what goes with it; offset 0 = not built. */
  template = 0;
  templateValid = false;
  l3Bytes = 20;
  remoteQpn = 0;
  /** No congestion notification before this time, ps. */
  cnpNotBefore = 0;

  /** Doorbells that came while there was more to fetch: both dwords of each. */
  doorbells: number[] | null = null;
  /** Next WQE of the list being walked: byte offset in the ring, size in units (0 = none), opcode, fence. */
  nextOffset = 0;
  nextSize = 0;
  nextOpcode = 0;
  nextFence = false;
  fetching = false;

  /** Requests fetched and not completed, oldest first; `cursor` is the one being transmitted. */
  head: SendRequest | null = null;
  tail: SendRequest | null = null;
  cursor: SendRequest | null = null;
  cursorPacket = 0;
  requests = 0;
  reads = 0;
  /** Packets under construction, in the order in which they must leave. */
  txHead: PacketJob | null = null;
  txTail: PacketJob | null = null;
  jobs = 0;
  /** PSN that follows the packets sent since the last return. */
  sentPsn = 0;
  /** Jobs of an older epoch were overtaken by a retransmission and are thrown away. */
  epoch = 0;
  /** In the requester's line; packets that are left of its turn. */
  queued = false;
  turnLeft = 0;
  /** Taken from the line and waiting for its context. */
  waiting = false;
  /** Completed by acknowledgements (RC). */
  reliable = false;
  retries = 0;
  rnrRetries = 0;
  rnrWait = false;
  /** Software wants an event once the send queue is drained. */
  drainNotify = false;
  timeoutDue = false;
  /**
   * Time-out of the oldest unacknowledged packet, 0 = none. One scheduler event serves deadlines that move on: it is due
   * at `timerAt`, 0 = there is none. A deadline before that has an event of its own, and the other one is ignored.
   */
  deadline = Number.NaN;
  timerAt = Number.NaN;
  timeoutPs = Number.NaN;
  /** A retry from `retryPsn` has been asked for and nothing of it has arrived: repeats are not counted again. */
  retrying = false;
  retryPsn = 0;

  /** Received packets waiting for their turn: requests, responses. */
  rxHead: RxPacket | null = null;
  rxTail: RxPacket | null = null;
  rspHead: RxPacket | null = null;
  rspTail: RxPacket | null = null;

  /** Payload on its way to memory that is not posted, of requests and of responses; null: there has never been any. */
  rxWrites: WritesUnderWay | null = null;
  rspWrites: WritesUnderWay | null = null;

  /** Responder: message in progress. */
  inMessage: number = IN_MESSAGE.none;
  nakSent = false;
  messageBytes = 0;
  writeHi = 0;
  writeLo = 0;
  writeKey = 0;
  writeLeft = 0;
  /** UC: drop until the next first packet. */
  dropping = false;

  /** Receive WQE in use: byte-store offset of its first data segment, ring offset, cursor; -1 = none taken. */
  recvSegment = -1;
  recvOffset = 0;
  recvSge = 0;
  recvSgeDone = 0;
  recvRoom = 0;
  /** Where it takes receives from a shared queue, and has begun to; it has no receive ring then. */
  shared: SharedTake | null = null;
  /** Prefetched part of the receive ring: block, ring range that it holds valid entries for. */
  rqBlock = -1;
  rqFrom = 0;
  rqTo = 0;
  rqFetching = false;
  rqWaiter: Resumable | null = null;
  /** The latest prefetch failed. */
  rqFailed = false;
  rqFlushing = false;
  /** Asked for again meanwhile: what is read now may be older than what was posted last. */
  rqFlushAgain = false;
  /** The queue pair went to RESET, or the NIC was reset; what is still in flight for this slot is thrown away. */
  closed = false;

  /** Responses not yet packetised, and packets of responses under construction, in order. */
  respHead: ResponseItem | null = null;
  respTail: ResponseItem | null = null;
  rtHead: PacketJob | null = null;
  rtTail: PacketJob | null = null;
  respQueued = false;
  respTurnLeft = 0;
  respJobs = 0;
  /** READs that came in order and whose answers have not left completely. */
  respReads = 0;
  /** Response jobs of an older epoch are of a queue pair that was stopped meanwhile, and are thrown away. */
  respEpoch = 0;
  /** A READ could not be answered to its end: the responder is on its way to the error state, and takes nothing more. */
  refusing = false;
  /** A request has been taken in RTR, and software told so. */
  established = false;
  /** READs kept for re-execution of duplicates, newest last. */
  savedReads: SavedRead[] | null = null;
  /** Its ACK queue has been used since it was reset: host memory, or the chip, has a context of it. */
  hasAckQueue = false;

  constructor(qpn: number, engine: SlotEngine) {
    this.qpn = qpn;
    this.engine = engine;
    // Not numbers until here, so that the engine of JavaScript keeps doubles from the start.
    this.deadline = 0;
    this.timerAt = 0;
    this.timeoutPs = 0;
  }

  resume(): void {
    this.engine.resumeSlot(this);
  }

  fire(kind: number): void {
    this.engine.slotTimer(this, kind);
  }
}

/** A READ that the responder accepted; or an atomic, of which only the PSN counts. */
export interface SavedRead {
  atomic: boolean;
  psn: number;
  psns: number;
  vaHi: number;
  vaLo: number;
  rkey: number;
  length: number;
}

export const NO_READ: Readonly<SavedRead> = { atomic: false, psn: 0, psns: 0, vaHi: 0, vaLo: 0, rkey: 0, length: 0 };

/** Whether the answer of a READ has this PSN. */
export function isOfRead({ psn: first, psns }: SavedRead, psn: number): boolean {
  return psnCmp(psn, first) >= 0 && psnCmp(psn, psnAdd(first, psns)) < 0;
}

/** A send WQE from its fetch to its completion. Pooled; owns the memory that holds the WQE's bytes. */
export class SendRequest implements DmaClient, Resumable {
  slot!: QpSlot;
  next: SendRequest | null = null;
  /** 0 being fetched, 1 to be parsed, 2 parsed. */
  stage = 0;
  wqe = 0; // byte-store offset
  room = 0; // bytes there
  wqeOffset = 0; // in the ring
  wqeBytes = 0;
  fetched = 0;
  pendingReads = 0;
  /** Reads of its WQE that failed, and whether the latest did. */
  failures = 0;
  unread = false;
  /** Waits with its queue pair's context pinned. */
  pinned = false;
  opcode = 0;
  fence = false;
  solicited = false;
  /** It has a completion also when it succeeds. */
  signalled = true;
  imm = 0;
  cqn = 0;
  remoteQpn = 0;
  /** Dword indices of the first data segment and of the UD segment. */
  segments = 0;
  udSegment = 0;
  remoteHi = 0;
  remoteLo = 0;
  rkey = 0;
  /** Dword index of the operands of an atomic. */
  operands = 0;
  length = 0;
  packets = 0;
  psns = 0;
  firstPsn = -1;
  lastPsn = -1;
  /** Position in the data segments of the next packet to build (or READ byte to place). */
  sge = 0;
  sgeDone = 0;
  sgePacket = 0;
  /** READ: index of the response that the latest request packet asked for first. */
  readBase = 0;
  sent = false;
  syndrome = 0;
  /** Of one that changes a key: how far that is; null before. */
  keyWork: KeyWork | null = null;

  dmaDone(_arg: number, ok: boolean): void {
    this.slot.engine.requestFetched(this, ok);
  }

  resume(): void {
    this.slot.engine.resumeRequest(this);
  }
}

/** One packet from the start of its gathering to the link. Pooled. */
export class PacketJob implements DmaClient, Resumable {
  slot!: QpSlot;
  next: PacketJob | null = null;
  frame: Frame | null = null;
  request: SendRequest | null = null;
  /** READ response: key and address of the next byte; otherwise the request's data segments are walked. */
  response = false;
  rkey = 0;
  vaHi = 0;
  vaLo = 0;
  epoch = 0;
  pd = 0;
  pending = 0;
  left = 0;
  /** Byte-store offset where the next byte goes; end of the payload. */
  at = 0;
  end = 0;
  sge = 0;
  sgeDone = 0;
  last = false;
  ackRequest = false;
  psn = 0;
  /** Response: its message number. */
  msn = 0;
  /** The refusal that it is, a syndrome that ends the queue pair, or 0. */
  refusal = 0;
  /** READ response: its READ is answered once more. */
  again = false;
  l3Bytes = 20;
  ready = false;
  syndrome = 0;

  dmaDone(_arg: number, ok: boolean): void {
    // Not the last answer that the packet waits for: nothing can leave yet, and no room has become free.
    if (ok === true && this.pending > 1) this.pending--;
    else this.slot.engine.jobDone(this, ok);
  }

  resume(): void {
    this.slot.engine.resumeJob(this);
  }
}

/** What a response is. */
export const RESPONSE = { acknowledgement: 0, read: 1, atomic: 2 } as const;

/** A response waiting for its turn: an ACK or NAK, the packets of a READ, or the answer of an atomic. Pooled. */
export class ResponseItem {
  next: ResponseItem | null = null;
  kind: number = RESPONSE.acknowledgement;
  syndrome = 0;
  msn = 0;
  psn = 0;
  psns = 0;
  sent = 0;
  /** Address of a READ, original value of an atomic. */
  vaHi = 0;
  vaLo = 0;
  rkey = 0;
  length = 0;
  mtu = 0;
  pd = 0;
  /** A READ or atomic that was not asked before. */
  fresh = false;
}
