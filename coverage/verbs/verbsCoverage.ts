/**
 * Samples the covergroups of verbs. Listens to what host software asks for and is told: it keeps what it needs to know
 * of queue pairs and regions by itself, and asks nobody.
 */

import type {
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  SendWr,
  Sge,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { GRH_BYTES, QP_STATE, SEND_FLAG, WC_FLAG, WC_STATUS, WR_OPCODE } from '../../rdma/verbs.ts';
import { Tally } from '../../uvm/coverage/tally.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { alignmentOf, crosses4Gib, PAGE_BYTES, pageCrossings, sizeClass } from '../sizeClass.ts';
import { BUFFER_USE, BufferSample, bufferCg, bufferLength } from './bufferGroups.ts';
import {
  accessOutcomeCg,
  CompletionSample,
  errorCompletionCg,
  FIT,
  flushCg,
  receiveCompletionCg,
  sendCompletionCg,
} from './completionGroups.ts';
import {
  AttributesSample,
  cqSharingCg,
  PopulationSample,
  pathCg,
  populationCg,
  qpAttributesCg,
  qpStateCg,
  StateSample,
  startPsnCg,
} from './queuePairGroups.ts';
import { type QueuePairFacts, QueuePairs, SERVICE } from './queuePairs.ts';
import {
  ArmSample,
  asyncEventCg,
  BatchSample,
  batchCg,
  COMMAND,
  CommandSample,
  CqDepthSample,
  commandCg,
  cqArmCg,
  cqMixCg,
  cqRingCg,
  DeregisterSample,
  deregisterCg,
  EventSample,
  ReceiveSample,
  RegionSample,
  RingSample,
  receiveCg,
  regionCg,
  TopologySample,
  topologyCg,
} from './queueGroups.ts';
import { Regions } from './regions.ts';
import {
  addressedHostCg,
  inlineCg,
  isRdma,
  RequestSample,
  RIGHTS,
  remoteAddressCg,
  requestCg,
  rightsOf,
  sendFlagsCg,
  sendQueueCg,
  sgListCg,
} from './requestGroups.ts';
import { SharedCqs } from './sharedCqs.ts';

/** What tells whether packets are on their way. */
export interface WireTraffic {
  /** Whether a packet of a queue pair has left a moment ago. */
  isUnderWay(host: number, qpn: number): boolean;
  /** Whether any is. */
  readonly isBusy: boolean;
}

export class VerbsCoverage implements VerbsObserver {
  readonly pairs = new QueuePairs();
  readonly #regions = new Regions();
  readonly #cqs = new SharedCqs();
  readonly #hosts: number;
  readonly #traffic: WireTraffic;
  /** By host: processes that have queue pairs. */
  readonly #processes: readonly Set<number>[];
  /** By host: number of the latest request, and requests that have no completion. */
  readonly #posted: Float64Array;
  readonly #open: Int32Array;
  /** By host: requests since the latest doorbell, and the queue pair of the first; -1 when there are several. */
  readonly #batch: Int32Array;
  readonly #batchQpn: Int32Array;
  /** By host: number of the request that was completed last. */
  readonly #newest: Float64Array;

  readonly #request = new RequestSample();
  readonly #buffer = new BufferSample();
  readonly #buffers = new Tally();
  readonly #work = new Tally();
  readonly #places = new Tally();
  readonly #completion = new CompletionSample();
  readonly #receive = new ReceiveSample();
  readonly #state = new StateSample();
  readonly #attributes = new AttributesSample();
  readonly #population = new PopulationSample();
  readonly #arm = new ArmSample();
  readonly #mix = new CqDepthSample();
  readonly #ring = new RingSample();
  readonly #region = new RegionSample();
  readonly #command = new CommandSample();
  readonly #deregister = new DeregisterSample();
  readonly #event = new EventSample();
  readonly #topology = new TopologySample();
  readonly #batchSample = new BatchSample();

  readonly #groups;

  constructor(collector: CoverageCollector, hosts: number, traffic: WireTraffic) {
    this.#hosts = hosts;
    this.#traffic = traffic;
    this.#processes = Array.from({ length: hosts }, () => new Set<number>());
    this.#posted = new Float64Array(hosts);
    this.#newest = new Float64Array(hosts);
    this.#open = new Int32Array(hosts);
    this.#batch = new Int32Array(hosts);
    this.#batchQpn = new Int32Array(hosts);
    this.#groups = groupsOf(collector);
    collector.beforeHits(() => this.#flush());
  }

  postedSend(item: PostedSend): void {
    const { host, qpn, wr, wqeIndex } = item;
    const qp = this.pairs.of(host, qpn);
    const bytes = bytesOf(wr);
    const r = this.#request;
    r.service = qp.service;
    r.opcode = wr.opcode;
    r.bytes = bytes;
    r.size = sizeClass(bytes, qp.mtu);
    r.flags = wr.flags;
    r.signalled = qp.signalAll || (wr.flags & SEND_FLAG.signaled) !== 0;
    r.outstanding = qp.sends.count;
    r.wrapped = wqeIndex < qp.sendSlot;
    r.remoteHost = this.#distance(host, item.remoteHost);
    r.rights = this.#remote(r, item);
    this.#list(r, wr, wr.opcode === WR_OPCODE.rdmaRead ? BUFFER_USE.readTarget : BUFFER_USE.source);
    qp.sendSlot = wqeIndex;
    this.#announced(host, qpn);
    this.#open[host] = (this.#open[host] as number) + 1;
    const number = (this.#posted[host] as number) + 1;
    this.#posted[host] = number;
    qp.sends.add(wr.wrId, number, wr.opcode, bytes, r.rights);
    this.#work.count(r.workKey);
    this.#places.count(r.placeKey);
    if ((r.flags & SEND_FLAG.inline) !== 0) this.#groups.inline.sample(r);
  }

  #flush(): void {
    const { request, sgList, sendFlags, sendQueue, remoteAddress, addressedHost, buffer } = this.#groups;
    const r = this.#request;
    this.#work.flush((key, times) => {
      r.workKey = key;
      request.sample(r, times);
      sendFlags.sample(r, times);
      sendQueue.sample(r, times);
      addressedHost.sample(r, times);
    });
    this.#places.flush((key, times) => {
      r.placeKey = key;
      sgList.sample(r, times);
      if (isRdma(r)) remoteAddress.sample(r, times);
    });
    const b = this.#buffer;
    this.#buffers.flush((key, times) => {
      b.key = key;
      buffer.sample(b, times);
    });
  }

  postedRecv({ host, qpn, wr, wqeIndex }: PostedRecv): void {
    const qp = this.pairs.of(host, qpn);
    const r = this.#receive;
    let bytes = 0;
    for (let i = 0; i < wr.numSge; i++) {
      const sge = wr.sges[i] as Sge;
      bytes += sge.length;
      this.#sampleBuffer(sge, BUFFER_USE.receive);
    }
    r.service = qp.service;
    r.numSge = wr.numSge;
    r.bytes = bytes;
    r.outstanding = qp.receives.count;
    r.wrapped = wqeIndex < qp.receiveSlot;
    r.state = qp.state;
    qp.receiveSlot = wqeIndex;
    qp.receives.add(wr.wrId, 0, 0, bytes, 0);
    this.#groups.receive.sample(r);
  }

  /** Software writes to a BAR of the NIC: what was posted before is announced. */
  doorbell(host: number): void {
    const requests = this.#batch[host] as number;
    if (requests === 0) return;
    const b = this.#batchSample;
    b.requests = requests;
    b.queuePairs = this.#batchQpn[host] === -1 ? 2 : 1;
    this.#batch[host] = 0;
    this.#groups.batch.sample(b);
  }

  completion({ host, cqn, wc }: VisibleCompletion): void {
    const qp = this.pairs.of(host, wc.qpn);
    const c = this.#completion;
    const queue = wc.isSend ? qp.sends : qp.receives;
    const before = queue.count;
    if (!queue.take(wc.wrId)) return;
    c.service = qp.service;
    c.isSend = wc.isSend;
    c.status = wc.status;
    c.opcode = wc.opcode;
    c.left = queue.count;
    c.several = before - queue.count > 1;
    c.state = qp.state;
    c.withImm = (wc.flags & WC_FLAG.withImm) !== 0;
    c.withGrh = (wc.flags & WC_FLAG.grh) !== 0;
    if (wc.isSend) {
      this.#open[host] = (this.#open[host] as number) - (before - queue.count);
      c.request = queue.opcode;
      c.rights = queue.rights;
      c.size = sizeClass(queue.bytes, qp.mtu);
      c.overtakes = queue.number < (this.#newest[host] as number);
      if (queue.number > (this.#newest[host] as number)) this.#newest[host] = queue.number;
    } else {
      const grh = qp.service === SERVICE.ud ? GRH_BYTES : 0;
      c.size = sizeClass(Math.max(0, wc.byteLen - grh), qp.mtu);
      c.fit = fitOf(wc.byteLen, queue.bytes);
    }
    this.#sampleCompletion(c);
    if (wc.status !== WC_STATUS.success && wc.status !== WC_STATUS.wrFlushErr) this.#failed(qp, wc.isSend);
    this.#sampleNeighbours(host, cqn, wc.qpn, wc.isSend);
  }

  qpInInit(info: QpInfo): void {
    const qp = this.pairs.of(info.host, info.qpn);
    qp.learn(info);
    this.#moved(qp, QP_STATE.init);
  }

  qpInRtr(info: QpInfo): void {
    const qp = this.pairs.of(info.host, info.qpn);
    qp.learn(info);
    this.#moved(qp, QP_STATE.rtr);
  }

  qpInRts(info: QpInfo): void {
    const { host, qpn } = info;
    const qp = this.pairs.of(host, qpn);
    qp.learn(info);
    this.#moved(qp, QP_STATE.rts);
    this.pairs.count(qp, 1);
    this.#processes[host]?.add(info.process);
    const p = this.#population;
    p.rc = this.pairs.ready(host, SERVICE.rc);
    p.uc = this.pairs.ready(host, SERVICE.uc);
    p.ud = this.pairs.ready(host, SERVICE.ud);
    this.#groups.population.sample(p);
    this.#sampleAttributes(qp, info);
  }

  qpModifying(host: number, qpn: number): void {
    this.pairs.of(host, qpn).leavesInit = false;
  }

  qpToRtr(host: number, qpn: number): void {
    this.pairs.of(host, qpn).leavesInit = true;
  }

  /** Of changes in INIT nothing else is told. */
  qpModified(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    if (qp.state === QP_STATE.init && !qp.leavesInit) this.#moved(qp, QP_STATE.init);
  }

  qpChanging({ host, qpn }: QpInfo): void {
    const qp = this.pairs.of(host, qpn);
    this.#commanded(qp, COMMAND.modify);
    if (qp.state === QP_STATE.rts || qp.state === QP_STATE.sqd) this.#moved(qp, qp.state);
  }

  qpChanged(info: QpInfo): void {
    this.pairs.of(info.host, info.qpn).learn(info);
  }

  qpInSqd(host: number, qpn: number): void {
    this.#moved(this.pairs.of(host, qpn), QP_STATE.sqd);
  }

  /** Where it goes to ERR, it has been told to. */
  qpOutOfSqd(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    if (qp.state === QP_STATE.sqd) this.#moved(qp, QP_STATE.rts);
  }

  qpDraining(host: number, qpn: number): void {
    this.#commanded(this.pairs.of(host, qpn), COMMAND.drain);
  }

  qpResuming(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    if (qp.state === QP_STATE.sqd) this.#commanded(qp, COMMAND.resume);
    else if (qp.state === QP_STATE.sqe) this.#commanded(qp, COMMAND.recover);
  }

  qpOutOfSqe(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    qp.state = QP_STATE.sqe;
    this.#moved(qp, QP_STATE.rts);
  }

  qpToErr(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    this.#commanded(qp, COMMAND.toErr);
    this.#moved(qp, QP_STATE.err);
  }

  qpToReset(host: number, qpn: number): void {
    this.pairs.of(host, qpn).leavesInit = true;
    this.#commanded(this.pairs.of(host, qpn), COMMAND.reset);
  }

  qpDestroying(host: number, qpn: number): void {
    this.#commanded(this.pairs.of(host, qpn), COMMAND.destroy);
  }

  qpGone(host: number, qpn: number): void {
    const qp = this.pairs.of(host, qpn);
    if (qp.state !== QP_STATE.reset) this.#moved(qp, QP_STATE.reset);
    this.pairs.count(qp, -1);
    this.#open[host] = Math.max(0, (this.#open[host] as number) - qp.sends.count);
    this.#leaveCqs(qp);
    qp.forget();
  }

  cqArmed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    const cq = this.#cqs.of(host, cqn);
    const a = this.#arm;
    a.solicitedOnly = solicitedOnly;
    a.unseen = unseen;
    a.again = cq.armed;
    cq.armed = true;
    this.#groups.cqArm.sample(a);
  }

  cqEvent(host: number, cqn: number): void {
    this.#cqs.of(host, cqn).armed = false;
  }

  cqGone(host: number, cqn: number): void {
    this.#cqs.forget(host, cqn);
  }

  /** A ring of a completion queue; pieces of one are told one by one. */
  areaOpened({ kind, offset, ringBytes, entryBytes, continues }: AreaItem): void {
    if (kind !== 'cq' || offset !== 0) return;
    const r = this.#ring;
    r.bytes = ringBytes;
    r.entryBytes = entryBytes;
    r.replaces = continues;
    this.#groups.cqRing.sample(r);
  }

  mrRegistered(info: MrInfo): void {
    const { host, key, access, zeroBased, length, lo } = info;
    const r = this.#region;
    this.#regions.add(info);
    r.access = access;
    r.zeroBased = zeroBased;
    r.length = length;
    r.offset = lo & (PAGE_BYTES - 1);
    r.reused = this.#regions.wasUsed(host, key);
    r.count = this.#regions.count(host);
    this.#groups.region.sample(r);
  }

  mrDeregistering(host: number, key: number): void {
    this.#regions.remove(host, key);
    const d = this.#deregister;
    d.localWork = (this.#open[host] as number) > 0;
    d.remoteWork = false;
    for (let other = 0; other < this.#hosts; other++)
      if (other !== host && (this.#open[other] as number) > 0) d.remoteWork = true;
    d.linkBusy = this.#traffic.isBusy;
    this.#groups.deregister.sample(d);
  }

  asyncEvent({ host, event, number }: AsyncEventItem): void {
    const qp = this.pairs.of(host, number);
    const e = this.#event;
    e.event = event;
    e.service = qp.service;
    e.outstanding = qp.sends.count;
    this.#groups.asyncEvent.sample(e);
  }

  /** Once, at the end. */
  conclude(): void {
    const t = this.#topology;
    t.hosts = this.#hosts;
    for (const processes of this.#processes) {
      if (processes.size === 0) continue;
      t.processes = processes.size;
      this.#groups.topology.sample(t);
    }
  }

  /** @returns `RIGHTS` */
  #remote(r: RequestSample, { wr, remoteHost }: PostedSend): number {
    const { opcode, remoteLo, rkey } = wr;
    if (opcode !== WR_OPCODE.rdmaRead && opcode > WR_OPCODE.rdmaWriteWithImm) return RIGHTS.noRegion;
    r.remoteAlignment = alignmentOf(remoteLo);
    r.remoteCrossings = pageCrossings(remoteLo, r.bytes);
    r.remoteOver4Gib = crosses4Gib(remoteLo, r.bytes);
    const access = this.#regions.access(remoteHost, rkey);
    return access < 0 ? RIGHTS.noRegion : rightsOf(access);
  }

  #list(r: RequestSample, wr: SendWr, use: number): void {
    const { numSge, sges } = wr;
    let empty = 0;
    let length = -1;
    let equal = true;
    let keys = 1;
    for (let i = 0; i < numSge; i++) {
      const sge = sges[i] as Sge;
      if (sge.length === 0) empty++;
      else if (length < 0) length = sge.length;
      else if (sge.length !== length) equal = false;
      if (i > 0 && sge.lkey !== (sges[i - 1] as Sge).lkey) keys++;
      if ((wr.flags & SEND_FLAG.inline) === 0) this.#sampleBuffer(sge, use);
    }
    r.numSge = numSge;
    r.emptySges = empty;
    r.equalSges = equal;
    r.keys = keys;
  }

  #sampleBuffer({ lo, length }: Sge, use: number): void {
    const b = this.#buffer;
    b.use = use;
    b.length = bufferLength(length);
    b.alignment = alignmentOf(lo);
    b.crossings = pageCrossings(lo, length);
    b.over4Gib = crosses4Gib(lo, length);
    b.endsAtPage = ((lo + length) & (PAGE_BYTES - 1)) === 0;
    this.#buffers.count(b.key);
  }

  #announced(host: number, qpn: number): void {
    const count = this.#batch[host] as number;
    this.#batch[host] = count + 1;
    if (count === 0) this.#batchQpn[host] = qpn;
    else if (this.#batchQpn[host] !== qpn) this.#batchQpn[host] = -1;
  }

  #distance(from: number, to: number): number {
    const hosts = this.#hosts;
    const distance = (to - from + hosts) % hosts;
    return distance === 1 ? 1 : distance === hosts - 1 ? 2 : 3;
  }

  #sampleCompletion(c: CompletionSample): void {
    const { sendCompletion, receiveCompletion, errorCompletion, accessOutcome, flush } = this.#groups;
    if (c.isSend) {
      sendCompletion.sample(c);
      accessOutcome.sample(c);
    } else receiveCompletion.sample(c);
    if (c.status === WC_STATUS.success) return;
    errorCompletion.sample(c);
    flush.sample(c);
  }

  #sampleNeighbours(host: number, cqn: number, qpn: number, isSend: boolean): void {
    const cq = this.#cqs.of(host, cqn);
    if (cq.lastQpn >= 0) {
      const m = this.#mix;
      m.switchesQp = cq.lastQpn !== qpn;
      m.switchesSide = cq.lastWasSend !== isSend;
      this.#groups.cqMix.sample(m);
    }
    cq.lastQpn = qpn;
    cq.lastWasSend = isSend;
  }

  #moved(qp: QueuePairFacts, to: number): void {
    const s = this.#state;
    s.service = qp.service;
    s.from = qp.state;
    s.to = to;
    s.sends = qp.sends.count;
    s.receives = qp.receives.count;
    s.onTheWire = this.#traffic.isUnderWay(qp.host, qp.qpn);
    qp.state = to;
    this.#groups.qpState.sample(s);
  }

  /** A NIC that meets an error takes the queue pair to SQE, or to ERR (IBTA 10.3.1.6, 10.3.1.7). */
  #failed(qp: QueuePairFacts, isSend: boolean): void {
    if (qp.state !== QP_STATE.rts && qp.state !== QP_STATE.rtr && qp.state !== QP_STATE.sqd) return;
    this.#moved(qp, isSend && qp.service !== SERVICE.rc ? QP_STATE.sqe : QP_STATE.err);
  }

  #commanded(qp: QueuePairFacts, command: number): void {
    const c = this.#command;
    c.command = command;
    c.service = qp.service;
    c.outstanding = qp.sends.count;
    c.onTheWire = this.#traffic.isUnderWay(qp.host, qp.qpn);
    c.linkBusy = this.#traffic.isBusy;
    this.#groups.command.sample(c);
  }

  #sampleAttributes(qp: QueuePairFacts, info: QpInfo): void {
    const { host, sendCqn, recvCqn, path } = info;
    const a = this.#attributes;
    a.service = qp.service;
    a.mtu = info.mtu;
    a.ackTimeout = info.ackTimeout;
    a.retryCnt = info.retryCnt ?? 0;
    a.rnrRetry = info.rnrRetry;
    a.minRnrTimer = info.minRnrTimer ?? 0;
    a.maxRdAtomic = info.maxRdAtomic ?? 0;
    a.sqPsn = info.sqPsn;
    a.rqPsn = info.rqPsn;
    a.signalAll = info.signalAll;
    a.ipv6 = path?.ipv6 ?? false;
    a.trafficClass = path?.trafficClass ?? 0;
    a.hopLimit = path?.hopLimit ?? 0;
    a.flowLabel = path?.flowLabel ?? 0;
    a.oneCq = sendCqn === recvCqn;
    const cq = this.#cqs.of(host, sendCqn);
    a.sharers = cq.sharers++;
    if (recvCqn !== sendCqn) this.#cqs.of(host, recvCqn).sharers++;
    const { qpAttributes, startPsn, paths, cqSharing } = this.#groups;
    qpAttributes.sample(a);
    startPsn.sample(a);
    paths.sample(a);
    cqSharing.sample(a);
  }

  #leaveCqs({ host, sendCqn, recvCqn }: QueuePairFacts): void {
    const send = this.#cqs.of(host, sendCqn);
    send.sharers = Math.max(0, send.sharers - 1);
    if (recvCqn === sendCqn) return;
    const receive = this.#cqs.of(host, recvCqn);
    receive.sharers = Math.max(0, receive.sharers - 1);
  }
}

