/**
 * Transactions of the verbs interface: what host software asks a NIC for and what it is told back.
 * Host API and providers fill them, the scoreboard and coverage read them. All are reusable: an item is valid only
 * while `write` of the analysis port runs; who wants to keep it copies it.
 *
 * Virtual addresses are two 32-bit halves as signed integers.
 */

/** One scatter/gather entry. @public */
export class Sge {
  hi = 0;
  lo = 0;
  /** Bytes, 0 .. 2^31. */
  length = 0;
  lkey = 0;

  constructor(hi = 0, lo = 0, length = 0, lkey = 0) {
    this.hi = hi;
    this.lo = lo;
    this.length = length;
    this.lkey = lkey;
  }
}

/** A send-queue work request. `numSge` entries of `sges` are in use. @public */
export class SendWr {
  /** Free for the caller, below 2^53; comes back in the completion. */
  wrId = 0;
  /** `WR_OPCODE` of rdma/verbs.ts. */
  opcode = 0;
  /** `SEND_FLAG` bits. */
  flags = 0;
  numSge = 0;
  readonly sges: Sge[] = [];
  /** RDMA and atomic operations. */
  remoteHi = 0;
  remoteLo = 0;
  rkey = 0;
  /** Immediate data, 32 bits, as a number in host order; of SEND_WITH_INV and LOCAL_INV the key to be invalidated. */
  imm = 0;
  /** Atomics: compare/add and swap operands. */
  compareHi = 0;
  compareLo = 0;
  swapHi = 0;
  swapLo = 0;
  /** UD: destination. `ah` indexes the host's address handles. */
  ah = 0;
  remoteQpn = 0;
  remoteQkey = 0;
  /** BIND_MW and REG_MR: what the key of a window, or of a region, is to open. */
  change: KeyChange | null = null;

  /** Sets the scatter/gather list length, growing the entry pool. */
  setNumSge(n: number): void {
    while (this.sges.length < n) this.sges.push(new Sge());
    this.numSge = n;
  }
}

/**
 * What a request makes of a key: a window on part of a region (BIND_MW), or a region of the pages of a range (REG_MR). Addresses are
 * those of the process. @public
 */
export interface KeyChange {
  /** The key that is to open it: that of the window or region, with a tag of one's own. */
  readonly key: number;
  /** Windows: key of the region that they are to be part of. */
  readonly mrKey: number;
  readonly hi: number;
  readonly lo: number;
  /** Bytes. 0 unbinds a window of type 1. */
  readonly length: number;
  /** `ACCESS` bits; of windows those of the other side. */
  readonly access: number;
  /** Addresses on the wire are offsets. Default false. */
  readonly zeroBased?: boolean;
  /** Type of the window; 0 for a region. */
  readonly type: 0 | 1 | 2;
}

/** A receive-queue work request. @public */
export class RecvWr {
  wrId = 0;
  numSge = 0;
  readonly sges: Sge[] = [];

  setNumSge(n: number): void {
    while (this.sges.length < n) this.sges.push(new Sge());
    this.numSge = n;
  }
}

/** Of `byteLen` and `srcQp` of a send completion: the NIC does not tell. */
export const NOT_TOLD = -1;

/** A work completion as the host reads it from a completion queue. Names follow `ibv_wc`. @public */
export class WorkCompletion {
  wrId = 0;
  /** `WC_STATUS` of rdma/verbs.ts. */
  status = 0;
  /** `WC_OPCODE`. */
  opcode = 0;
  vendorErr = 0;
  /** Bytes of the message, and of the GRH before a datagram. */
  byteLen = 0;
  qpn = 0;
  /** Queue pair at the other end. */
  srcQp = 0;
  /** Immediate data, or the key that was invalidated. */
  imm = 0;
  /** `WC_FLAG` bits. */
  flags = 0;
  /** True for a completion of the send queue. */
  isSend = false;
  /** Index of the work-queue entry in its ring, as the NIC reported it; -1 where the NIC does not. */
  wqeIndex = -1;
}

/** The port that packets of a connection keep to, and what they carry besides addresses; see `AddressVector` of the host API. */
export interface QpPath {
  /** From 1. Default 1. */
  readonly port?: number;
  /** RoCEv2 over IPv6 instead of IPv4. */
  readonly ipv6: boolean;
  readonly trafficClass: number;
  /** IPv6 only. */
  readonly flowLabel: number;
  readonly hopLimit: number;
}

