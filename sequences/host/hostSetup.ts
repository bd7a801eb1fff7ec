/** Brings a host up and takes it down: device, protection domains, completion queues, queue pairs, connections. */
import type { AhRequest } from '../../env/verbs/ah/ahAttributes.ts';
import type {
  ConnectAttributes,
  DeviceAttributes,
  HostApi,
  MrRequest,
  VirtualAddress,
} from '../../env/verbs/hostApi.ts';
import type { DeviceRequest } from '../../env/verbs/srq/srqRequests.ts';
import type { Cq, Mr, Pd, Qp, Srq } from '../../env/verbs/verbsObjects.ts';
import type { EndsOf } from './endDraws.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { AREA, AREA_NAMES, type QpPlan, type TopologyPlan } from '../../config/scenario/scenario.ts';
import type { RegionPlan } from '../../config/scenario/regionPlan.ts';
import { checkCapabilities, type RunNeeds } from './capabilityNeeds.ts';
import { checkArea, checkQueues, checkRegions } from './deviceLimits.ts';
import { Endpoint } from './endpoint.ts';
import { canShare, type Sharing } from './sharing.ts';
import { carried } from '../../uvm/bytes/words.ts';

/** Words of a queue pair in `Endpoint.bases`: two an area. */
const BASE_WORDS = 2 * AREA_NAMES.length;
const PSN_MASK = 0xff_ffff;
/** More than a connection of a scenario sends between two of its lives, mostly. */
const PSNS_OF_LIFE = 0x5_0000;

export class HostSetup {
  readonly api: HostApi;
  /** Connection ends by queue-pair index; complete when the host has come up. */
  readonly endpoints: Endpoint[] = [];
  readonly cqs: Cq[] = [];
  /** Set before it comes up; null: every queue pair has receives of its own. */
  sharing: Sharing | null = null;
  /** The same: what the device is opened with besides. */
  device: DeviceRequest = {};
  /** The same: what ends choose by themselves. Default: all of them what all have. */
  ends: EndsOf | undefined;
  /** Shared receive queues by process; RC and UD queue pairs that each process has so far. */
  readonly #srqs = new Map<number, Srq[]>();
  readonly #places = new Map<number, number>();
  readonly #plan: TopologyPlan;
  /** Of all queue pairs: see `Endpoint`. */
  readonly #bases: Int32Array;
  readonly #keys: Int32Array;
  readonly #keysPerQp: number;
  readonly #pds: (Pd | undefined)[] = [];
  #mrs: Mr[] = [];
  #device: DeviceAttributes | undefined;

  /** @param keysPerQp region numbers of each queue pair; 0 when regions are not numbered */
  constructor(api: HostApi, plan: TopologyPlan, keysPerQp: number) {
    this.api = api;
    this.#plan = plan;
    this.#keysPerQp = keysPerQp;
    this.#bases = new Int32Array(plan.qpCount(api.host) * BASE_WORDS);
    this.#keys = new Int32Array(plan.qpCount(api.host) * keysPerQp);
  }

  get host(): number {
    return this.api.host;
  }

