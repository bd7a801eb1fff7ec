/**
 * What the host API hands out: protection domains, regions, queues, queue pairs, address handles. Plain objects with
 * small integers, because a run may have 8192 of each; providers extend them with what their NIC needs.
 *
 * Addresses are two 32-bit halves as signed integers.
 */

import type { QpPath } from '../../agents/verbs/verbsItems.ts';
import { QP_STATE } from '../../rdma/verbs.ts';
import type { QpState, QpType } from '../../rdma/verbs.ts';
import { isPlainPath } from './ah/ahAttributes.ts';

/** Protection domain of one process. @public */
export class Pd {
  readonly host: number;
  readonly process: number;
  /** Number that contexts and table entries carry; unique on its host. */
  readonly pdn: number;
  /** Regions, queue pairs, shared receive queues and address handles that belong to it. */
  users = 0;
  alive = true;

  constructor(host: number, process: number, pdn: number) {
    this.host = host;
    this.process = process;
    this.pdn = pdn;
  }
}

/** Registered memory region. @public */
export class Mr {
  readonly host: number;
  readonly pd: Pd;
  /** Local and remote key are the same number. */
  readonly key: number;
  /** First byte. For a zero-based region addresses on the wire are offsets from it. */
  readonly hi: number;
  readonly lo: number;
  /** Bytes, below 2^53. */
  readonly length: number;
  /** `ACCESS` bits. */
  readonly access: number;
  readonly zeroBased: boolean;
  alive = true;

  constructor(pd: Pd, key: number, hi: number, lo: number, length: number, access: number, zeroBased: boolean) {
    this.host = pd.host;
    this.pd = pd;
    this.key = key;
    this.hi = hi;
    this.lo = lo;
    // A small integer where it can be one: from a list of doubles it would be an object of its own.
    this.length = length > 0x7fff_ffff ? length : length | 0;
    this.access = access;
    this.zeroBased = zeroBased;
  }
}

/** @public */
export type MwType = 1 | 2;

/** Memory window. It opens nothing until a request binds it. @public */
export class Mw {
  readonly host: number;
  readonly pd: Pd;
  readonly type: MwType;
  /** The key that it was bound with last, as software counts it; before that the one that it was made with. */
  key: number;
  alive = true;

  constructor(pd: Pd, type: MwType, key: number) {
    this.host = pd.host;
    this.pd = pd;
    this.type = type;
    this.key = key;
  }
}

/** Region that requests register, with a list of pages, and invalidate. @public */
export class FastMr {
  readonly host: number;
  readonly pd: Pd;
  /** Pages that it has room for. */
  readonly maxPages: number;
  /** The key that it was registered with last, as software counts it; before that the one that it was made with. */
  key: number;
  alive = true;

  constructor(pd: Pd, key: number, maxPages: number) {
    this.host = pd.host;
    this.pd = pd;
    this.key = key;
    this.maxPages = maxPages;
  }
}

/** Completion queue. @public */
export class Cq {
  readonly host: number;
  readonly process: number;
  readonly cqn: number;
  /** Capacity in completions, a power of two. */
  entries: number;
  /** Completions written by the NIC since creation. */
  produced = 0;
  /** Completions taken by software since creation. */
  consumed = 0;
  /** Send and receive queues that report here. */
  users = 0;
  /** Those of raw packet queue pairs among them. */
  rawUsers = 0;
  /** It is in error: it has overflowed, or its NIC has lost it. Nothing more comes there. */
  inError = false;
  /** It is getting another size. */
  resizing = false;
  alive = true;
  /** 0 not armed, 1 armed for solicited completions, 2 armed for the next one. */
  armed = 0;
  /** Completions that had been taken when it was armed. */
  takenWhenArmed = 0;
  /** In the host's list of queues with something to poll. */
  ready = false;
  /** Processes parked in `waitCq`. */
  waiters = 0;

  constructor(host: number, process: number, cqn: number, entries: number) {
    this.host = host;
    this.process = process;
    this.cqn = cqn;
    this.entries = entries;
  }

  /** Completions that are visible and not yet polled. */
  get arrived(): number {
    return this.produced - this.consumed;
  }
}

/** Shared receive queue of a protection domain, and so of one process. @public */
export class Srq {
  readonly host: number;
  readonly process: number;
  readonly pd: Pd;
  readonly srqn: number;
  /** Granted: at least what was asked for. */
  readonly maxWr: number;
  readonly maxSge: number;
  /** Queue pairs that take their receives from it. */
  users = 0;
  alive = true;
  /** Receives posted, and known to be complete, since creation. */
  posted = 0;
  freed = 0;

  constructor(pd: Pd, srqn: number, maxWr: number, maxSge: number) {
    this.host = pd.host;
    this.process = pd.process;
    this.pd = pd;
    this.srqn = srqn;
    this.maxWr = maxWr;
    this.maxSge = maxSge;
  }

