/**
 * The provider of the HanGu NIC: verbs to HCR commands, work-queue entries and doorbells, and back.
 */

import type { MemorySubject } from '../../../rdma/subject.ts';
import { anEventQueue, bytesOfHost } from '../../../rdma/subjectParts.ts';
import type { HeldEntries } from '../../../agents/pcie/faults/place/accessPlace.ts';
import type { MsixMessage } from '../../../agents/pcie/pcieItems.ts';
import type { RecvWr, SendWr, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import type { Tlp } from '../../nic.ts';
import {
  CQ_AREA,
  CQN_LIMIT,
  DATA_AREA,
  FIRST_CQN,
  FIRST_QPN,
  MAX_PROCESSES,
  QPN_LIMIT,
  QUEUE_AREA,
} from '../layout/addressMap.ts';
import type { CqAttributes } from '../../../agents/verbs/cqItems.ts';
import type { MrAttributes } from '../../../agents/verbs/mrItems.ts';
import { PAGE_BYTES } from '../layout/commands.ts';
import { CQC_FIELD, CQC_STATUS, MPT_PERMISSION, QPC_BYTES } from '../layout/contexts.ts';
import { getField } from './commands/image.ts';
import { readRegion } from './commands/regionEntry.ts';
import { HANGU_LIMITS } from '../layout/limits.ts';
import { CQE_BYTES } from '../layout/queues.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import { DONE } from '../../../env/verbs/done.ts';
import type { DeviceAttributes, MrRequest, VirtualAddress } from '../../../env/verbs/hostApi.ts';
import type { DeviceRequest } from '../../../env/verbs/srq/srqRequests.ts';
import { startsAtZero } from '../../../env/verbs/hostChecks.ts';
import { type DeviceFatalError, HostApiError } from '../../../env/verbs/hostErrors.ts';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import { attributeMask } from '../../../env/verbs/qpAttributes.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { mayBeSaid } from '../../../env/verbs/queriedState.ts';
import type { Refusal } from '../../../env/verbs/refusal.ts';
import { Mr } from '../../../env/verbs/verbsObjects.ts';
import type { Cq, Pd, Qp, QpInit } from '../../../env/verbs/verbsObjects.ts';
import type { HarmlessAccess } from '../../../env/providers/harmlessAccess.ts';
import type { CommandLog, Provider, ProviderHost } from '../../../env/providers/provider.ts';
import { HanguCommands } from './commands/commands.ts';
import { CqResizer } from './rings/cqResizer.ts';
import { CqIndexTeller } from './rings/cqIndices.ts';
import { CqRing } from './rings/cqRing.ts';
import { CqeDecoder } from './rings/cqeDecoder.ts';
import { DeviceSetup } from './commands/deviceSetup.ts';
import { doorbellText } from './rings/doorbellText.ts';
import { Doorbells } from './rings/doorbells.ts';
import { EQN, EqRings } from './rings/eqRing.ts';
import { HanguCq, HanguQp } from './hanguObjects.ts';
import { orGiveBack } from './orGiveBack.ts';
import { HanguKeys } from './hanguKeys.ts';
import { HanguSrqs } from './hanguSrqs.ts';
import { harmlessAccessesOf } from './harmlessAccesses.ts';
import { heldEntries, translationsAt } from './rings/heldEntries.ts';
import { HANGU_CAPABILITIES, HANGU_SETTINGS, type HanguSettings } from './hanguSettings.ts';
import { IcmPages } from './tables/icmPages.ts';
import { MrTable, Range } from './tables/mrTable.ts';
import { postingError, postingProblem } from './rings/postingRules.ts';
import { compareContexts, putQpContext, readAttributes, readState } from './commands/qpContext.ts';
import { refusalsOf } from './commands/refusals.ts';
import { NO_CELLS, RequestIds } from './rings/requestIds.ts';
import { announceCq, announceRings } from './rings/ringAreas.ts';
import { planRings, powerOfTwo } from './rings/ringPlan.ts';
import { isBare, transitionCommand } from './commands/transitionCommand.ts';
import { WqeWriter } from './rings/wqeWriter.ts';
import { hex, hexAddress } from '../../../uvm/report/hexTexts.ts';

export class HanguProvider implements Provider {
  readonly name: string = 'hangu';
  readonly capabilities: ProviderCapabilities;
  /** For tests that give commands of their own. */
  readonly commands: HanguCommands;
  readonly srqs: HanguSrqs;
  readonly keys: HanguKeys;

  readonly #host: ProviderHost;
  readonly #settings: HanguSettings;
  readonly #where: string;
  readonly #icm: IcmPages;
  readonly #mrs: MrTable;
  readonly #setup: DeviceSetup;
  readonly #eqs: EqRings;
  readonly #doorbells: Doorbells;
  readonly #writer: WqeWriter;
  readonly #ring: CqRing;
  readonly #resizer: CqResizer;
  readonly #indices: CqIndexTeller;
  readonly #ids = new RequestIds();
  /** By number, as far as numbers were given. */
  readonly #qps: (HanguQp | null)[] = [];
  readonly #cqs: (HanguCq | null)[] = [];
  readonly #qpns: IndexAllocator;
  readonly #cqns: IndexAllocator;
  /** Byte-store offset of the image that QUERY_QP answers are compared with. */
  readonly #expected: number;
  /** Where completion queues begin to count. */
  readonly #firstCqIndex: number;
  #closed = false;
  /** The NIC was reset: what it had sent before is not looked at. */
  #lost = false;
  /** Queue pairs that the NIC can have, as it has said. */
  #qpLimit = 0;

  constructor(host: ProviderHost, settings: Partial<HanguSettings> = {}) {
    this.#host = host;
    this.#settings = { ...HANGU_SETTINGS, ...settings };
    this.capabilities = { ...HANGU_CAPABILITIES, events: this.#settings.events };
    this.#where = `host ${host.host}`;
    this.#expected = host.bytes.alloc(QPC_BYTES, 16);
    this.commands = new HanguCommands(host, this.#settings);
    this.#icm = new IcmPages(this.commands, host);
    const { qpn, cqn, cqIndex, ...ofRegions } = host.firstNumbers;
    this.#firstCqIndex = cqIndex;
    const { reservedQps, maxQps, maxCqs } = HANGU_LIMITS;
    this.#qpns = new IndexAllocator(reservedQps, QPN_LIMIT - 1, qpn === 0 ? FIRST_QPN : qpn, maxQps);
    this.#cqns = new IndexAllocator(0, CQN_LIMIT - 1, cqn === 0 ? FIRST_CQN : cqn, maxCqs);
    this.#mrs = new MrTable(this.commands, this.#icm, host.map, this.#where, ofRegions, this.#settings);
    this.#doorbells = new Doorbells(host.bus, this.#settings.doorbellBar);
    this.#indices = new CqIndexTeller(host, this.#doorbells);
    this.#eqs = new EqRings(host, this.#doorbells, {
      completion: (n) => this.#event(n),
      async: (e, n) => host.asyncEvent(e, n),
    });
    this.keys = new HanguKeys(host, this.#mrs);
    this.#setup = new DeviceSetup(host, this.commands, this.#icm, this.#mrs, this.#eqs);
    this.#writer = new WqeWriter(host);
    this.#ring = new CqRing(host, new CqeDecoder(this.#qps, this.#ids, this.#settings.rcRemoteQpn));
    this.srqs = new HanguSrqs({
      host,
      commands: this.commands,
      mrs: this.#mrs,
      icm: this.#icm,
      ids: this.#ids,
      doorbells: this.#doorbells,
    });
    this.#resizer = new CqResizer(host, this.commands, this.#mrs, this.#ring);
  }

  *open(request: DeviceRequest = {}): Proc<DeviceAttributes> {
    const logSrqs = this.srqs.opens(request);
    const tagged = this.keys.opens(request);
    for (const numbers of [this.#qpns, this.#cqns]) numbers.comesBack(request.numbersSoon === true);
    this.#closed = false;
    this.#lost = false;
    this.commands.restart();
    const device = yield* this.#setup.open(this.#settings.events, logSrqs, tagged);
    this.#qpLimit = device.maxQps;
    this.keys.opened(device);
    return device;
  }

  *close(): Proc<void> {
    yield* this.#setup.close();
    this.#closed = true;
    if (this.leaks().length > 0) return;
    for (const numbers of [this.#qpns, this.#cqns, this.#mrs]) numbers.restart();
  }

  nicReset(error: DeviceFatalError): void {
    this.#lost = true;
    this.commands.lose(error);
    this.#icm.lose();
    this.#eqs.close();
  }

  forget(): void {
    for (const qp of this.#qps) if (qp !== null) announceRings(this.#host, qp, false);
    for (const cq of this.#cqs) if (cq !== null) this.#forgetCq(cq);
    this.srqs.forget();
    this.#qps.fill(null);
    this.#cqs.fill(null);
    this.commands.forget();
    this.#setup.forget();
    this.#icm.forget();
    for (const numbers of [this.#qpns, this.#cqns, this.#mrs, this.#ids]) numbers.clear();
    this.#closed = true;
  }

  leaks(): readonly string[] {
    const counts: readonly (readonly [string, number])[] = [
      ['queue pairs', this.#qpns.inUse],
      ['completion queues', this.#cqns.inUse],
      ['memory keys', this.#mrs.keysInUse],
      ['translation entries', this.#mrs.mttsInUse],
      ['request id cells', this.#ids.inUse],
      ['mapped ICM pages', this.#icm.mapped],
    ];
    return counts.filter(([, n]) => n !== 0).map(([what, n]) => `${n} ${what}`);
  }

  *regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<Mr[]> {
    const ranges = requests.map((request) => {
      const { hi, lo, length } = request;
      const permissions = request.access | (startsAtZero(request) ? MPT_PERMISSION.zeroBased : 0);
      return new Range(pd.process, hi, lo, length, pd.pdn, permissions, false, this.pageLogOf(request));
    });
    const keys = yield* this.#mrs.registerAll(ranges);
    return requests.map((request, i) => {
      const { hi, lo, length, access } = request;
      return new Mr(pd, keys[i] as number, hi, lo, length, access, startsAtZero(request));
    });
  }

  /** log2 of the bytes that each translation entry of a region stands for. @throws HostApiError where it cannot be as asked for */
  protected pageLogOf(_request: MrRequest): number {
    return Math.log2(PAGE_BYTES);
  }

  deregMrs(mrs: readonly Mr[]): Proc<void> {
    return this.#mrs.deregister(mrs.map((mr) => mr.key));
  }

  queryMr(mr: Mr): Proc<MrAttributes> {
    const index = this.#mrs.numbers.indexOf(mr.key);
    return this.commands.queryMpt(index, (outbox) => readRegion(this.#host.bytes, outbox));
  }

  *createCq(process: number, entries: number): Proc<Cq> {
    const granted = powerOfTwo(entries);
    if (granted > HANGU_LIMITS.maxCqEntries) {
      const what = `${entries} entries are over the limit of ${HANGU_LIMITS.maxCqEntries}`;
      throw new HostApiError('LIMIT', this.#where, what, 'ask for fewer', entries);
    }
    const cqn = this.#number(this.#cqns, 'completion queues', HANGU_LIMITS.maxCqs);
    const hi = CQ_AREA.hi | (cqn >>> 12);
    const lo = cqn << CQ_AREA.cqnShift;
    const pdn = RING_PD_BASE + process;
    const key = yield* orGiveBack(
      this.#mrs.registerRing(process, hi, lo, granted * CQE_BYTES, pdn, MPT_PERMISSION.localWrite),
      () => {
        this.#cqns.free(cqn);
        return DONE;
      },
    );
    yield* this.#icm.ensure('cqc', cqn, 1);
    const first = this.#firstCqIndex;
    const cq = new HanguCq(this.#host.host, process, cqn, granted, pdn, key, first);
    this.#ring.initialise(cq);
    putAt(this.#cqs, cqn, cq);
    announceCq(this.#host, cq, true);
    const size = { logSize: Math.log2(granted), usrPage: process };
    yield* this.commands.sw2hwCq({
      cqn,
      startHi: hi,
      startLo: lo,
      ...size,
      eqn: EQN.completion,
      pd: pdn,
      lkey: key,
      first,
    });
    return cq;
  }

  resizeCq(cq: Cq, entries: number): Proc<void> {
    this.#indices.before(cq as HanguCq);
    return this.#resizer.resize(cq as HanguCq, entries);
  }

  queryCq(cq: Cq): Proc<CqAttributes> {
    const { cqn, first } = cq as HanguCq;
    const { bytes } = this.#host;
    return this.commands.queryCq(cqn, (outbox) => ({
      entries: 2 ** getField(bytes, outbox, CQC_FIELD.logSize),
      overflowed: getField(bytes, outbox, CQC_FIELD.flags) >>> CQC_STATUS.shift === CQC_STATUS.overflow,
      written: (getField(bytes, outbox, CQC_FIELD.producerIndex) - first) >>> 0,
    }));
  }

  *destroyCq(cq: Cq): Proc<void> {
    const own = cq as HanguCq;
    yield* this.commands.hw2swCq(own.cqn);
    yield* this.#mrs.deregister([own.key]);
    announceCq(this.#host, own, false);
    this.#cqs[own.cqn] = null;
    this.#cqns.free(own.cqn);
  }

  *createQp(pd: Pd, init: QpInit): Proc<Qp> {
    this.#checkRaw(init);
    const rings = planRings(init, this.#where);
    const qpn = this.#number(this.#qpns, 'queue pairs', HANGU_LIMITS.maxQps);
    const hi = QUEUE_AREA.hi | (qpn >>> 8);
    const lo = qpn << QUEUE_AREA.qpnShift;
    // One after the other, as the published software does it (hangu-interface.md, Appendix B).
    const sqBytes = rings.sqSlots << rings.sqStrideLog;
    const rqBytes = rings.rqSlots << rings.rqStrideLog;
    const { process, pdn } = pd;
    const sqKey = yield* orGiveBack(this.#mrs.registerRing(process, hi, lo, sqBytes, pdn, 0), () =>
      this.#giveQpnBack(qpn),
    );
    const rqKey = init.srq
      ? NO_KEY
      : yield* orGiveBack(this.#mrs.registerRing(process, hi, lo + QUEUE_AREA.rqOffset, rqBytes, pdn, 0), () =>
          this.#giveQpnBack(qpn, sqKey),
        );
    const qp = new HanguQp(pd, qpn, init, rings, sqKey, rqKey);
    if (qp.srq === null) this.#writer.clearRecvSlot(qp, 0);
    announceRings(this.#host, qp, true);
    putAt(this.#qps, qpn, qp);
    yield* this.#icm.ensure('qpc', qpn, 1);
    return qp;
  }

  /** @param sqKey of the send ring, if that was registered */
  *#giveQpnBack(qpn: number, sqKey?: number): Proc<void> {
    if (sqKey !== undefined) yield* this.#mrs.deregister([sqKey]);
    this.#qpns.free(qpn);
  }

  /** @throws HostApiError: the frames of a port go to one queue pair */
  #checkRaw({ type }: QpInit): void {
    const other = type === QP_TYPE.raw ? this.#qps.find((qp) => qp?.type === type) : undefined;
    if (!other) return;
    const what = `a second raw packet queue pair: QP ${other.qpn} takes the frames of the port`;
    throw new HostApiError('IN_USE', this.#where, what, 'destroy that one first', other.qpn);
  }

  *destroyQp(qp: Qp): Proc<void> {
    const own = qp as HanguQp;
    if (own.state !== QP_STATE.reset) yield* this.#stop(own);
    yield* this.#mrs.deregister(own.srq === null ? [own.sqKey, own.rqKey] : [own.sqKey]);
    announceRings(this.#host, own, false);
    this.#ids.free(own.sqCells, own.sqSlots);
    this.#ids.free(own.rqCells, own.rqSlots);
    this.#qps[own.qpn] = null;
    this.#qpns.free(own.qpn);
  }

  modifyQp(qp: Qp, attr: QpAttributes): Proc<void> {
    const own = qp as HanguQp;
    const opcode = transitionCommand(own.state, attr.state);
    if (attr.state === QP_STATE.reset) return this.#reset(own, opcode);
    if (isBare(attr.state)) return this.commands.modifyQpBare(opcode, own.qpn);
    const notify = attr.enSqdAsyncNotify === true;
    return this.commands.modifyQp(opcode, own, attr.state, attributeMask(attr), notify);
  }

  queryQp(qp: Qp): Proc<QpAttributes> {
    return this.commands.queryQp(qp.qpn, (outbox) => readAttributes(this.#host.bytes, outbox, this.#host.addresses));
  }

  verifyQp(qp: Qp): Proc<readonly string[]> {
    const own = qp as HanguQp;
    const before = own.state;
    const { bytes } = this.#host;
    return this.commands.queryQp(own.qpn, (outbox) => {
      const said = readState(bytes, outbox);
      putQpContext(bytes, this.#expected, own, mayBeSaid(own, before, said) ? said : before, 0, this.#host.addresses);
      return compareContexts(bytes, this.#expected, outbox).map(
        ({ field, wrote, read }) => `${field}: wrote ${hex(wrote)}, read ${hex(read)}`,
      );
    });
  }

  postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void> {
    const own = qp as HanguQp;
    const { ahs } = this.#host;
    for (let i = 0; i < count; i++) {
      const problem = postingProblem(own, wrs[i] as SendWr, ahs);
      if (problem !== null) throw postingError(own, i, problem);
    }
    const mask = own.sqSlots - 1;
    const first = own.sqPosted;
    const writer = this.#writer;
    writer.writeSends(own, wrs, count);
    for (let i = 0; i < count; i++) {
      const { change } = wrs[i] as SendWr;
      if (change !== null) this.#mrs.numbers.changed(change.key);
    }
    if (own.sqCells === NO_CELLS) own.sqCells = this.#ids.alloc(own.sqSlots);
    this.#ids.note(own.sqCells, mask, first, wrs, count);
    own.sqPosted = first + count;
    this.#host.sendsPosted(own, wrs, count, first, mask);
    this.#indices.posting(own);
    const { firstOffset, firstUnits, firstOpcode, firstFence } = writer;
    this.#doorbells.send(own.process, own.qpn, firstOffset, firstUnits, firstOpcode, firstFence);
    return DONE;
  }

  postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void> {
    const own = qp as HanguQp;
    const mask = own.rqSlots - 1;
    const first = own.rqPosted;
    if (own.rqCells === NO_CELLS) own.rqCells = this.#ids.alloc(own.rqSlots);
    this.#indices.posting(own);
    this.#writer.writeRecvs(own, wrs, count);
    this.#ids.note(own.rqCells, mask, first, wrs, count);
    own.rqPosted = first + count;
    this.#host.recvsPosted(own, wrs, count, first, mask);
    // There is no doorbell for receives: a NIC that has flushed all that there were has to be told of more.
    return own.state === QP_STATE.err ? this.modifyQp(own, { state: QP_STATE.err }) : DONE;
  }

  pollCq(cq: Cq, wc: WorkCompletion): boolean {
    const own = cq as HanguCq;
    const taken = this.#ring.poll(own, wc);
    if (taken) this.#indices.taken(own);
    return taken;
  }

  armCq(cq: Cq, solicitedOnly: boolean): Proc<void> {
    this.#indices.armed(cq as HanguCq);
    this.#doorbells.armCq(cq.process, cq.cqn, solicitedOnly, (cq as HanguCq).first + cq.consumed);
    return DONE;
  }

  maskEvents(masked: boolean): Proc<void> {
    return this.#eqs.mask(EQN.completion, masked);
  }

  dataAddress(qp: Qp, receive: boolean): VirtualAddress {
    return { hi: DATA_AREA.hi | (qp.qpn << DATA_AREA.qpnHiShift) | (receive ? DATA_AREA.receiveHi : 0), lo: 0 };
  }

  refusals(qp: Qp, mr: Mr): readonly Refusal[] {
    const freeCqn = this.#cqns.highestFree();
    const { commands } = this;
    const { bytes, addresses } = this.#host;
    return refusalsOf(this.#settings, {
      commands,
      bytes,
      addresses,
      qp: qp as HanguQp,
      mr,
      freeCqn,
      numbers: this.#mrs.numbers,
    });
  }

  harmlessAccesses(qp: Qp): readonly HarmlessAccess[] {
    const numbers = this.#qpns;
    const cqIndices = this.#host.cqIndices.parts > 0;
    return harmlessAccessesOf({
      qp: qp as HanguQp,
      limit: this.#qpLimit,
      exists: (qpn) => numbers.has(qpn),
      cqIndices,
    });
  }

  write(tlp: Tlp): void {
    if (this.#lost) return;
    if (this.#closed) this.#lateWrite(tlp);
    else if ((tlp.hi & CQ_HI_MASK) === CQ_HI && tlp.interrupt !== true) this.#cqWritten(tlp);
  }

  heldBy(hi: number, lo: number, length: number): HeldEntries | undefined {
    const entries = translationsAt(hi, lo, length);
    if (entries === undefined) return undefined;
    const keys = this.#mrs.keysIn(entries.table, entries.first, entries.last);
    return heldEntries(keys, this.#qps, this.#cqs, this.srqs.open, (key) => this.#setup.isOfEvents(key));
  }

  traceCommands(log: CommandLog): void {
    this.commands.hcr.logs.push(log);
  }

  doorbellText(access: Tlp): string | undefined {
    return doorbellText(access, this.#host.bytes.i32, this.#settings.doorbellBar);
  }

  pollEvents(): void {
    if (!this.#closed && !this.#lost) this.#eqs.poll();
  }

  interrupt(message: MsixMessage): void {
    if (this.#lost) return;
    this.#eqs.interrupt(message.hi, message.lo, message.data);
  }

  #forgetCq(cq: HanguCq): void {
    announceCq(this.#host, cq, false);
    if (cq.next !== null) announceCq(this.#host, cq, false, cq.next);
  }

  #cqWritten(tlp: Tlp): void {
    const { hi, lo } = tlp;
    const process = (hi >>> 16) & PROCESS_MASK;
    const cqn = ((hi & 1) << 12) | (lo >>> CQN_SHIFT);
    const cq = this.#cqs[cqn] ?? null;
    if (cq === null || cq.process !== process) this.#strayCqe(tlp, cqn, process);
    else this.#ring.arrived(cq, hi, lo, tlp.length);
  }

  #event(cqn: number): void {
    const cq = this.#cqs[cqn] ?? null;
    if (cq === null)
      this.#host.error(
        'HCA_EQE',
        `host ${this.#host.host} EQ ${EQN.completion}: completion event for CQ ${cqn}, which does not exist`,
        anEventQueue(this.#host.host, EQN.completion),
      );
    else this.#host.completionEvent(cq);
  }

  *#stop(qp: HanguQp): Proc<void> {
    if (qp.state !== QP_STATE.err) yield* this.commands.modifyQpBare(transitionCommand(qp.state, QP_STATE.err), qp.qpn);
    yield* this.#reset(qp, transitionCommand(QP_STATE.err, QP_STATE.reset));
  }

  *#reset(qp: HanguQp, opcode: number): Proc<void> {
    yield* this.commands.modifyQpBare(opcode, qp.qpn);
    this.#forget(qp);
  }

  /** The NIC has dropped all requests; so does software. */
  #forget(qp: HanguQp): void {
    this.#ring.clean(qp.sendCq as HanguCq, qp.qpn);
    this.#ring.clean(qp.recvCq as HanguCq, qp.qpn);
    qp.sqPosted = 0;
    qp.sqFreed = 0;
    qp.rqPosted = 0;
    qp.rqFreed = 0;
    qp.sqFailed = 0;
    qp.sqSilent = 0;
    qp.sqRecovered = 0;
    qp.sqSignalled = 0;
    qp.sqCompleted = 0;
    if (qp.srq === null) this.#writer.clearRecvSlot(qp, 0);
  }

  #number(numbers: IndexAllocator, what: string, limit: number): number {
    const n = numbers.alloc();
    if (n >= 0) return n;
    throw new HostApiError('LIMIT', this.#where, `all ${limit} ${what} are in use`, 'destroy some first', limit);
  }

  #bytesOf({ hi, lo, length }: Tlp): MemorySubject {
    return bytesOfHost(this.#host.host, hi, lo, length);
  }

  #lateWrite(tlp: Tlp): void {
    this.#host.error(
      'HCA_LATE_DMA',
      `write of ${tlp.length} bytes at ${hexAddress(tlp.hi, tlp.lo)}`,
      this.#bytesOf(tlp),
    );
  }

  #strayCqe(tlp: Tlp, cqn: number, process: number): void {
    const text = (): string => {
      const what = `${tlp.length} B were written to ${hexAddress(tlp.hi, tlp.lo)}`;
      const found = this.#cqs[cqn] ?? null;
      const there = found === null ? 'does not exist' : `is of process ${found.process}`;
      const own = this.#cqs.flatMap((cq) => (cq?.process === process ? [cq.cqn] : []));
      const known =
        own.length === 0 ? 'none' : own.slice(0, NAMED_CQS).join(', ') + (own.length > NAMED_CQS ? ', ...' : '');
      return `${what}, the place of CQ ${cqn} of process ${process}, which ${there}; that process has the CQs ${known}`;
    };
    this.#host.error('HCA_CQE_UNKNOWN_CQ', text, this.#bytesOf(tlp));
  }
}

/** Fills the list up to a number, so that it stays one without holes. */
function putAt<T>(list: (T | null)[], index: number, value: T): void {
  while (list.length <= index) list.push(null);
  list[index] = value;
}

/** Of a ring that there is not. */
const NO_KEY = 0;
/** Completion queues that a message names. */
const NAMED_CQS = 8;
/** What tells completion queues from other areas in the upper half of an address; the lowest bit is the CQN's. */
const CQ_HI = CQ_AREA.hi;
const CQ_HI_MASK = 0xfffe;
const CQN_SHIFT = CQ_AREA.cqnShift;
const PROCESS_MASK = MAX_PROCESSES - 1;

/** Completion-queue rings belong to no protection domain of a sequence: each process has one for them. */
const RING_PD_BASE = 0x0100_0000;