  /**
   * Opens the device and creates what the plan says.
   * @throws DeviceLimitError when the device cannot do that much, or not that
   */
  *bringUp(needs: RunNeeds): Proc<void> {
    this.#device = yield* this.#open();
    checkCapabilities(this.api.capabilities, this.#plan, this.host, needs);
    checkQueues(this.#device, this.#plan, this.host);
    for (let i = 0; i < this.#plan.cqCount(this.host); i++) {
      const { process, entries } = this.#plan.cq(this.host, i);
      this.cqs.push(yield* this.api.createCq(process, { entries }));
    }
    for (let i = 0; i < this.#plan.qpCount(this.host); i++) yield* this.#createQp(i);
  }

  /** Asks for shared receive queues where there are to be some. */
  #open(): Proc<DeviceAttributes> {
    const srqs = this.sharing === null ? {} : { srqs: this.sharing.queues * this.#plan.processes };
    return this.api.openDevice({ ...this.device, ...srqs });
  }

  /** The device is gone: opens it again, with other objects of the same kinds in the places of those that there were. */
  *reopen(needs: RunNeeds): Proc<void> {
    yield* this.api.closeDevice();
    for (const list of [this.cqs, this.#pds, this.#mrs]) list.length = 0;
    for (const table of [this.#srqs, this.#places]) table.clear();
    yield* this.bringUp(needs);
  }

  /** Brings the queue pairs that have a peer to RTS. All hosts must have come up; `find` gives their ends. */
  *connect(find: (host: number, qp: number) => Endpoint | undefined, common: ConnectAttributes): Proc<void> {
    for (let i = 0; i < this.endpoints.length; i++) {
      const plan = this.#plan.qp(this.host, i);
      if (plan.peer === undefined) continue;
      const end = this.endpoints[i] as Endpoint;
      const { host, qp } = plan.peer;
      const peer = find(host, qp);
      // The device of its host is gone already.
      if (peer?.qp.alive !== true) continue;
      yield* this.#connectOne(i, peer, common, 0);
      if (plan.type === QP_TYPE.ud) end.ah = this.api.createAh(end.qp.pd, host, handleOf(common)).index;
      end.peer = peer;
    }
  }

  /**
   * Connects ends again that were reset, with PSNs that no packet of their earlier lives is near.
   * @param lives times that the system has done so
   */
  *reconnect(ends: readonly Endpoint[], common: ConnectAttributes, lives: number): Proc<void> {
    for (const end of ends)
      yield* this.#connectOne(this.endpoints.indexOf(end), end.peer as Endpoint, common, lives * PSNS_OF_LIFE);
  }

  *#connectOne(index: number, peer: Endpoint, common: ConnectAttributes, furtherPsn: number): Proc<void> {
    const plan = this.#plan.qp(this.host, index);
    const { host, qp } = plan.peer as NonNullable<typeof plan.peer>;
    const psnOf = ({ psn }: { readonly psn: number }): number => (psn + furtherPsn) & PSN_MASK;
    const remote = plan.type === QP_TYPE.ud ? null : { host, qpn: peer.qp.qpn, psn: psnOf(this.#plan.qp(host, qp)) };
    // Not a spread with fields behind it: the engine gives every object made that way a shape of its own.
    const attributes = Object.assign(
      { psn: psnOf(plan), mtu: plan.mtu },
      common,
      plan.type === QP_TYPE.rc || plan.type === QP_TYPE.uc ? this.ends?.(this.host, index, common) : undefined,
      this.#portOf(index, host, qp, plan.type),
    );
    yield* this.api.connectQp((this.endpoints[index] as Endpoint).qp, remote, attributes);
  }

  /** Connections take turns at the ports that NICs have; nothing is said of the first one. Datagrams, which may go to any, have the last. */
  #portOf(index: number, peerHost: number, peerIndex: number, type: number): Pick<ConnectAttributes, 'port'> {
    const { ports = 1 } = this.api.limits;
    const number = this.host < peerHost ? index : peerIndex;
    const port = type === QP_TYPE.ud ? ports : 1 + (number % ports);
    return port === 1 ? {} : { port };
  }

  /** Another address handle for datagrams to the peer of an end, in place of one that is gone. */
  addressAnew(end: Endpoint, common: ConnectAttributes): void {
    const { peer } = this.#plan.qp(this.host, this.endpoints.indexOf(end));
    if (peer !== undefined && end.qp.type === QP_TYPE.ud)
      end.ah = this.api.createAh(end.qp.pd, peer.host, handleOf(common)).index;
  }

  /** Registers `length` bytes from `offset` of an area of a queue pair. */
  *register(end: Endpoint, area: number, offset: number, length: number, access: number): Proc<Mr> {
    this.#checkRegions(1);
    const mr = yield* this.api.regMr(end.qp.pd, this.#regionRequest(end, area, offset, length, access));
    this.#mrs.push(mr);
    return mr;
  }

  /** Registers the planned regions of a queue pair, and notes their keys by number. */
  *registerAll(end: Endpoint, plan: RegionPlan): Proc<void> {
    const { area, offset, length, access } = plan;
    const requests: MrRequest[] = [];
    let furthest = 0;
    for (let i = 0; i < plan.count; i++) {
      const bytes = length[i] as number;
      furthest = Math.max(furthest, (offset[i] as number) + bytes);
      requests.push(this.#regionRequest(end, area[i] as number, offset[i] as number, bytes, access[i] as number));
    }
    this.#checkRegions(requests.length);
    checkArea(this.api.limits, this.host, furthest);
    const mrs = yield* this.api.regMrs(end.qp.pd, requests);
    for (const [i, mr] of mrs.entries()) end.keys[end.firstKey + (plan.number[i] as number)] = mr.key;
    this.#mrs.push(...mrs);
  }

  /**
   * Destroys everything in reverse order and closes the device. What a sequence has destroyed is left out; what it has
   * created, and queues that are in use by that, are for the closing of the device.
   */
  *tearDown(): Proc<void> {
    if (!this.api.deviceFatal) yield* this.#destroyAll();
    yield* this.api.closeDevice();
  }

  *#destroyAll(): Proc<void> {
    for (const { qp } of this.endpoints) if (qp.alive) yield* this.api.destroyQp(qp);
    yield* this.api.deregMrs(this.#mrs.filter(isAlive));
    for (const srq of [...this.#srqs.values()].flat())
      if (srq.alive && srq.users === 0) yield* this.api.destroySrq(srq);
    for (const cq of this.cqs) if (cq.alive && cq.users === 0) yield* this.api.destroyCq(cq);
  }

  #checkRegions(more: number): void {
    if (this.#device === undefined) return;
    const rings = this.#ringRegions();
    if (rings + this.#mrs.length + more > this.#device.maxMrs) this.#mrs = this.#mrs.filter(isAlive);
    checkRegions(this.#device, this.host, rings + this.#mrs.length + more);
  }

  /** Regions that the software of the NIC takes for the queues themselves. */
  #ringRegions(): number {
    const queues = { queuePairs: this.endpoints.length, completionQueues: this.cqs.length };
    return this.api.limits.queueTables({ ...queues, cqEntries: 1, maxSendWr: 0, maxRecvWr: 0 }).regions;
  }

  *#createQp(index: number): Proc<void> {
    const plan = this.#plan.qp(this.host, index);
    const { type, maxSendWr, maxRecvWr, maxSge, maxInline, signalAll } = plan;
    const sendCq = this.cqs[plan.sendCq] as Cq;
    const recvCq = this.cqs[plan.recvCq] as Cq;
    const qp = yield* this.api.createQp(this.#pd(plan.process), {
      type,
      sendCq,
      recvCq,
      maxSendWr,
      maxRecvWr,
      ...(yield* this.#shared(plan)),
      maxSge,
      // The scenario says what inline room pairs have; one that uses none also runs on a NIC that has none.
      maxInline: this.api.capabilities.inline ? maxInline : 0,
      signalAll,
    });
    this.#placeAreas(qp, index * BASE_WORDS);
    const firstKey = index * this.#keysPerQp;
    const known = this.endpoints[index];
    if (known !== undefined) known.qp = qp;
    else this.endpoints.push(new Endpoint(qp, this.#bases, index * BASE_WORDS, this.#keys, firstKey, this.endpoints));
  }

  /** The shared queue of a queue pair, as it is created with it; nothing where it has receives of its own. */
  *#shared({ type, process, maxRecvWr, maxSge: ofOwn }: QpPlan): Proc<{ srq?: Srq }> {
    if (this.sharing === null || !canShare(type)) return {};
    const place = this.#places.get(process) ?? 0;
    this.#places.set(process, place + 1);
    const queue = this.sharing.queueOf(place);
    if (queue < 0) return {};
    // A datagram may need one entry more than a message of another queue pair that shares it.
    const maxSge = Math.min(ofOwn + 1, this.#device?.maxSrqSge ?? ofOwn);
    const own = this.#srqs.get(process) ?? [];
    this.#srqs.set(process, own);
    while (own.length <= queue) own.push(yield* this.api.createSrq(this.#pd(process), { maxWr: maxRecvWr, maxSge }));
    return { srq: own[queue] as Srq };
  }

  #placeAreas(qp: Qp, at: number): void {
    this.#placeArea(at, this.api.dataAddress(qp, false));
    this.#placeArea(at + 2, this.api.dataAddress(qp, true));
    // Those on the card are asked for when a region lies there.
    this.#bases.fill(0, at + 4, at + BASE_WORDS);
  }

  #placeArea(at: number, { hi, lo }: VirtualAddress): void {
    this.#bases[at] = hi;
    this.#bases[at + 1] = lo;
  }

  #regionRequest(end: Endpoint, area: number, offset: number, length: number, access: number): MrRequest {
    const base = end.firstBase + (area << 1);
    if (end.bases[base] === 0) this.#placeArea(base, this.api.dataAddress(end.qp, area === AREA.cardReceive, 'card'));
    const lo = ((end.bases[base + 1] as number) >>> 0) + offset;
    return { hi: carried(end.bases[base] as number, lo), lo: lo | 0, length, access };
  }

  /** The protection domain of a process: one for all its queue pairs. */
  #pd(process: number): Pd {
    const known = this.#pds[process];
    if (known !== undefined) return known;
    const pd = this.api.allocPd(process);
    this.#pds[process] = pd;
    return pd;
  }
}

function isAlive(mr: Mr): boolean {
  return mr.alive;
}

/** Datagrams go by the path that connections have. */
function handleOf({ ipv6, trafficClass, flowLabel, hopLimit }: ConnectAttributes): AhRequest {
  return {
    ...(ipv6 === undefined ? {} : { ipv6 }),
    ...(trafficClass === undefined ? {} : { trafficClass }),
    ...(flowLabel === undefined ? {} : { flowLabel }),
    ...(hopLimit === undefined ? {} : { hopLimit }),
  };
}