/** An address handle was made: where datagrams that name it go, and on which path. */
export interface AhInfo {
  readonly host: number;
  readonly index: number;
  readonly remoteHost: number;
  readonly path: QpPath;
  /** Protection domain; left out where it is not known. */
  readonly pd?: number | undefined;
}

/** A queue pair's identity and fixed attributes, published when it reaches RTS. */
export interface QpInfo {
  readonly host: number;
  readonly qpn: number;
  readonly process: number;
  /** Protection domain; left out where it is not known. */
  readonly pd?: number | undefined;
  /** `QP_TYPE`. */
  readonly type: number;
  /** Operations of the peer that a connected queue pair permits, `ACCESS` bits; left out where it is not known. */
  readonly access?: number | undefined;
  readonly sendCqn: number;
  readonly recvCqn: number;
  /** Shared receive queue that it takes its receives from; left out where it has one of its own. */
  readonly srqn?: number | undefined;
  /** Path MTU in bytes. */
  readonly mtu: number;
  /** Connected peer; -1 for UD. */
  readonly remoteHost: number;
  readonly remoteQpn: number;
  /** Port of the NIC that its datagrams leave by, from 1; that of a connection is in its path. Default 1. */
  readonly port?: number | undefined;
  /** Path to the peer; left out where it is not known, and for UD, where each request has its own. */
  readonly path?: QpPath | undefined;
  readonly sqPsn: number;
  readonly rqPsn: number;
  readonly qkey: number;
  /** Local ACK time-out of an RC QP: 4.096 us * 2^code, 0 = never. */
  readonly ackTimeout: number;
  /** How often an RC QP sends a message again that gets no answer; left out where it is not known. */
  readonly retryCnt?: number | undefined;
  /** How often an RC QP sends a message again that finds no receive, 7 = for ever. */
  readonly rnrRetry: number;
  /** READs and atomics that an RC QP may have outstanding; left out or 0 where it is not known. */
  readonly maxRdAtomic?: number | undefined;
  /** READs and atomics of its peer that an RC QP answers at once; left out where it is not known. */
  readonly maxDestRdAtomic?: number | undefined;
  /** Code of the time that an RC QP asks for when it is not ready; left out where it is not known. */
  readonly minRnrTimer?: number | undefined;
  /** True when every send request produces a completion. */
  readonly signalAll: boolean;
}

/** A raw packet queue pair, published when it reaches RTS. */
export interface RawQpInfo {
  readonly host: number;
  readonly qpn: number;
  readonly process: number;
  readonly pd: number;
  /** Ethernet port of its NIC, from 1, and the longest frame that it sends: an MTU and 18 bytes. */
  readonly port: number;
  readonly mostBytes: number;
  /** True when every frame that is sent produces a completion. */
  readonly signalAll: boolean;
  readonly sendCqn: number;
  readonly recvCqn: number;
}

/** A registered memory region: which virtual range a key opens, in which protection domain. */
export interface MrInfo {
  readonly host: number;
  readonly process: number;
  readonly pd: number;
  readonly key: number;
  /** Start; for a zero-based region the wire addresses are offsets. */
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** `ACCESS` bits. */
  readonly access: number;
  readonly zeroBased: boolean;
}

/** Posted work, one per analysis-port write. */
export class PostedSend {
  host = 0;
  qpn = 0;
  /** Slot of the work-queue entry in the send ring. */
  wqeIndex = 0;
  /** Where a UD request goes: host of its address handle; the peer otherwise. */
  remoteHost = 0;
  wr: SendWr = new SendWr();
}

/** A posted receive, as `PostedSend`. */
export class PostedRecv {
  host = 0;
  /** Queue pair to which it is posted; -1 = a shared receive queue, `srqn`. */
  qpn = 0;
  srqn = -1;
  /** Protection domain of the queue pair; -1 where it is not known. */
  pd = -1;
  wqeIndex = 0;
  wr: RecvWr = new RecvWr();
}

/**
 * A completion became visible in host memory. Published the moment its bytes are written, before any software
 * could poll it: whatever it promises must already be true.
 */
export class VisibleCompletion {
  host = 0;
  cqn = 0;
  wc: WorkCompletion = new WorkCompletion();
}

/** An asynchronous event. */
export interface AsyncEventItem {
  readonly host: number;
  /** `ASYNC_EVENT`. */
  readonly event: number;
  /** QPN, CQN or port, as the event demands. */
  readonly number: number;
}