function groupsOf(collector: CoverageCollector) {
  return {
    request: collector.create(requestCg),
    sgList: collector.create(sgListCg),
    sendFlags: collector.create(sendFlagsCg),
    inline: collector.create(inlineCg),
    sendQueue: collector.create(sendQueueCg),
    remoteAddress: collector.create(remoteAddressCg),
    addressedHost: collector.create(addressedHostCg),
    buffer: collector.create(bufferCg),
    batch: collector.create(batchCg),
    receive: collector.create(receiveCg),
    sendCompletion: collector.create(sendCompletionCg),
    receiveCompletion: collector.create(receiveCompletionCg),
    errorCompletion: collector.create(errorCompletionCg),
    accessOutcome: collector.create(accessOutcomeCg),
    flush: collector.create(flushCg),
    qpState: collector.create(qpStateCg),
    qpAttributes: collector.create(qpAttributesCg),
    startPsn: collector.create(startPsnCg),
    paths: collector.create(pathCg),
    cqSharing: collector.create(cqSharingCg),
    population: collector.create(populationCg),
    cqArm: collector.create(cqArmCg),
    cqMix: collector.create(cqMixCg),
    cqRing: collector.create(cqRingCg),
    region: collector.create(regionCg),
    command: collector.create(commandCg),
    deregister: collector.create(deregisterCg),
    asyncEvent: collector.create(asyncEventCg),
    topology: collector.create(topologyCg),
  };
}

function bytesOf({ numSge, sges }: SendWr): number {
  let bytes = 0;
  for (let i = 0; i < numSge; i++) bytes += (sges[i] as Sge).length;
  return bytes;
}

function fitOf(bytes: number, room: number): number {
  if (bytes === 0) return FIT.empty;
  if (bytes >= room) return FIT.exactly;
  return bytes === room - 1 ? FIT.allButOne : FIT.partly;
}
