/**
 * The provider of a blue-rdma NIC: a user-space driver that keeps all state of the connections. Its workers take turns with
 * reaction times of their own:
 *
 *   postSend ─ starter ─ chunk sender ─ send rings        report rings ─ report reader ─┬ receive side ─ acknowledger
 *                              └─ retransmitter, timeouts, completer ──────────────────┴ send side
 */
import { aHost } from '../../../rdma/subjectParts.ts';
import type { MsixMessage } from '../../../agents/pcie/pcieItems.ts';
import type { RecvWr, SendWr, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import type { Tlp } from '../../nic.ts';
import {
  BLUE_DATA,
  COMMAND_REQUEST_LO,
  COMMAND_RESPONSE_LO,
  RAW_RECEIVE_LO,
  RAW_SLOTS_LO,
} from '../layout/addressMap.ts';
import { MOST_RAW_SLOTS, RAW_SLOT_BYTES } from '../layout/descriptors.ts';
import { BLUE_LIMITS, INDEX_SHIFT } from '../layout/limits.ts';
import {
  BLUE_BAR,
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  RAW_RECEIVE_RING,
  REGISTER,
} from '../layout/registers.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import { DONE } from '../../../env/verbs/done.ts';
import type { DeviceAttributes, MrRequest, VirtualAddress } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import type { Refusal } from '../../../env/verbs/refusal.ts';
import type { Cq, Mr, Pd, Qp, QpInit } from '../../../env/verbs/verbsObjects.ts';
import type { HarmlessAccess } from '../../../env/providers/harmlessAccess.ts';
import type { CommandLog, Provider, ProviderHost } from '../../../env/providers/provider.ts';
import { BlueCq, type BlueQp, MOST_REQUESTS, slotsFor } from './blueObjects.ts';
import { BLUE_CAPABILITIES, BLUE_SETTINGS, type BlueSettings } from './blueSettings.ts';
import { ARMED_SOLICITED, type CompletionQueues } from './completionQueues.ts';
import { Connections } from './connections.ts';
import { DRIVER_PARTS, type DriverParts } from './driverParts.ts';
import { OutOfBandChannel } from './outOfBand.ts';
import { checkSend, receiveOf, requestOf } from './posting.ts';
import { QpTable } from './qpTable.ts';
import type { Regions } from './regions.ts';
import type { CommandQueue } from './rings/commandQueue.ts';
import type { ToCardRing } from './rings/toCardRing.ts';
import type { ToHostRing } from './rings/toHostRing.ts';
import type { WindowBits } from './tracking/windowBits.ts';
import { Worker } from './worker.ts';
import type { Acknowledger } from './workers/acknowledger.ts';
import { type ChunkSender, reportRings } from './workers/chunkSender.ts';
import type { ReceiveSide } from './workers/receiveSide.ts';
import type { RawFrames } from './workers/rawFrames.ts';
import { BlueRawQp } from './workers/rawQp.ts';
import type { PacketReport, ReportReader, ReportUser } from './workers/reportReader.ts';
import type { RequestStarter } from './workers/requestStarter.ts';
import type { SendSide } from './workers/sendSide.ts';
import type { Timeouts } from './workers/timeouts.ts';

/** Descriptors in a ring of a driver that goes back: what the NIC holds already comes first, for nothing. */
const GO_BACK_AHEAD = 16;

export class BlueProvider implements Provider, ReportUser {
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
  readonly #connections: Connections;
  readonly #workers: readonly Worker[];
  readonly #commandWorker: Worker;
  readonly #eventWorker: Worker;
  readonly #raw: RawFrames;
  #events: BlueCq[] = [];
  readonly #qps = new QpTable();
  readonly #cqns = new IndexAllocator(1, BLUE_LIMITS.maxCqs);
  #isOpen = false;
  #rawSlots = 0;

  constructor(host: ProviderHost, settings: Partial<BlueSettings> = {}) {
    this.#host = host;
    this.#settings = { ...BLUE_SETTINGS, ...settings };
    this.#where = `host ${host.host}`;
    this.#channel = this.#settings.channel ?? new OutOfBandChannel(host.scheduler, host.random('out-of-band channel'));
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
    this.timeouts = new parts.timeouts(host.scheduler, this.chunks, this.#qps.all, this.sendSide);
    this.#starter = new parts.starter(this.chunks, this.#regions, this.sendSide, this.#settings.chunkBytes);
    this.acknowledger = new parts.acknowledger(host);
    this.#raw = new parts.rawFrames({
      host,
      regions: this.#regions,
      completions: this.#completions,
      sendRing: this.acknowledger.ring,
      receiveRing: this.#rawReceive,
    });
    this.receiveSide = new parts.receiveSide({
      regions: this.#regions,
      commands: this.#commands,
      completions: this.#completions,
      acknowledger: this.acknowledger,
      starter: this.#starter,
      sendSide: this.sendSide,
      floor: this.#settings.floor,
      refuse: (qp, msn, status) => this.#connections.refuse(qp, msn, status),
    });
    this.reports = new parts.reports(this.#qps.all, this);
    this.sendSide.starter = this.#starter;
    this.sendSide.timeouts = this.timeouts;
    this.#connections = new Connections({
      addresses: host.addresses,
      channel: this.#channel,
      commands: this.#commands,
      completions: this.#completions,
      sendSide: this.sendSide,
      receiveSide: this.receiveSide,
      starter: this.#starter,
      find: (qpn) => this.#qps.find(qpn),
    });
    this.sendSide.user = this.#connections;
    this.#channel.join(host.host, this.#connections);
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
    this.#raw.worker = worker('raw frames', () => this.#raw.work());
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
    this.#qps.open(maxQps);
    this.#requests.open(depth);
    this.#responses.open(depth);
    this.#rawReceive.open(depth);
    this.#regions.open(maxMrs, pages);
    this.acknowledger.open(depth);
    this.#raw.open();
    const ahead = this.#settings.resend === 'gbn' ? GO_BACK_AHEAD : depth;
    this.chunks.open(this.#host, channels, depth, this.#parts.toCardRing, ahead);
    this.reports.open(reportRings(this.#host, channels, this.#parts.toHostRing), depth);
    this.#rawSlots = Math.min(MOST_RAW_SLOTS, depth);
    this.#host.area('outbox', 0, RAW_SLOTS_LO, this.#rawSlots * RAW_SLOT_BYTES, true);
    yield* this.#commands.setRawSlots(RAW_SLOTS_LO);
    const own = this.#host.addresses.of(this.#host.host);
    yield* this.#commands.setNetwork(own.macHigh, own.macLow, own.ipv4 | 0);
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
      maxSrqs: 0,
      maxSrqWr: 0,
      maxSrqSge: 0,
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
    this.#raw.close();
    this.chunks.close();
    this.reports.close();
    this.#host.area('outbox', 0, RAW_SLOTS_LO, this.#rawSlots * RAW_SLOT_BYTES, false);
  }

  leaks(): readonly string[] {
    const counts: readonly (readonly [string, number])[] = [
      ['queue pairs', this.#qps.inUse],
      ['completion queues', this.#cqns.inUse],
      ['raw packet queue pairs', this.#raw.qp === undefined ? 0 : 1],
      ['memory keys', this.#regions.keysInUse],
      ['page entries', this.#regions.pagesInUse],
    ];
    return counts.filter(([, n]) => n !== 0).map(([what, n]) => `${n} ${what}`);
  }

  // ---- objects

  *regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<Mr[]> {
    const mrs: Mr[] = [];
    try {
      for (const request of requests) mrs.push(yield* this.#regions.register(pd, request));
    } catch (error) {
      // All or nothing.
      if (error instanceof HostApiError) yield* this.deregMrs(mrs);
      throw error;
    }
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
    if (init.type === QP_TYPE.raw) return this.#makeRaw(pd, init);
    const qp = this.#qps.make(pd, init, this.#parts);
    if (qp === null) throw new HostApiError('LIMIT', this.#where, 'all queue pairs are in use', 'destroy some first');
    return qp;
  }

  *destroyQp(qp: Qp): Proc<void> {
    if (qp instanceof BlueRawQp) {
      this.#raw.modify(qp, { state: QP_STATE.reset });
      this.#raw.qp = undefined;
      return;
    }
    yield* this.#connections.forget(qp as BlueQp);
    this.#qps.free(qp as BlueQp);
  }

  modifyQp(qp: Qp, attr: QpAttributes): Proc<void> {
    if (!(qp instanceof BlueRawQp)) return this.#connections.modify(qp as BlueQp, attr);
    this.#raw.modify(qp, attr);
    return DONE;
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
    if (qp instanceof BlueRawQp) return this.#sendFrames(qp, wrs, count);
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
    if (qp instanceof BlueRawQp) return this.#receiveFrames(qp, wrs, count);
    const own = qp as BlueQp;
    const first = own.rqPosted;
    own.rqPosted = first + count;
    this.#host.recvsPosted(own, wrs, count, first, own.rqSlots - 1);
    for (let i = 0; i < count; i++) {
      const wr = wrs[i] as RecvWr;
      own.receives.push(receiveOf(wr, first + i));
      if (own.known && !own.failed) this.#connections.offer(own, own.receives.length - 1);
    }
    if (own.failed) this.receiveSide.touch(own);
    return DONE;
  }

  pollCq(cq: Cq, wc: WorkCompletion): boolean {
    return this.#completions.poll(cq as BlueCq, wc, (qpn) => this.#qps.find(qpn) ?? this.#rawOf(qpn));
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
    else if (this.#rawReceive.holds(tlp.lo)) this.#raw.worker.wake();
  }

  interrupt(message: MsixMessage): void {
    this.#host.error('HCA_MSIX', `${this.#where}: interrupt ${message.data}, the NIC has none`, aHost(this.#host.host));
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

  // ----

  #cqEntries(entries: number): number {
    const granted = slotsFor(entries);
    if (granted <= BLUE_LIMITS.maxCqEntries) return granted;
    const what = `${entries} entries are over the limit of ${BLUE_LIMITS.maxCqEntries}`;
    throw new HostApiError('LIMIT', this.#where, what, 'ask for fewer', entries);
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

  /** @throws HostApiError: the Simple NIC has one user */
  #makeRaw(pd: Pd, init: QpInit): Qp {
    if (this.#raw.qp !== undefined)
      throw new HostApiError('IN_USE', this.#where, 'a second raw packet queue pair', 'destroy the other one first');
    this.#raw.qp = new BlueRawQp(pd, init);
    return this.#raw.qp;
  }

  #rawOf(qpn: number): BlueRawQp | null {
    const { qp } = this.#raw;
    return qp?.qpn === qpn ? qp : null;
  }

  #sendFrames(qp: BlueRawQp, wrs: readonly SendWr[], count: number): Proc<void> {
    const first = qp.sqPosted;
    qp.sqPosted = first + count;
    this.#host.sendsPosted(qp, wrs, count, first, qp.sqSlots - 1);
    for (let i = 0; i < count; i++) this.#raw.send(qp, wrs[i] as SendWr, first + i);
    return DONE;
  }

  #receiveFrames(qp: BlueRawQp, wrs: readonly RecvWr[], count: number): Proc<void> {
    const first = qp.rqPosted;
    qp.rqPosted = first + count;
    this.#host.recvsPosted(qp, wrs, count, first, qp.rqSlots - 1);
    for (let i = 0; i < count; i++) this.#raw.receive(qp, wrs[i] as RecvWr, first + i);
    return DONE;
  }
}
