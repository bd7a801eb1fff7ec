/**
 * Fills and writes the items of a host's analysis ports. Items are reused, and not filled when nobody listens. Ports
 * that every request passes have their subscribers called from here, where the engine knows who they are.
 */

import { PostedRecv, PostedSend, VisibleCompletion } from '../../agents/verbs/verbsItems.ts';
import type { MrInfo, QpInfo, QpPath, RecvWr, SendWr, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { MTU_BYTES, QP_TYPE } from '../../rdma/verbs.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import {
  AreaItem,
  CqArmed,
  CqNumber,
  MrGone,
  QpGone,
  QpHeld,
  QpStopped,
  type AreaKind,
} from '../../agents/verbs/hostItems.ts';
import type { HostPorts } from '../../agents/verbs/hostPorts.ts';
import type { Ah, Cq, Mr, Qp } from './verbsObjects.ts';

export class HostPublisher {
  readonly #host: number;
  readonly #ports: HostPorts;
  readonly #ahs: readonly Ah[];
  readonly #send = new PostedSend();
  readonly #recv = new PostedRecv();
  readonly #completion = new VisibleCompletion();
  readonly #area = new AreaItem();
  readonly #cqArmed = new CqArmed();
  readonly #cq = new CqNumber();
  readonly #qpGone = new QpGone();
  readonly #qpStopped = new QpStopped();
  readonly #qpHeld = new QpHeld();
  readonly #mrGone = new MrGone();

  constructor(host: number, ports: HostPorts, ahs: readonly Ah[]) {
    this.#host = host;
    this.#ports = ports;
    this.#ahs = ahs;
    for (const item of [this.#send, this.#recv, this.#completion, this.#area]) item.host = host;
    for (const item of [this.#cqArmed, this.#cq]) item.host = host;
    for (const item of [this.#qpGone, this.#qpStopped, this.#qpHeld, this.#mrGone]) item.host = host;
  }

  sends(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void {
    const { subscribers } = this.#ports.postedSends;
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

  recvs(qp: Qp, wrs: readonly RecvWr[], count: number, first: number, mask: number): void {
    const { subscribers } = this.#ports.postedRecvs;
    if (subscribers.length === 0) return;
    const item = this.#recv;
    item.qpn = qp.qpn;
    item.pd = qp.pd.pdn;
    for (let i = 0; i < count; i++) {
      item.wqeIndex = (first + i) & mask;
      item.wr = wrs[i] as RecvWr;
      for (let k = 0; k < subscribers.length; k++) (subscribers[k] as Subscriber<PostedRecv>).write(item);
    }
  }

  completion(cq: Cq, wc: WorkCompletion): void {
    const item = this.#completion;
    item.cqn = cq.cqn;
    item.wc = wc;
    const { subscribers } = this.#ports.completions;
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
    item.continues = continues;
    item.allowed = allowed;
    this.#ports.areas.write(item);
  }

  cqArmed(cq: Cq, solicitedOnly: boolean): void {
    const item = this.#cqArmed;
    item.cqn = cq.cqn;
    item.solicitedOnly = solicitedOnly;
    item.unseen = cq.arrived;
    this.#ports.cqsArmed.write(item);
  }

  cqEvent(cq: Cq): void {
    this.#cq.cqn = cq.cqn;
    this.#ports.cqEvents.write(this.#cq);
  }

  cqGone(cq: Cq): void {
    this.#cq.cqn = cq.cqn;
    this.#ports.cqsGone.write(this.#cq);
  }

  qpMade(qp: Qp): void {
    if (this.#ports.qpsMade.size > 0) this.#ports.qpsMade.write(infoOf(qp));
  }

  qpListening(qp: Qp): void {
    if (this.#ports.qpsListening.size > 0) this.#ports.qpsListening.write(infoOf(qp));
  }

  qpStarting(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsStarting.write(this.#qpGone);
  }

  qpReady(qp: Qp): void {
    if (this.#ports.qps.size > 0) this.#ports.qps.write(infoOf(qp));
  }

  /** @param done the NIC has taken the new attributes; before that, it may work by either */
  qpChanged(qp: Qp, done: boolean): void {
    const port = done ? this.#ports.qpsChanged : this.#ports.qpsChanging;
    if (port.size > 0) port.write(infoOf(qp));
  }

  qpResets(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsResetting.write(this.#qpGone);
  }

  qpGone(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsGone.write(this.#qpGone);
  }

  qpSilent(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsSilent.write(this.#qpGone);
  }

  qpHeld(qp: Qp, held: boolean): void {
    this.#qpHeld.qpn = qp.qpn;
    this.#qpHeld.held = held;
    this.#ports.qpsHeld.write(this.#qpHeld);
  }

  qpDraining(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsDraining.write(this.#qpGone);
  }

  qpDrained(qpn: number): void {
    this.#qpGone.qpn = qpn;
    this.#ports.qpsDrained.write(this.#qpGone);
  }

  qpResumed(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsResumed.write(this.#qpGone);
  }

  qpRecovered(qp: Qp): void {
    this.#qpGone.qpn = qp.qpn;
    this.#ports.qpsRecovered.write(this.#qpGone);
  }

  qpStopped(qp: Qp, destroyed: boolean): void {
    this.#qpStopped.qpn = qp.qpn;
    this.#qpStopped.destroyed = destroyed;
    this.#ports.qpsStopped.write(this.#qpStopped);
  }

  ahReady({ index, remoteHost, path }: Ah): void {
    this.#ports.ahs.write({ host: this.#host, index, remoteHost, path });
  }

  mrReady(mr: Mr): void {
    this.#ports.mrs.write(mrInfoOf(mr));
  }

  mrGone(mr: Mr): void {
    this.#mrGone.key = mr.key;
    this.#ports.mrsGone.write(this.#mrGone);
  }

  mrForgotten(mr: Mr): void {
    this.#ports.mrsForgotten.write(mrInfoOf(mr));
  }
}

function mrInfoOf({ host, pd, key, hi, lo, length, access, zeroBased }: Mr): MrInfo {
  return { host, process: pd.process, pd: pd.pdn, key, hi, lo, length, access, zeroBased };
}

function infoOf(qp: Qp): QpInfo {
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
    mtu: MTU_BYTES[qp.pathMtu] ?? 0,
    remoteHost: datagram ? -1 : qp.remoteHost,
    remoteQpn: datagram ? -1 : qp.destQpn,
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
  const { ipv6, trafficClass, flowLabel, hopLimit } = qp;
  return { ipv6, trafficClass, flowLabel, hopLimit };
}
