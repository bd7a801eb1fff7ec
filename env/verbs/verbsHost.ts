/**
 * The room of software's side of verbs, the same for every NIC: objects, states, posting, waiting. `hostApi.ts` is what
 * sequences see and the place to read first; `verbsHost` implements it, checks misuse, keeps the books and hands the work to a
 * provider. It tells `agents/verbs` what happens and judges nothing.
 *
 * The host API over any provider: checks what holds for every NIC, keeps the objects of the host, publishes what
 * happens, and lets processes wait for completions and events.
 */

import type { FailedAccess } from '../../agents/pcie/faults/failedAccess.ts';
import type { PcieSequencer } from '../../agents/pcie/pcieSequencer.ts';
import type { RecvWr, SendWr, WorkCompletion, AsyncEventItem } from '../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT, QP_STATE, QP_STATE_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { carried } from '../../uvm/bytes/words.ts';
import { Event } from '../../uvm/kernel/event.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { AddressHandles } from './ah/addressHandles.ts';
import type { AhAttributes, AhRequest } from './ah/ahAttributes.ts';
import { CapabilityChecks } from './capabilities.ts';
import type { ProviderCapabilities } from './capabilities.ts';
import { CompletionWaits } from './completionWaits.ts';
import { DONE } from './done.ts';
import { postedBefore } from './postedBefore.ts';
import type {
  CompletionTaker,
  ConnectAttributes,
  CqRequest,
  DeviceAttributes,
  HostApi,
  MrRequest,
  RemoteQp,
  VirtualAddress,
} from './hostApi.ts';
import type { HarmlessAccess } from '../providers/harmlessAccess.ts';
import {
  cannotPost,
  checkQpInit,
  checkRegion,
  hasNoReceives,
  notDraining,
  queueFull,
  startsAtZero,
  tooManySge,
} from './hostChecks.ts';
import { DeviceLife } from './deviceLife.ts';
import { DeviceFatalError, HostApiError, isDeviceFatal, RegionBoundError } from './hostErrors.ts';
import { HostData } from '../memory/hostData.ts';
import { type DeadObjects, HostObjects } from './hostObjects.ts';
import type { CqAttributes } from '../../agents/verbs/cqItems.ts';
import type { MrAttributes } from '../../agents/verbs/mrItems.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import type { PortAddress } from '../../agents/wire/pathChecker.ts';
import { mrInfoOf } from './hostPublisher.ts';
import type { DeviceLimits } from '../deviceLimits.ts';
import type { MemoryDomain } from '../memory/memoryDomain.ts';
import { permute } from '../memory/pagePermutation.ts';
import type { Provider, ProviderHost } from '../providers/provider.ts';
import { ProviderSide, type ProviderSideOptions } from '../providers/providerSide.ts';
import { checkPort, gidOf, pkeyOf, portAttributes } from './queries/portAttributes.ts';
import type { PortAttributes } from './queries/portAttributes.ts';
import type { QpAttributes } from './qpAttributes.ts';
import { QpStates } from './qpStates.ts';
import { type AttributeLimits, describe } from './qpTransitions.ts';
import { RawStates } from './raw/rawStates.ts';
import { checkFrames } from './raw/rawPosting.ts';
import type { Refusal } from './refusal.ts';
import { Mkeys } from './mkeys/mkeys.ts';
import { SharedReceives } from './srq/sharedReceives.ts';
import { DeviceMemory } from './dm/deviceMemory.ts';
import type { PciAccess } from '../../agents/pcie/root/pciAccess.ts';
import type { BankBytes } from '../providers/deviceMemoryDriver.ts';
import type { Dm, DmGeometry, DmOptions, DmRange } from './dm/dm.ts';
import type { DmThread } from './dm/dmThread.ts';
import type { DeviceRequest, SrqAttributes, SrqChange, SrqRequest } from './srq/srqRequests.ts';
import { Pd } from './verbsObjects.ts';
import type { Ah, Cq, FastMr, Mr, Mw, MwType, Qp, QpInit, Srq } from './verbsObjects.ts';