  /** Receives posted and not yet known to be complete. */
  get outstanding(): number {
    return this.posted - this.freed;
  }
}

/** What a queue pair is created with. @public */
export interface QpInit {
  readonly type: QpType;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  /** Work requests that may be outstanding. Rounded up; see `Qp.maxSendWr`. */
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Queue that it takes its receives from, of RC and UD; then `maxRecvWr` does not count. Default: it has its own. */
  readonly srq?: Srq | null;
  /** Scatter/gather entries of a request. */
  readonly maxSge: number;
  /** Every send request completes, whatever its flags say. Default true. */
  readonly signalAll?: boolean;
  /** Longest inline message in bytes. Default 0. */
  readonly maxInline?: number;
}

/** Queue pair, with the attributes it has now. @public */
export class Qp {
  readonly host: number;
  readonly process: number;
  readonly qpn: number;
  /** Ordinal among the queue pairs that its host has made since its device was opened, from 0; -1 before it is made. */
  ordinal = -1;
  readonly type: QpType;
  readonly pd: Pd;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  /** Queue that it takes its receives from; null: its own. */
  readonly srq: Srq | null;
  /** Granted capacities: at least what was asked for. */
  maxSendWr = 0;
  maxRecvWr = 0;
  readonly maxSge: number;
  readonly maxInline: number;
  readonly signalAll: boolean;
  alive = true;
  /** State as software knows it: what it last asked for, or ERR/SQE after a failed completion. */
  state: QpState = QP_STATE.reset;
  /** Requests posted, and known to be complete, since the last reset; running counts. */
  sqPosted = 0;
  sqFreed = 0;
  rqPosted = 0;
  rqFreed = 0;
  /** Send requests posted of which nothing is sent: they change keys. */
  sqSilent = 0;
  /** Send requests that ended with an error since the last reset, and those posted before the last SQE -> RTS. */
  sqFailed = 0;
  sqRecovered = 0;
  /** Position behind the latest send request that asked for a completion, and behind the latest of which one is visible. */
  sqSignalled = 0;
  sqCompleted = 0;
  /** Takes positions of send requests to the slots that completions name. */
  sqSlotMask = 0;

  /** Counts the beginning and the end of every modification: while it is odd, one is under way or has failed. */
  changes = 0;

  /** Attributes (roce-transport.md 6.2). `pathMtu` is the code 1 .. 5. */
  pkeyIndex = 0;
  port = 1;
  accessFlags = 0;
  qkey = 0;
  remoteHost = -1;
  ipv6 = false;
  serviceLevel = 0;
  trafficClass = 0;
  flowLabel = 0;
  hopLimit = 64;
  pathMtu = 0;
  destQpn = 0;
  rqPsn = 0;
  sqPsn = 0;
  maxDestRdAtomic = 0;
  maxRdAtomic = 0;
  minRnrTimer = 0;
  timeout = 0;
  retryCnt = 0;
  rnrRetry = 0;

  constructor(pd: Pd, qpn: number, init: QpInit) {
    this.host = pd.host;
    this.process = pd.process;
    this.qpn = qpn;
    this.type = init.type;
    this.pd = pd;
    this.sendCq = init.sendCq;
    this.recvCq = init.recvCq;
    this.srq = init.srq ?? null;
    this.maxSge = init.maxSge;
    this.maxInline = init.maxInline ?? 0;
    this.signalAll = init.signalAll ?? true;
  }

  /** Send requests posted and not yet known to be complete. */
  get sendOutstanding(): number {
    return this.sqPosted - this.sqFreed;
  }

  /** Whether a completion must still become visible that a send request has asked for. */
  get owesCompletion(): boolean {
    return this.sqSignalled > this.sqCompleted && !this.sendCq.inError;
  }

  /** Receive requests posted and not yet known to be complete, of the queue that it takes them from. */
  get recvOutstanding(): number {
    return this.srq === null ? this.rqPosted - this.rqFreed : this.srq.outstanding;
  }
}

/** Address handle: where datagrams go. `index` is what `SendWr.ah` carries. @public */
export class Ah {
  readonly index: number;
  readonly host: number;
  /** Datagrams of queue pairs of other domains must not use it. */
  readonly pd: Pd;
  readonly remoteHost: number;
  readonly path: QpPath;
  /** Entry of the port's GID table that datagrams come from, `GID_INDEX`. */
  readonly gidIndex: number;
  /** Its path has nothing that software has asked for but the IP version. */
  readonly isPlain: boolean;
  alive = true;

  constructor(index: number, pd: Pd, remoteHost: number, path: QpPath, gidIndex: number) {
    this.index = index;
    this.host = pd.host;
    this.pd = pd;
    this.remoteHost = remoteHost;
    this.path = path;
    this.gidIndex = gidIndex;
    this.isPlain = isPlainPath(path);
  }

  get ipv6(): boolean {
    return this.path.ipv6;
  }
}
