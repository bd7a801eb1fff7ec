/**
 * Fills the items of a host's work and control memory, and writes them to its monitor. Items are reused, and not filled when
 * nobody listens. Ports that every request passes have their subscribers called from here, where the engine knows who
 * they are.
 */

import { AreaItem, type AreaKind } from '../../agents/verbs/memoryItems.ts';
import { PostedRecv, PostedSend, VisibleCompletion } from '../../agents/verbs/verbsItems.ts';
import type {
  MrInfo,
  QpInfo,
  QpPath,
  RawQpInfo,
  RecvWr,
  SendWr,
  WorkCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import { MTU_BYTES, QP_TYPE, RAW_FRAME_OVERHEAD } from '../../rdma/verbs.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { Ah, Cq, Mr, Qp, Srq } from './verbsObjects.ts';

export class HostPublisher {
  readonly #monitor: VerbsMonitor;
  readonly #ahs: readonly Ah[];
  readonly #send = new PostedSend();
  readonly #recv = new PostedRecv();
  readonly #completion = new VisibleCompletion();
  readonly #area = new AreaItem();

  constructor(host: number, monitor: VerbsMonitor, ahs: readonly Ah[]) {
    this.#monitor = monitor;
    this.#ahs = ahs;
    for (const item of [this.#send, this.#recv, this.#completion, this.#area]) item.host = host;
  }

  sends(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void {
    if (qp.type === QP_TYPE.raw) {
      this.#rawSends(qp, wrs, count, first, mask);
      return;
    }
    const { subscribers } = this.#monitor.postedSends;
    if (subscribers.length === 0) return;
    const item = this.#send;
    const datagram = qp.type === QP_TYPE.ud;
    item.qpn = qp.qpn;
    item.remoteHost = qp.remoteHost;
    for (let i = 0; i < count; i++) {
      const wr = wrs[i] as SendWr;
      item.wqeIndex = (first + i) & mask;
      if (datagram) item.remoteHost = this.#ahs[wr.ah]?.remoteHost ?? -1;
      item.wr = wr;
      for (let k = 0; k < subscribers.length; k++) (subscribers[k] as Subscriber<PostedSend>).write(item);
    }
  }

  #rawSends(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void {
    const item = this.#send;
    item.qpn = qp.qpn;
    item.remoteHost = -1;
    for (let i = 0; i < count; i++) {
      item.wqeIndex = (first + i) & mask;
      item.wr = wrs[i] as SendWr;
      this.#monitor.tell('rawSendPosted', item);
    }
  }

  recvs(qp: Qp, wrs: readonly RecvWr[], count: number, first: number, mask: number): void {
    const { subscribers } = this.#monitor.postedRecvs;
    if (subscribers.length === 0) return;
    const raw = qp.type === QP_TYPE.raw;
    const item = this.#recv;
    item.qpn = qp.qpn;
    item.srqn = -1;
    item.pd = qp.pd.pdn;
    for (let i = 0; i < count; i++) {
      item.wqeIndex = (first + i) & mask;
      item.wr = wrs[i] as RecvWr;
      if (raw) this.#monitor.tell('rawRecvPosted', item);
      else for (let k = 0; k < subscribers.length; k++) (subscribers[k] as Subscriber<PostedRecv>).write(item);
    }
  }

  sharedRecvs(srq: Srq, wrs: readonly RecvWr[], count: number, slots: readonly number[]): void {
    const item = this.#recv;
    item.qpn = -1;
    item.srqn = srq.srqn;
    item.pd = srq.pd.pdn;
    for (let i = 0; i < count; i++) {
      item.wqeIndex = slots[i] as number;
      item.wr = wrs[i] as RecvWr;
      for (const subscriber of this.#monitor.postedRecvs.subscribers) subscriber.write(item);
    }
  }

  /** @param raw of a raw packet queue pair */
  completion(cq: Cq, wc: WorkCompletion, raw: boolean): void {
    const item = this.#completion;
    item.cqn = cq.cqn;
    item.wc = wc;
    if (raw) {
      this.#monitor.tell('rawCompletion', item);
      return;
    }
    const { subscribers } = this.#monitor.completions;
    for (let k = 0; k < subscribers.length; k++) (subscribers[k] as Subscriber<VisibleCompletion>).write(item);
  }

  area(
    kind: AreaKind,
    hi: number,
    lo: number,
    length: number,
    allowed: boolean,
    id: number,
    offset: number,
    ringBytes: number,
    entryBytes: number,
    continues = false,
    qpn = -1,
    start = 0,
  ): void {
    const item = this.#area;
    item.kind = kind;
    item.hi = hi;
    item.lo = lo;
    item.length = length;
    item.id = id;
    item.offset = offset;
    item.ringBytes = ringBytes;
    item.entryBytes = entryBytes;
    item.start = start;
    item.continues = continues;
    item.qpn = qpn;
    this.#monitor.tell(allowed ? 'areaOpened' : 'areaClosed', item);
  }
}

/** What is told of a region. */
export function mrInfoOf({ host, pd, key, hi, lo, length, access, zeroBased }: Mr): MrInfo {
  return { host, process: pd.process, pd: pd.pdn, key, hi, lo, length, access, zeroBased };
}

/** What is told of a raw packet queue pair. @param most bytes of a frame; default an MTU and what frames have beyond */
export function rawQpInfoOf(qp: Qp, most: number | undefined): RawQpInfo {
  const { host, qpn, process, pd, port, pathMtu, signalAll, sendCq, recvCq } = qp;
  const mostBytes = most ?? (MTU_BYTES[pathMtu] ?? 0) + RAW_FRAME_OVERHEAD;
  return { host, qpn, process, pd: pd.pdn, port, mostBytes, signalAll, sendCqn: sendCq.cqn, recvCqn: recvCq.cqn };
}

/** What is told of a queue pair. */
export function qpInfoOf(qp: Qp): QpInfo {
  const datagram = qp.type === QP_TYPE.ud;
  return {
    host: qp.host,
    qpn: qp.qpn,
    process: qp.process,
    pd: qp.pd.pdn,
    type: qp.type,
    access: datagram ? undefined : qp.accessFlags,
    sendCqn: qp.sendCq.cqn,
    recvCqn: qp.recvCq.cqn,
    srqn: qp.srq?.srqn,
    mtu: MTU_BYTES[qp.pathMtu] ?? 0,
    remoteHost: datagram ? -1 : qp.remoteHost,
    remoteQpn: datagram ? -1 : qp.destQpn,
    ...(datagram ? { port: qp.port } : {}),
    path: datagram ? undefined : pathOf(qp),
    sqPsn: qp.sqPsn,
    rqPsn: qp.rqPsn,
    qkey: qp.qkey,
    ackTimeout: qp.timeout,
    retryCnt: qp.retryCnt,
    rnrRetry: qp.rnrRetry,
    maxRdAtomic: qp.maxRdAtomic,
    maxDestRdAtomic: qp.maxDestRdAtomic,
    minRnrTimer: qp.minRnrTimer,
    signalAll: qp.signalAll,
  };
}

function pathOf(qp: Qp): QpPath {
  const { port, ipv6, trafficClass, flowLabel, hopLimit } = qp;
  return { port, ipv6, trafficClass, flowLabel, hopLimit };
}