/** What a host is made of. */
export interface VerbsHostOptions extends ProviderSideOptions {
  readonly hosts: number;
  /** Processes are numbered 1 .. processes. */
  readonly processes: number;
  readonly limits: DeviceLimits;
  /** Where the data of a queue pair begin in its areas, bytes. */
  readonly dataOffset: number;
  /** Where the data of one side of a queue pair lie, if the NIC has memory on the card. Default: in host memory. */
  readonly domainOf?: (qp: Qp, receive: boolean) => MemoryDomain;
  /** What the chips of each bank on the card were asked for. Default: there are none. */
  readonly bankTraffic?: readonly BankBytes[];
  /** Scatters protection domain numbers. */
  readonly key: number;
  /** Makes the provider. */
  readonly provider: (host: ProviderHost) => Provider;
  /** Of the PCIe agent; default: it has none. */
  readonly sequencer?: PcieSequencer | null;
}

/** Width of protection domain numbers; 0 is the kernel's. */
const PD_BITS = 24;
/** Used until the device has said what it can do. */
const DEFAULT_LIMITS = { maxMtu: 5, maxRdAtomic: 255, maxDestRdAtomic: 255 };

export class VerbsHost implements HostApi {
  readonly host: number;
  readonly processes: number;
  readonly limits: DeviceLimits;
  readonly provider: Provider;
  readonly data: HostData;

  readonly #options: VerbsHostOptions;
  readonly #side: ProviderSide;
  readonly #objects: HostObjects;
  readonly #monitor: VerbsMonitor;
  readonly #waits: CompletionWaits;
  readonly #states: QpStates;
  readonly #rawStates: RawStates;
  readonly #allows: CapabilityChecks;
  readonly #shared: SharedReceives;
  readonly #handles: AddressHandles;
  readonly #mkeys: Mkeys;
  readonly #pci: PciAccess;
  readonly #dm: DeviceMemory;
  readonly #life: DeviceLife;
  /** On when nothing of a device that is gone is under way any more; and what was open on it. */
  readonly #settled: Event<void>;
  #dead: DeadObjects | null = null;
  #nextPd = 1;
  #device: DeviceAttributes | null = null;
  /** What attribute values are held against. */
  #limits: AttributeLimits;

