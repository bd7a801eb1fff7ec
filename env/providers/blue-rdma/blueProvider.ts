/**
 * The provider of a blue-rdma NIC: a user-space driver that keeps all state of the connections. Its workers take turns with
 * reaction times of their own:
 *
 *   postSend ─ starter ─ chunk sender ─ send rings        report rings ─ report reader ─┬ receive side ─ acknowledger
 *                              └─ retransmitter, timeouts, completer ──────────────────┴ send side
 */
import type { MsixMessage } from '../../../agents/pcie/pcieItems.ts';
import type { RecvWr, SendWr, Sge, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import type { Tlp } from '../../../dut-model/nic.ts';
import {
  BLUE_DATA,
  COMMAND_REQUEST_LO,
  COMMAND_RESPONSE_LO,
  RAW_RECEIVE_LO,
  RAW_SLOTS_LO,
} from '../../../rdma/blue-rdma/addressMap.ts';
import { MOST_RAW_SLOTS, RAW_SLOT_BYTES, SEND_OPCODE } from '../../../rdma/blue-rdma/descriptors.ts';
import { BLUE_LIMITS, INDEX_SHIFT, STRIDE } from '../../../rdma/blue-rdma/limits.ts';
import {
  BLUE_BAR,
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  RAW_RECEIVE_RING,
  REGISTER,
} from '../../../rdma/blue-rdma/registers.ts';
import { DEFAULT_UDP_PORT } from '../../../rdma/blue-rdma/wire.ts';
import { ACCESS, QP_STATE, SEND_FLAG, WC_OF_WR, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { IndexAllocator } from '../../memory/indexAllocator.ts';
import { MAC_HIGH, ipv4, macLow } from '../../netAddress.ts';
import type { ProviderCapabilities } from '../../verbs/capabilities.ts';
import { DONE } from '../../verbs/done.ts';
import type { DeviceAttributes, MrRequest, VirtualAddress } from '../../verbs/hostApi.ts';
import { HostApiError } from '../../verbs/hostErrors.ts';
import type { QpAttributes } from '../../verbs/qpAttributes.ts';
import { describe } from '../../verbs/qpTransitions.ts';
import type { Refusal } from '../../verbs/refusal.ts';
import type { Cq, Mr, Pd, Qp, QpInit } from '../../verbs/verbsObjects.ts';
import type { HarmlessAccess } from '../harmlessAccess.ts';
import type { CommandLog, Provider, ProviderHost } from '../provider.ts';
import { BlueCq, BlueQp, MOST_REQUESTS, peerName, slotsFor } from './blueObjects.ts';
import { BLUE_CAPABILITIES, BLUE_SETTINGS, type BlueSettings } from './blueSettings.ts';
import { ARMED_SOLICITED, type CompletionQueues } from './completionQueues.ts';
import { DRIVER_PARTS, type DriverParts } from './driverParts.ts';
import { OutOfBandChannel, type OutOfBandMessage, type OutOfBandUser } from './outOfBand.ts';
import type { Regions } from './regions.ts';
import type { CommandQueue, QpContext } from './rings/commandQueue.ts';
import type { ToCardRing } from './rings/toCardRing.ts';
import type { ToHostRing } from './rings/toHostRing.ts';
import { SendRequest } from './tracking/sendRequest.ts';
import type { WindowBits } from './tracking/windowBits.ts';
import { Worker } from './worker.ts';
import type { Acknowledger } from './workers/acknowledger.ts';
import { type ChunkSender, reportRings } from './workers/chunkSender.ts';
import type { ReceiveSide } from './workers/receiveSide.ts';
import type { PacketReport, ReportReader, ReportUser } from './workers/reportReader.ts';
import type { RequestStarter } from './workers/requestStarter.ts';
import type { SendSide } from './workers/sendSide.ts';
import type { Timeouts } from './workers/timeouts.ts';

const SEND_OPCODE_OF: Readonly<Record<number, number>> = {
  [WR_OPCODE.rdmaWrite]: SEND_OPCODE.write,
  [WR_OPCODE.rdmaWriteWithImm]: SEND_OPCODE.writeImm,
  [WR_OPCODE.send]: SEND_OPCODE.send,
  [WR_OPCODE.sendWithImm]: SEND_OPCODE.sendImm,
  [WR_OPCODE.rdmaRead]: SEND_OPCODE.read,
};

/** Descriptors in a ring of a driver that goes back: what the NIC holds already comes first, for nothing. */
const GO_BACK_AHEAD = 16;

export class BlueProvider implements Provider, ReportUser, OutOfBandUser {
  readonly name = 'blue-rdma';
  readonly capabilities: ProviderCapabilities = BLUE_CAPABILITIES;
  /** For specs: counts of what the workers have done. */
  readonly chunks: ChunkSender;
  readonly timeouts: Timeouts;
  readonly acknowledger: Acknowledger;
  readonly receiveSide: ReceiveSide;
  readonly sendSide: SendSide;
  readonly reports: ReportReader;

  readonly #host: ProviderHost;
  readonly #parts: DriverParts;
  readonly #settings: BlueSettings;
  readonly #where: string;
  readonly #channel: OutOfBandChannel;
  readonly #requests: ToCardRing;
  readonly #responses: ToHostRing;
  readonly #rawReceive: ToHostRing;
  readonly #commands: CommandQueue;
  readonly #regions: Regions;
  readonly #completions: CompletionQueues;
  readonly #starter: RequestStarter;
  readonly #workers: readonly Worker[];
  readonly #commandWorker: Worker;
  readonly #eventWorker: Worker;
  readonly #rawWorker: Worker;
  #events: BlueCq[] = [];
  /** By index. */
  readonly #qps: (BlueQp | null)[] = [];
  #qpIndices = new IndexAllocator(1, BLUE_LIMITS.maxQps - 1);
  /** Last eight bits of the next number, by index. */
  readonly #lives = new Uint8Array(1 << (24 - INDEX_SHIFT));
  readonly #cqns = new IndexAllocator(1, BLUE_LIMITS.maxCqs);
  #isOpen = false;
  #rawSlots = 0;

  constructor(host: ProviderHost, settings: Partial<BlueSettings> = {}) {
    this.#host = host;
    this.#settings = { ...BLUE_SETTINGS, ...settings };
    this.#where = `host ${host.host}`;
    this.#channel = this.#settings.channel ?? new OutOfBandChannel(host.scheduler, host.random('out-of-band channel'));
    this.#channel.join(host.host, this);
    const parts = { ...DRIVER_PARTS, ...this.#settings.parts };
    this.#parts = parts;
    this.chunks = new parts.chunks();
    this.#requests = new parts.toCardRing(host, COMMAND_REQUEST_RING, COMMAND_REQUEST_LO);
    this.#responses = new parts.toHostRing(host, COMMAND_RESPONSE_RING, COMMAND_RESPONSE_LO);
    this.#rawReceive = new parts.toHostRing(host, RAW_RECEIVE_RING, RAW_RECEIVE_LO);
    this.#commands = new parts.commands(host, this.#requests, this.#responses);
    this.#regions = new parts.regions(host, this.#commands);
    this.#completions = new parts.completions(host, (cq) => this.#raise(cq));
    this.sendSide = new parts.sendSide(this.chunks, this.#completions, this.#settings);
    this.timeouts = new parts.timeouts(host.scheduler, this.chunks, this.#qps, this.sendSide);
    this.#starter = new parts.starter(this.chunks, this.#regions, this.sendSide, this.#settings.chunkBytes);
    this.acknowledger = new parts.acknowledger(host);
    this.receiveSide = new parts.receiveSide({
      regions: this.#regions,
      commands: this.#commands,
      completions: this.#completions,
      acknowledger: this.acknowledger,
      starter: this.#starter,
      sendSide: this.sendSide,
      floor: this.#settings.floor,
      refuse: (qp, msn, status) => this.#channel.send({ ...ends(qp), kind: 'refused', msn, status }),
    });
    this.reports = new parts.reports(this.#qps, this);
    this.sendSide.starter = this.#starter;
    this.sendSide.timeouts = this.timeouts;
    this.sendSide.user = {
      failed: (qp) => this.#failed(qp),
      tooLong: (qp) => this.#channel.send({ ...ends(qp), kind: 'tooLong' }),
    };
    const made: Worker[] = [];
    const worker = (name: string, work: () => void): Worker => {
      const draws = host.random(name);
      const w = new Worker(`host ${host.host} ${name}`, host.scheduler, this.#settings, draws, work);
      made.push(w);
      return w;
    };
    this.#starter.worker = worker('rdma-write', () => this.#starter.work());
    this.chunks.worker = worker('send', () => this.chunks.work());
    this.reports.worker = worker('meta-report', () => this.reports.work());
    this.acknowledger.worker = worker('ack-responder', () => this.acknowledger.work());
    this.sendSide.retransmitter = worker('retransmit', () => this.sendSide.retransmit());
    this.timeouts.worker = worker('timeout', () => this.timeouts.work());
    this.sendSide.completer = worker('completion of sends', () => this.sendSide.complete());
    this.receiveSide.worker = worker('completion of receives', () => this.receiveSide.work());
    this.#commandWorker = worker('commands', () => this.#commands.poll());
    this.#eventWorker = worker('events', () => this.#raiseAll());
    this.#rawWorker = worker('raw frames', () => this.#dropRaw());
    this.#workers = made;
  }

  /** Messages to other drivers, requests and completions that are under way without an access of the NIC. */
  get inFlight(): number {
    return this.#channel.inFlight + this.#workers.filter(({ isAwake }) => isAwake).length;
  }

  // ---- device

  *open(): Proc<DeviceAttributes> {
    const { bus } = this.#host;
    const read = (register: number): Proc<number> => bus.barRead32(BLUE_BAR, register);
    const channels = yield* read(REGISTER.channels);
    const depth = yield* read(REGISTER.ringDepth);
    const maxQps = yield* read(REGISTER.qpEntries);
    const maxMrs = yield* read(REGISTER.mrEntries);
    const pages = yield* read(REGISTER.pageEntries);
    this.#isOpen = true;
    this.#qpIndices = new IndexAllocator(1, maxQps - 1);
    this.#requests.open(depth);
    this.#responses.open(depth);
    this.#rawReceive.open(depth);
    this.#regions.open(maxMrs, pages);
    this.acknowledger.open(depth);
    const ahead = this.#settings.resend === 'gbn' ? GO_BACK_AHEAD : depth;
    this.chunks.open(this.#host, channels, depth, this.#parts.toCardRing, ahead);
    this.reports.open(reportRings(this.#host, channels, this.#parts.toHostRing), depth);
    this.#rawSlots = Math.min(MOST_RAW_SLOTS, depth);
    this.#host.area('outbox', 0, RAW_SLOTS_LO, this.#rawSlots * RAW_SLOT_BYTES, true);
    yield* this.#commands.setRawSlots(RAW_SLOTS_LO);
    const own = this.#host.host;
    yield* this.#commands.setNetwork(MAC_HIGH, macLow(own), ipv4(own) | 0);
    return {
      name: this.name,
      maxQps: maxQps - 1,
      maxCqs: BLUE_LIMITS.maxCqs,
      maxMrs: maxMrs - 1,
      maxSge: BLUE_LIMITS.maxSge,
      maxQpWr: MOST_REQUESTS,
      maxCqEntries: BLUE_LIMITS.maxCqEntries,
      maxMtu: BLUE_LIMITS.maxMtuCode,
      maxRdAtomic: 255,
      maxDestRdAtomic: 255,
    };
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *close(): Proc<void> {
    this.#isOpen = false;
    for (const worker of this.#workers) worker.stop();
    this.#commands.forget();
    this.#requests.close();
    this.#responses.close();
    this.#rawReceive.close();
    this.#regions.close();
    this.acknowledger.close();
    this.chunks.close();
    this.reports.close();
    this.#host.area('outbox', 0, RAW_SLOTS_LO, this.#rawSlots * RAW_SLOT_BYTES, false);
  }

  leaks(): readonly string[] {
    const counts: readonly (readonly [string, number])[] = [
      ['queue pairs', this.#qpIndices.inUse],
      ['completion queues', this.#cqns.inUse],
      ['memory keys', this.#regions.keysInUse],
      ['page entries', this.#regions.pagesInUse],
    ];
    return counts.filter(([, n]) => n !== 0).map(([what, n]) => `${n} ${what}`);
  }

  // ---- objects

  *regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<Mr[]> {
    const mrs: Mr[] = [];
    for (const request of requests) mrs.push(yield* this.#regions.register(pd, request));
    return mrs;
  }

  *deregMrs(mrs: readonly Mr[]): Proc<void> {
    for (const mr of mrs) yield* this.#regions.deregister(mr);
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *createCq(process: number, entries: number): Proc<Cq> {
    const granted = this.#cqEntries(entries);
    const cqn = this.#cqns.alloc();
    if (cqn < 0) throw new HostApiError('LIMIT', this.#where, 'all completion queues are in use', 'destroy some first');
    return new BlueCq(this.#host.host, process, cqn, granted);
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *destroyCq(cq: Cq): Proc<void> {
    this.#cqns.free(cq.cqn);
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *resizeCq(cq: Cq, entries: number): Proc<void> {
    cq.entries = this.#cqEntries(entries);
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *createQp(pd: Pd, init: QpInit): Proc<Qp> {
    for (const [what, value, most] of [
      ['maxSge', init.maxSge, BLUE_LIMITS.maxSge],
      ['maxSendWr', init.maxSendWr, BLUE_LIMITS.maxSendWr],
      ['maxRecvWr', init.maxRecvWr, BLUE_LIMITS.maxRecvWr],
    ] as const) {
      if (value <= most) continue;
      throw new HostApiError('LIMIT', this.#where, `${what} of ${value}`, `use at most ${most}`, value);
    }
    const index = this.#qpIndices.alloc();
    if (index < 0) throw new HostApiError('LIMIT', this.#where, 'all queue pairs are in use', 'destroy some first');
    const qpn = (index << INDEX_SHIFT) | (this.#lives[index] as number);
    this.#lives[index] = (this.#lives[index] as number) + 1;
    const qp = new BlueQp(pd, qpn, init, slotsFor(init.maxSendWr), slotsFor(init.maxRecvWr), this.#parts);
    this.#qps[index] = qp;
    return qp;
  }

  *destroyQp(qp: Qp): Proc<void> {
    const own = qp as BlueQp;
    yield* this.#forget(own);
    this.#qps[own.index] = null;
    this.#qpIndices.free(own.index);
  }

  *modifyQp(qp: Qp, attr: QpAttributes): Proc<void> {
    const own = qp as BlueQp;
    checkStride(own, attr);
    switch (attr.state) {
      case QP_STATE.reset:
        yield* this.#forget(own);
        break;
      case QP_STATE.rtr:
        own.beginsAt(0, own.rqPsn);
        yield* this.#commands.manageQp(contextOf(own, true, false));
        own.known = true;
        this.#offerAll(own);
        this.#expected(own);
        break;
      case QP_STATE.rts:
        if (attr.sqPsn !== undefined && (!own.begun || own.firstSent !== own.sqPsn)) own.sendsFrom(own.sqPsn);
        own.retries = own.retryCnt;
        yield* this.#commands.manageQp(contextOf(own, true, false));
        break;
      case QP_STATE.err:
        if (own.known) yield* this.#commands.manageQp(contextOf(own, true, true));
        own.failed = true;
        own.stopped = true;
        own.due = 0;
        this.#closed(own);
        this.sendSide.touch(own);
        this.receiveSide.touch(own);
        break;
      case QP_STATE.init:
      case QP_STATE.sqd:
      case QP_STATE.sqe:
        // The NIC knows nothing of these.
        break;
    }
  }

  /** All of it is the driver's own. */
  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *queryQp(qp: Qp): Proc<QpAttributes> {
    const { state, pkeyIndex, port, accessFlags, qkey, pathMtu, destQpn, rqPsn, sqPsn } = qp;
    const { maxDestRdAtomic, maxRdAtomic, minRnrTimer, timeout, retryCnt, rnrRetry } = qp;
    const { remoteHost, ipv6, serviceLevel, trafficClass, flowLabel, hopLimit } = qp;
    const av = { remoteHost, ipv6, serviceLevel, trafficClass, flowLabel, hopLimit };
    return {
      ...{ state, pkeyIndex, port, accessFlags, qkey, pathMtu, destQpn, rqPsn, sqPsn, maxDestRdAtomic, maxRdAtomic },
      ...{ minRnrTimer, timeout, retryCnt, rnrRetry },
      ...(remoteHost >= 0 ? { av } : {}),
    };
  }

  // biome-ignore lint/correctness/useYield: all of it is the driver's own and takes no time
  *verifyQp(): Proc<readonly string[]> {
    return [];
  }

  // ---- posting and polling

  postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void> {
    const own = qp as BlueQp;
    for (let i = 0; i < count; i++) checkSend(own, wrs[i] as SendWr, i);
    const first = own.sqPosted;
    own.sqPosted = first + count;
    this.#host.sendsPosted(own, wrs, count, first, own.sqSlots - 1);
    const requests = Array.from({ length: count }, (_, i) => requestOf(own, wrs[i] as SendWr, first + i));
    this.#starter.post(own, requests);
    this.sendSide.posted(own);
    return DONE;
  }

  postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void> {
    const own = qp as BlueQp;
    const first = own.rqPosted;
    own.rqPosted = first + count;
    this.#host.recvsPosted(own, wrs, count, first, own.rqSlots - 1);
    for (let i = 0; i < count; i++) {
      const wr = wrs[i] as RecvWr;
      const { hi, lo, length, lkey } = wr.numSge > 0 ? (wr.sges[0] as Sge) : NOTHING;
      own.receives.push({ wrId: wr.wrId, number: first + i, hi, lo, length, key: lkey });
      if (own.known && !own.failed) this.#offer(own, own.receives.length - 1);
    }
    if (own.failed) this.receiveSide.touch(own);
    return DONE;
  }

  pollCq(cq: Cq, wc: WorkCompletion): boolean {
    return this.#completions.poll(cq as BlueCq, wc, (qpn) => this.#find(qpn));
  }

  armCq(cq: Cq): Proc<void> {
    // What has come since software looked last is told of at once.
    const latest = cq.armed === ARMED_SOLICITED ? (cq as BlueCq).lastSolicited : cq.produced;
    if (latest > cq.takenWhenArmed && (cq as BlueCq).waiting.length > 0) this.#raise(cq as BlueCq);
    return DONE;
  }

  maskEvents(): Proc<void> {
    return DONE;
  }

  dataAddress(qp: Qp, receive: boolean): VirtualAddress {
    const index = qp.qpn >>> INDEX_SHIFT;
    return { hi: BLUE_DATA.hi | (index << BLUE_DATA.indexShift) | (receive ? BLUE_DATA.receiveHi : 0), lo: 0 };
  }

  refusals(): readonly Refusal[] {
    return [];
  }

  harmlessAccesses(): readonly HarmlessAccess[] {
    return [];
  }

  traceCommands(log: CommandLog): void {
    this.#commands.logs.push(log);
  }

  doorbellText(): undefined {
    return undefined;
  }

  // ---- what the NIC does

  write(tlp: Tlp): void {
    if (!this.#isOpen || tlp.hi !== 0) return;
    if (this.reports.written(tlp.lo)) return;
    if (this.#responses.holds(tlp.lo)) this.#commandWorker.wake();
    else if (this.#rawReceive.holds(tlp.lo)) this.#rawWorker.wake();
  }

  interrupt(message: MsixMessage): void {
    this.#host.error('HCA_MSIX', `${this.#where}: interrupt ${message.data}, the NIC has none`);
  }

  packet(qp: BlueQp, report: PacketReport): void {
    this.receiveSide.packet(qp, report);
  }

  localAck(qp: BlueQp, now: WindowBits): void {
    this.receiveSide.localAck(qp, now);
  }

  localNak(qp: BlueQp, before: WindowBits, now: WindowBits): void {
    this.receiveSide.localNak(qp, before, now);
  }

  driverAck(qp: BlueQp, end: number): void {
    this.sendSide.driverAck(qp, end);
  }

  driverNak(qp: BlueQp, base: number, end: number): void {
    this.sendSide.driverNak(qp, base, end);
  }

  hardwareNak(qp: BlueQp, sequence: number, before: WindowBits, now: WindowBits): void {
    this.sendSide.hardwareNak(qp, sequence, before, now);
  }

  restarted(qp: BlueQp): void {
    this.timeouts.restart(qp);
  }

  outOfBand(message: OutOfBandMessage): void {
    const qp = this.#find(message.toQpn);
    if (qp === null) return;
    const name = peerName(message.fromHost, message.fromQpn);
    if (message.kind === 'open') {
      qp.offers.set(name, []);
      qp.peersExpect.set(name, message.psn);
      this.#expected(qp);
    } else if (message.kind === 'closed') {
      qp.offers.delete(name);
      if (qp.running) this.#starter.wake(qp);
    } else if (message.kind === 'receive') {
      qp.offers.get(name)?.push(message);
      if (qp.running) this.#starter.wake(qp);
    } else if (!qp.running || qp.peer !== name) return;
    else if (message.kind === 'refused') this.#refused(qp, message.msn, message.status);
    else this.#tooLong(qp);
  }

  // ----

  #find(qpn: number): BlueQp | null {
    const qp = this.#qps[qpn >>> INDEX_SHIFT] ?? null;
    return qp !== null && qp.qpn === qpn ? qp : null;
  }

  #cqEntries(entries: number): number {
    const granted = slotsFor(entries);
    if (granted <= BLUE_LIMITS.maxCqEntries) return granted;
    const what = `${entries} entries are over the limit of ${BLUE_LIMITS.maxCqEntries}`;
    throw new HostApiError('LIMIT', this.#where, what, 'ask for fewer', entries);
  }

  /** The NIC and the driver drop everything of a queue pair. */
  *#forget(qp: BlueQp): Proc<void> {
    const { known } = qp;
    this.#closed(qp);
    qp.known = false;
    qp.restart();
    this.#completions.clean(qp.sendCq as BlueCq, qp.qpn);
    this.#completions.clean(qp.recvCq as BlueCq, qp.qpn);
    if (known) yield* this.#commands.manageQp(contextOf(qp, false, false));
  }

  /** A queue pair has failed by itself: nothing of it ends before its NIC knows, which may be writing to its buffers. */
  #failed(qp: BlueQp): void {
    const { life } = qp;
    this.#closed(qp);
    this.#commands.tellQp(contextOf(qp, true, true), () => {
      if (qp.life !== life || !qp.alive) return;
      qp.stopped = true;
      this.sendSide.stopped(qp);
      this.receiveSide.stopped(qp);
      qp.ending = null;
    });
  }

  /** In RTR a queue pair answers READs: its peer has said with which PSN it is to begin. */
  #expected(qp: BlueQp): void {
    const psn = qp.peersExpect.get(qp.peer);
    if (psn === undefined || qp.begun || !qp.running) return;
    qp.sendsFrom(psn);
    this.#starter.wake(qp);
  }

  /** The peer is told that nothing more is received. */
  #closed(qp: BlueQp): void {
    if (!qp.isOpen) return;
    qp.isOpen = false;
    this.#channel.send({ ...ends(qp), kind: 'closed' });
  }

  #refused(qp: BlueQp, msn: number, status: number): void {
    const request = qp.list.byMsn(msn);
    if (request === undefined) return;
    request.refused = status;
    this.sendSide.touch(qp);
  }

  /** What the peer sends next does not fit the receive that it would take. */
  #tooLong(qp: BlueQp): void {
    this.sendSide.end(qp, { request: null, receive: qp.receives[0] ?? null, status: WC_STATUS.locLenErr });
  }

  /** The peer hears of all receives that are posted. */
  #offerAll(qp: BlueQp): void {
    this.#channel.send({ ...ends(qp), kind: 'open', psn: qp.rqPsn });
    qp.isOpen = true;
    for (let i = 0; i < qp.receives.length; i++) this.#offer(qp, i);
  }

  #offer(qp: BlueQp, i: number): void {
    const { hi, lo, length, key } = qp.receives[i] as BlueQp['receives'][number];
    this.#channel.send({ ...ends(qp), kind: 'receive', hi, lo, length, key });
  }

  #raise(cq: BlueCq): void {
    this.#events.push(cq);
    this.#eventWorker.wake();
  }

  #raiseAll(): void {
    const events = this.#events;
    this.#events = [];
    for (const cq of new Set(events)) if (cq.alive && cq.armed !== 0) this.#host.completionEvent(cq);
  }

  /** Nobody here uses raw frames: what is received is taken and forgotten. */
  #dropRaw(): void {
    let left = this.#rawReceive.depth;
    while (left > 0 && this.#rawReceive.take()) left--;
    this.#rawReceive.publish();
  }
}

/** The NIC begins at multiples of its stride only. */
function checkStride(qp: BlueQp, { rqPsn, sqPsn }: QpAttributes): void {
  for (const [what, psn = 0] of [
    ['rqPsn', rqPsn],
    ['sqPsn', sqPsn],
  ] as const) {
    if (psn % STRIDE === 0) continue;
    const hint = `use a multiple of ${STRIDE}, such as ${psn - (psn % STRIDE)}`;
    throw new HostApiError('ATTRIBUTE', describe(qp), `${what} of ${psn}`, hint, psn);
  }
}

const NOTHING = { hi: 0, lo: 0, length: 0, lkey: 0 } as const;

/** Ends of a message to the peer of a queue pair. */
function ends(qp: BlueQp): { fromHost: number; fromQpn: number; toHost: number; toQpn: number } {
  return { fromHost: qp.host, fromQpn: qp.qpn, toHost: qp.remoteHost, toQpn: qp.destQpn };
}

function contextOf(qp: BlueQp, valid: boolean, error: boolean): QpContext {
  return {
    qpn: qp.qpn,
    valid,
    error,
    peerQpn: qp.destQpn,
    type: qp.type,
    access: (qp.accessFlags | ACCESS.localWrite) & 0xf,
    pmtuCode: qp.pathMtu,
    port: DEFAULT_UDP_PORT,
    macHigh: MAC_HIGH,
    macLow: macLow(qp.remoteHost),
    ip: ipv4(qp.remoteHost) | 0,
    startPsn: qp.rqPsn,
  };
}

function checkSend(qp: BlueQp, wr: SendWr, i: number): void {
  const where = describe(qp);
  if (SEND_OPCODE_OF[wr.opcode] === undefined) {
    const hint = 'use SEND, WRITE or READ';
    throw new HostApiError('UNSUPPORTED', where, `request ${i}: opcode ${wr.opcode} does not exist on this NIC`, hint);
  }
  if (wr.numSge > qp.maxSge) {
    const what = `request ${i}: ${wr.numSge} entries, maxSge is ${qp.maxSge}`;
    throw new HostApiError('TOO_MANY_SGE', where, what, 'use one', wr.numSge);
  }
  const length = wr.numSge > 0 ? (wr.sges[0] as Sge).length : 0;
  if (length >= 0 && length <= BLUE_LIMITS.maxMessageBytes) return;
  const hint = `use at most ${BLUE_LIMITS.maxMessageBytes}`;
  throw new HostApiError('TOO_LONG', where, `request ${i} has ${length} bytes`, hint, length);
}

function requestOf(qp: BlueQp, wr: SendWr, number: number): SendRequest {
  const { hi, lo, length, lkey } = wr.numSge > 0 ? (wr.sges[0] as Sge) : NOTHING;
  const request = new SendRequest();
  request.wrId = wr.wrId;
  request.number = number;
  request.opcode = SEND_OPCODE_OF[wr.opcode] as number;
  request.wcOpcode = WC_OF_WR[wr.opcode] as number;
  request.signaled = qp.signalAll || (wr.flags & SEND_FLAG.signaled) !== 0;
  request.solicited = (wr.flags & SEND_FLAG.solicited) !== 0;
  request.fence = (wr.flags & SEND_FLAG.fence) !== 0;
  request.imm = wr.imm;
  request.remoteHi = wr.remoteHi;
  request.remoteLo = wr.remoteLo;
  request.rkey = wr.rkey;
  request.localHi = hi;
  request.localLo = lo;
  request.length = length;
  request.lkey = lkey;
  return request;
}