  constructor(options: VerbsHostOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, hosts: options.hosts, ports: options.limits.ports ?? 1 };
    this.host = options.host;
    this.processes = options.processes;
    this.limits = options.limits;
    this.data = new HostData(options);
    this.#life = new DeviceLife(options.host);
    this.#settled = new Event<void>(`rest of the NIC of host ${options.host}, which was reset`);
    this.#objects = new HostObjects(options.host, this.#life);
    this.#monitor = options.monitor;
    this.#waits = new CompletionWaits(options.host, this.#life);
    this.#side = new ProviderSide(options, this.#objects, this.#waits);
    this.provider = options.provider(this.#side);
    this.#allows = new CapabilityChecks(options.host, this.provider.name, this.provider.capabilities);
    this.#rawStates = new RawStates({
      provider: this.provider,
      objects: this.#objects,
      monitor: this.#monitor,
      limits: () => this.#limits,
      mostBytes: options.limits.maxRawFrame,
    });
    this.#shared = new SharedReceives({
      driver: this.provider.srqs,
      objects: this.#objects,
      monitor: this.#monitor,
      allows: this.#allows,
    });
    this.#handles = new AddressHandles({
      host: options.host,
      hosts: options.hosts,
      objects: this.#objects,
      monitor: this.#monitor,
      allows: this.#allows,
    });
    this.#mkeys = new Mkeys({
      host: options.host,
      driver: this.provider.keys,
      objects: this.#objects,
      monitor: this.#monitor,
      allows: this.#allows,
    });
    this.#pci = options.bus;
    this.#dm = new DeviceMemory({
      host: options.host,
      driver: this.provider.deviceMemory,
      monitor: this.#monitor,
      bytes: options.bytes,
      memory: options.memory,
      traffic: options.bankTraffic ?? [],
      allows: this.#allows,
    });
    this.#states = new QpStates({
      provider: this.provider,
      objects: this.#objects,
      monitor: this.#monitor,
      drains: this.#waits.drains,
      allows: this.#allows,
      limits: () => this.#limits,
      error: options.error,
    });
  }

  get capabilities(): ProviderCapabilities {
    return this.provider.capabilities;
  }

  get pcieSequencer(): PcieSequencer {
    const { sequencer } = this.#options;
    if (sequencer !== undefined && sequencer !== null) return sequencer;
    throw this.#misuse('UNSUPPORTED', 'the PCIe agent is passive and has no sequencer', 'set is_active to UVM_ACTIVE');
  }

  get device(): DeviceAttributes {
    if (this.#device !== null) return this.#device;
    throw this.#misuse('GONE', 'the device is closed', 'open it first');
  }

  /** What is open, for messages. */
  get objects(): HostObjects {
    return this.#objects;
  }

  /** A fault rule of PCIe lets a read of its NIC fail: commands may end with an internal error. */
  readFails(access: FailedAccess): void {
    this.#side.failedReads.add(access);
  }

  get owesCompletion(): boolean {
    for (const qp of this.#objects.qps.values()) if (qp.owesCompletion) return true;
    return false;
  }

  get deviceFatal(): boolean {
    return this.#life.isFatal;
  }

  checkDevice(): void {
    this.#life.check();
  }

  /**
   * Its NIC has just been reset, and software is told so. What is closed by then has nothing to lose.
   * @returns whether anything is lost, of which `deviceSettled` must tell when nothing of it is under way any more
   */
  nicReset(time: SimTime): boolean {
    if (!this.#life.isUp) return false;
    this.#life.fails(time);
    this.#settled.reset();
    const dead = this.#objects.allDead();
    this.#dead = dead;
    this.#monitor.tell(
      'deviceReset',
      this.host,
      dead.qps.map(({ qpn }) => qpn),
    );
    this.provider.nicReset?.(new DeviceFatalError(this.host, time));
    this.#side.asyncEvent(ASYNC_EVENT.deviceFatal, 0);
    this.#waits.deviceFatal();
    return true;
  }

  /** What its NIC had sent before the reset has arrived: nothing of its memory changes any more. */
  deviceSettled(): void {
    const { mrs, cqs, qps, srqs, mkeys } = this.#dead as DeadObjects;
    this.#dead = null;
    for (const qp of qps) this.#monitor.tell(qp.type === QP_TYPE.raw ? 'rawQpGone' : 'qpGone', this.host, qp.qpn);
    for (const mr of mrs) {
      this.#monitor.tell('mrDeregistering', this.host, mr.key);
      this.#monitor.tell('mrDeregistered', mrInfoOf(mr));
    }
    for (const { key } of mkeys) {
      this.#monitor.tell('mkeyGoing', this.host, key);
      this.#monitor.tell('mkeyGone', this.host, key);
    }
    for (const cq of cqs) this.#monitor.tell('cqGone', this.host, cq.cqn);
    for (const srq of srqs) this.#monitor.tell('srqGone', this.host, srq.srqn);
    this.provider.forget?.();
    this.#monitor.tell('deviceSettled', this.host);
    this.#settled.trigger();
  }

  // ---- device

  *openDevice(request: DeviceRequest = {}): Proc<DeviceAttributes> {
    this.#life.check();
    if ((request.srqs ?? 0) > 0) this.#allows.sharedReceives();
    this.#mkeys.opens(request.keyTags ?? 0);
    if (this.#device !== null) throw this.#misuse('IN_USE', 'the device is open already', 'close it first');
    this.#life.opens();
    this.#monitor.tell('deviceOpening', this.host);
    const device = yield* this.provider.open(request);
    this.#device = device;
    this.#limits = { ...device, hosts: this.#options.hosts, ports: this.limits.ports ?? 1 };
    return device;
  }

  *closeDevice(): Proc<void> {
    if (this.#life.isFatal) yield* this.#settled.waitOn();
    else yield* this.#takeDown();
    this.#life.closes();
    this.#objects.closed();
    this.#waits.forget();
    this.#nextPd = 1;
    this.#device = null;
    this.#limits = { ...DEFAULT_LIMITS, hosts: this.#options.hosts, ports: this.limits.ports ?? 1 };
    const processes = this.#side.running.map((name) => `process ${name}`);
    for (const leak of [...this.provider.leaks(), ...processes])
      this.#options.error('HCA_LEAK', `${leak} left after closing the device`);
  }

  /** Destroys everything, and the NIC with it. */
  *#takeDown(): Proc<void> {
    const { pds, mrs, cqs, qps, srqs, ahs } = this.#objects;
    for (const qp of [...qps.values()]) yield* this.destroyQp(qp);
    for (const srq of [...srqs]) yield* this.destroySrq(srq);
    yield* this.#mkeys.takeDown();
    yield* this.deregMrs([...mrs]);
    for (const cq of [...cqs]) yield* this.destroyCq(cq);
    for (const ah of ahs) if (ah.alive) this.destroyAh(ah);
    ahs.length = 0;
    for (const pd of [...pds]) this.deallocPd(pd);
    yield* this.#dm.sample({
      random: this.#options.random('sample of the card'),
      isUp: () => this.#life.isUp,
      differs: (text) => this.#options.error('HCA_APERTURE', text),
    });
    this.#life.check();
    yield* this.provider.close();
  }

  // ---- protection domains and regions

  allocPd(process: number): Pd {
    this.#life.check();
    this.#checkProcess(process);
    const pd = new Pd(this.host, process, this.#pdNumber());
    this.#objects.pds.add(pd);
    return pd;
  }

  deallocPd(pd: Pd): void {
    this.#objects.checkPd(pd);
    if (pd.users > 0) {
      throw this.#misuse('IN_USE', `protection domain ${pd.pdn} has ${pd.users} users`, 'destroy them first', pd.users);
    }
    pd.alive = false;
    this.#objects.pds.delete(pd);
  }

  *regMr(pd: Pd, request: MrRequest): Proc<Mr> {
    const [mr] = yield* this.regMrs(pd, [request]);
    return mr as Mr;
  }

  *regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<readonly Mr[]> {
    this.#objects.checkPd(pd);
    for (const request of requests) {
      checkRegion(this.host, request);
      this.#allows.region(startsAtZero(request), request.length);
      if (request.pageLog !== undefined) this.#allows.cardMemory();
    }
    if (requests.length === 0) return [];
    pd.users += requests.length;
    try {
      const mrs = yield* this.provider.regMrs(pd, requests);
      for (const mr of mrs) {
        this.#objects.mrs.add(mr);
        this.#monitor.tell('mrRegistered', mrInfoOf(mr));
      }
      return mrs;
    } catch (error) {
      pd.users -= requests.length;
      throw error;
    }
  }

  deregMr(mr: Mr): Proc<void> {
    return this.deregMrs([mr]);
  }

  *deregMrs(mrs: readonly Mr[]): Proc<void> {
    if (mrs.length === 0) return;
    for (const mr of mrs) this.#objects.checkMr(mr);
    // A region may be kept, with windows bound: which one must be known.
    if (this.#objects.mws.size === 0 || mrs.length === 1) yield* this.#dereg(mrs);
    else for (const mr of mrs) yield* this.#dereg([mr]);
  }

  *#dereg(mrs: readonly Mr[]): Proc<void> {
    for (const mr of mrs) {
      mr.alive = false;
      this.#objects.mrs.delete(mr);
      this.#monitor.tell('mrDeregistering', mr.host, mr.key);
    }
    try {
      yield* this.#orDead(this.provider.deregMrs(mrs), (dead) => dead.mrs.push(...mrs));
    } catch (error) {
      if (error instanceof RegionBoundError) throw this.#kept(mrs);
      throw error;
    }
    for (const mr of mrs) {
      mr.pd.users--;
      this.#monitor.tell('mrDeregistered', mrInfoOf(mr));
    }
  }

  *queryMr(mr: Mr): Proc<MrAttributes> {
    this.#objects.checkMr(mr);
    this.#allows.mrQuery();
    const said = yield* (this.provider.queryMr as (mr: Mr) => Proc<MrAttributes>).call(this.provider, mr);
    if (mr.alive) this.#monitor.tell('mrQueried', { registered: mrInfoOf(mr), said });
    return said;
  }

  /** The NIC has refused to forget regions. */
  #kept(mrs: readonly Mr[]): HostApiError {
    for (const mr of mrs) {
      mr.alive = true;
      this.#objects.mrs.add(mr);
      this.#monitor.tell('mrKept', mr.host, mr.key);
    }
    const [{ key }] = mrs as readonly [Mr];
    return this.#misuse(
      'IN_USE',
      `windows are bound to the region of key ${key}`,
      'invalidate or free them first',
      key,
    );
  }

  allocMw(pd: Pd, type: MwType): Proc<Mw> {
    return this.#mkeys.allocMw(pd, type);
  }

  deallocMw(mw: Mw): Proc<void> {
    return this.#mkeys.deallocMw(mw);
  }

  allocMr(pd: Pd, maxPages: number): Proc<FastMr> {
    return this.#mkeys.allocMr(pd, maxPages);
  }

  deallocMr(mr: FastMr): Proc<void> {
    return this.#mkeys.deallocMr(mr);
  }

  // ---- completion queues

  *createCq(process: number, request: CqRequest): Proc<Cq> {
    this.#life.check();
    this.#checkProcess(process);
    if (!(Number.isInteger(request.entries) && request.entries >= 1)) {
      throw this.#misuse('LIMIT', `${request.entries} entries`, 'use a positive integer', request.entries);
    }
    if (request.solicitedEvents === true) this.#allows.event();
    const cq = yield* this.provider.createCq(process, request.entries);
    this.#objects.addCq(cq);
    this.#monitor.tell('cqCreated', cq.host, cq.cqn);
    this.#tellSize(cq, cq.entries, cq.entries);
    if (request.solicitedEvents === true) yield* this.armCq(cq, true);
    return cq;
  }

  *destroyCq(cq: Cq): Proc<void> {
    this.#objects.checkCq(cq);
    if (cq.users > 0) {
      throw this.#misuse('IN_USE', `completion queue ${cq.cqn} has ${cq.users} users`, 'destroy the queue pairs first');
    }
    this.#checkSize(cq);
    cq.alive = false;
    this.#objects.cqs.delete(cq);
    yield* this.#orDead(this.provider.destroyCq(cq), (dead) => dead.cqs.push(cq));
    this.#monitor.tell('cqGone', cq.host, cq.cqn);
  }

  *resizeCq(cq: Cq, entries: number): Proc<void> {
    this.#objects.checkCq(cq);
    this.#allows.resize();
    this.#checkSize(cq);
    if (!(Number.isInteger(entries) && entries >= Math.max(1, cq.arrived))) {
      const what = `${entries} entries for completion queue ${cq.cqn}, which holds ${cq.arrived} completions`;
      throw this.#misuse('LIMIT', what, 'use an integer that is large enough', entries);
    }
    cq.resizing = true;
    const before = cq.entries;
    this.#tellSize(cq, Math.min(before, entries), Math.max(before, 2 * entries));
    try {
      yield* this.provider.resizeCq(cq, entries);
    } finally {
      cq.resizing = false;
      this.#tellSize(cq, cq.entries, cq.entries);
    }
  }

  *queryCq(cq: Cq): Proc<CqAttributes> {
    this.#objects.checkCq(cq);
    this.#allows.cqQuery();
    const { host, cqn, entries, produced: written, inError: wasInError } = cq;
    const said = yield* (this.provider.queryCq as (cq: Cq) => Proc<CqAttributes>).call(this.provider, cq);
    const isSame = !cq.resizing && cq.entries === entries;
    this.#monitor.tell('cqQueried', { host, cqn, entries: isSame ? entries : undefined, written, wasInError, said });
    return said;
  }

  /** Where the NIC finds queues that overflow. */
  #tellSize({ host, cqn }: Cq, least: number, most: number): void {
    if (this.#options.cqIndices.parts > 0) this.#monitor.tell('cqSized', host, cqn, least, most);
  }

  // ---- shared receive queues

  createSrq(pd: Pd, request: SrqRequest): Proc<Srq> {
    return this.#shared.create(pd, request);
  }

  modifySrq(srq: Srq, change: SrqChange): Proc<void> {
    return this.#shared.modify(srq, change);
  }

  querySrq(srq: Srq): Proc<SrqAttributes> {
    return this.#shared.query(srq);
  }

  destroySrq(srq: Srq): Proc<void> {
    return this.#orDead(this.#shared.destroy(srq), (dead) => dead.srqs.push(srq));
  }

  postSrqRecv(srq: Srq, wrs: readonly RecvWr[], count: number): Proc<void> {
    return this.#shared.post(srq, wrs, count);
  }

  // ---- queue pairs

  allocDm(process: number, length: number, options?: DmOptions): Dm {
    this.#life.check();
    this.#checkProcess(process);
    return this.#dm.alloc(process, length, options);
  }

  freeDm(dm: Dm): void {
    this.#dm.free(dm);
  }

  regDm(pd: Pd, dm: Dm, range: DmRange): Proc<Mr> {
    return this.regMr(pd, this.#dm.region(dm, range));
  }

  copyToDm(dm: Dm, offset: number, data: Uint8Array, posted?: () => void): Proc<void> {
    this.#life.check();
    return this.#dm.copyTo(dm, offset, data, posted);
  }

  copyFromDm(dm: Dm, offset: number, length: number): Proc<Uint8Array> {
    this.#life.check();
    return this.#dm.copyFrom(dm, offset, length);
  }

  get pci(): PciAccess {
    return this.#pci;
  }

  get dmGeometry(): DmGeometry {
    return this.#dm.geometry;
  }

  peekCard(card: number, length: number): Uint8Array {
    return this.#dm.peek(card, length);
  }

  placeOfDm(dm: Dm, offset: number): number {
    return this.#dm.place(dm, offset);
  }

  dmThread(dm: Dm): DmThread {
    this.#life.check();
    return this.#dm.thread(dm);
  }

  *createQp(pd: Pd, init: QpInit): Proc<Qp> {
    this.#objects.checkPd(pd);
    this.#objects.checkCq(init.sendCq);
    this.#objects.checkCq(init.recvCq);
    if (init.srq) this.#objects.checkSrq(init.srq);
    checkQpInit(pd, init, this.#device?.maxQpWr ?? Number.POSITIVE_INFINITY);
    this.#allows.queuePair(init);
    const qp = yield* this.provider.createQp(pd, init);
    if (qp.type === QP_TYPE.ud || qp.type === QP_TYPE.raw) qp.pathMtu = this.#limits.maxMtu;
    if (qp.type === QP_TYPE.raw) for (const cq of [init.sendCq, init.recvCq]) cq.rawUsers++;
    pd.users++;
    init.sendCq.users++;
    init.recvCq.users++;
    if (qp.srq !== null) qp.srq.users++;
    this.#objects.addQp(qp);
    // Room on the card goes to queue pairs in the order in which they are made, whoever asks for addresses later.
    if (this.capabilities.cardMemory) for (const receive of [false, true]) this.dataAddress(qp, receive);
    return qp;
  }

  *destroyQp(qp: Qp): Proc<void> {
    this.#objects.checkQp(qp);
    qp.alive = false;
    if (qp.type === QP_TYPE.raw) {
      yield* this.#rawStates.destroy(qp, this.provider.destroyQp(qp));
      for (const cq of [qp.sendCq, qp.recvCq]) cq.rawUsers--;
    } else {
      if (qp.state !== QP_STATE.reset) this.#monitor.tell('qpDestroying', qp.host, qp.qpn);
      yield* this.provider.destroyQp(qp);
      this.#monitor.tell('qpGone', qp.host, qp.qpn);
    }
    this.#objects.qps.delete(qp.qpn);
    qp.pd.users--;
    qp.sendCq.users--;
    qp.recvCq.users--;
    if (qp.srq !== null) qp.srq.users--;
    qp.state = QP_STATE.reset;
  }

  modifyQp(qp: Qp, attr: QpAttributes): Proc<void> {
    return qp.type === QP_TYPE.raw ? this.#rawStates.modify(qp, attr) : this.#states.modify(qp, attr);
  }

  queryQp(qp: Qp): Proc<QpAttributes> {
    return qp.type === QP_TYPE.raw ? this.#rawStates.query(qp) : this.#states.query(qp);
  }

  connectQp(qp: Qp, remote: RemoteQp | null, attrs: ConnectAttributes = {}): Proc<void> {
    return qp.type === QP_TYPE.raw ? this.#rawStates.connect(qp, attrs) : this.#states.connect(qp, remote, attrs);
  }

  createAh(pd: Pd, remoteHost: number, request: AhRequest = {}): Ah {
    return this.#handles.create(pd, remoteHost, request);
  }

  queryAh(ah: Ah): AhAttributes {
    return this.#handles.query(ah);
  }

  destroyAh(ah: Ah): void {
    this.#handles.destroy(ah);
  }

  refusals(qp: Qp, mr: Mr): readonly Refusal[] {
    this.#objects.checkQp(qp);
    this.#objects.checkMr(mr);
    if (qp.state !== QP_STATE.rts) {
      const state = QP_STATE_NAME[qp.state];
      throw new HostApiError('STATE', describe(qp), `in ${state}`, 'take it to RTS first', state);
    }
    return this.provider.refusals(qp, mr);
  }

  harmlessAccesses(qp: Qp): readonly HarmlessAccess[] {
    this.#objects.checkQp(qp);
    return this.provider.harmlessAccesses(qp);
  }

  // ---- posting and polling

  postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void> {
    try {
      return this.#postSend(qp, wrs, count);
    } catch (error) {
      return postedBefore(error, (right) => this.postSend(qp, wrs, right));
    }
  }

  postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void> {
    try {
      return this.#postRecv(qp, wrs, count);
    } catch (error) {
      return postedBefore(error, (right) => this.postRecv(qp, wrs, right));
    }
  }

  #postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void> {
    if (count === 0) return DONE;
    if (!qp.alive || qp.state < QP_STATE.rts) throw this.#cannotPost(qp, 'a send');
    if (qp.sqPosted - qp.sqFreed + count > qp.maxSendWr)
      throw queueFull(qp, 'send', qp.sendOutstanding, count, qp.maxSendWr);
    this.#allows.posting(qp, wrs, count);
    if (qp.type === QP_TYPE.raw) checkFrames(qp, wrs, count, this.data);
    const silent = this.#mkeys.checkPosting(qp, wrs, count);
    const posted = this.provider.postSend(qp, wrs, count);
    qp.sqSilent += silent;
    return posted;
  }

  #postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void> {
    if (count === 0) return DONE;
    if (!qp.alive || qp.state === QP_STATE.reset) throw this.#cannotPost(qp, 'a receive');
    if (qp.srq !== null) throw hasNoReceives(qp, qp.srq);
    if (qp.rqPosted - qp.rqFreed + count > qp.maxRecvWr)
      throw queueFull(qp, 'receive', qp.recvOutstanding, count, qp.maxRecvWr);
    for (let i = 0; i < count; i++)
      if ((wrs[i] as RecvWr).numSge > qp.maxSge) throw tooManySge(qp, i, wrs[i] as RecvWr);
    const posted = this.provider.postRecv(qp, wrs, count);
    return qp.state === QP_STATE.err ? this.#toldAgain(qp, posted) : posted;
  }

  /** A NIC that has flushed a queue pair may have to be told of more. */
  *#toldAgain(qp: Qp, told: Proc<void>): Proc<void> {
    yield* told;
    this.#monitor.tell('qpInErr', qp.host, qp.qpn);
  }

  pollCq(cq: Cq, wc: WorkCompletion): boolean {
    if (cq.alive !== true) {
      if (this.#life.isFatal) return false;
      this.#objects.checkCq(cq);
    }
    return this.provider.pollCq(cq, wc);
  }

  armCq(cq: Cq, solicitedOnly: boolean): Proc<void> {
    this.#objects.checkCq(cq);
    this.#allows.event();
    if (cq.armed === 0) cq.takenWhenArmed = cq.consumed;
    if (cq.armed !== ARMED_ANY) cq.armed = solicitedOnly ? ARMED_SOLICITED : ARMED_ANY;
    this.#monitor.tell('cqArmed', cq.host, cq.cqn, cq.armed === ARMED_SOLICITED, cq.arrived);
    return this.provider.armCq(cq, solicitedOnly);
  }

  maskEvents(masked: boolean): Proc<void> {
    this.#life.check();
    this.#allows.event();
    return this.provider.maskEvents(masked);
  }

  waitEvent(): Proc<Cq> {
    return this.#waits.waitEvent();
  }

  waitAsyncEvent(): Proc<AsyncEventItem> {
    return this.#waits.waitAsyncEvent();
  }

  waitDrained(qp: Qp): Proc<void> {
    this.#objects.checkQp(qp);
    const drained = this.#waits.drains.wait(qp);
    if (drained === undefined) throw notDraining(qp);
    return this.#whileUp(drained);
  }

  /** Destroys what is open no more: if the device is lost meanwhile, `left` adds it to what went with it. */
  *#orDead(destruction: Proc<void>, left: (dead: DeadObjects) => void): Proc<void> {
    try {
      yield* destruction;
    } catch (error) {
      if (this.#dead !== null && isDeviceFatal(error)) left(this.#dead);
      throw error;
    }
  }

  *#whileUp(wait: Proc<void>): Proc<void> {
    yield* wait;
    this.#life.check();
  }

  waitCq(cq: Cq): Proc<void> {
    this.#objects.checkCq(cq);
    return this.#waits.waitFor(cq);
  }

  waitAnyCq(): Proc<Cq> {
    return this.#waits.waitAny();
  }

  takeCompletions(taker: CompletionTaker): Proc<void> {
    if (this.#waits.taking)
      throw this.#misuse('IN_USE', 'completions are being taken already', 'let one process take them');
    return this.#waits.takeAll(taker);
  }

  queryPort(port = 1): PortAttributes {
    this.#checkPort(port);
    return portAttributes(this.device.maxMtu);
  }

  queryGid(port: number, index: number): PortAddress['ipv6'] {
    this.#checkPort(port);
    return gidOf(`host ${this.host}`, this.netAddress(this.host, port), index);
  }

  queryPkey(port: number, index: number): number {
    this.#checkPort(port);
    return pkeyOf(`host ${this.host}`, index);
  }

  netAddress(host: number, port = 1): PortAddress {
    return this.#options.addresses.of(host, port);
  }

  dataDomain(qp: Qp, receive: boolean): MemoryDomain {
    return (this.capabilities.cardMemory ? this.#options.domainOf?.(qp, receive) : undefined) ?? 'host';
  }

  dataAddress(qp: Qp, receive: boolean, domain?: MemoryDomain): VirtualAddress {
    const { cardMemory } = this.capabilities;
    const { hi, lo } = cardMemory
      ? this.provider.dataAddress(qp, receive, domain ?? this.dataDomain(qp, receive))
      : this.provider.dataAddress(qp, receive);
    const at = (lo >>> 0) + this.#options.dataOffset;
    return { hi: carried(hi, at), lo: at | 0 };
  }

  // ---- checks

  #checkPort(port: number): void {
    this.#life.check();
    checkPort(`host ${this.host}`, port, this.limits.ports ?? 1);
  }

  #pdNumber(): number {
    let pdn = 0;
    while (pdn === 0) pdn = permute(this.#nextPd++ & 0xff_ffff, PD_BITS, this.#options.key);
    return pdn;
  }

  #checkSize({ cqn, resizing }: Cq): void {
    if (resizing)
      throw this.#misuse('IN_USE', `completion queue ${cqn} is being resized`, 'wait for that to end first');
  }

  #cannotPost(qp: Qp, what: string): HostApiError {
    this.#life.check();
    return cannotPost(qp, what);
  }

  #checkProcess(process: number): void {
    if (Number.isInteger(process) && process >= 1 && process <= this.processes) return;
    throw this.#misuse('ATTRIBUTE', `process ${process}`, `use 1 .. ${this.processes}`, process);
  }

  #misuse(
    kind: ConstructorParameters<typeof HostApiError>[0],
    what: string,
    hint: string,
    value?: unknown,
  ): HostApiError {
    return new HostApiError(kind, `host ${this.host}`, what, hint, value);
  }
}

const ARMED_SOLICITED = 1;
const ARMED_ANY = 2;
