/** What a provider sees of its host: its parts, and whom to tell what happens. */

import type { SubjectPart } from '../../rdma/subject.ts';
import type { AreaKind } from '../../agents/verbs/memoryItems.ts';
import type { RecvWr, SendWr, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT, QP_STATE, QP_TYPE, SEND_FLAG, WC_STATUS } from '../../rdma/verbs.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Proc, Process, ProcessManager } from '../../uvm/kernel/process.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';
import type { AddressMap } from '../memory/addressMap.ts';
import { isQpError } from '../verbs/queriedState.ts';
import type { CompletionWaits } from '../verbs/completionWaits.ts';
import { FailedReadCounts } from './failedReadCounts.ts';
import type { HostBus } from './hostBus.ts';
import type { HostMemory } from '../memory/hostMemory.ts';
import type { HostObjects } from '../verbs/hostObjects.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import type { CqIndices } from '../settings/cqIndices.ts';
import type { FirstNumbers } from '../settings/firstNumbers.ts';
import type { NetAddresses } from '../ports/netAddress.ts';
import { HostPublisher } from '../verbs/hostPublisher.ts';
import type { HostParts, ProviderHost, Ring } from './provider.ts';
import type { EnvReportId } from '../reportIds.ts';
import type { Ah, Cq, Qp, Srq } from '../verbs/verbsObjects.ts';

/** What it is made of. */
export interface ProviderSideOptions extends HostParts {
  readonly monitor: VerbsMonitor;
  readonly processManager: ProcessManager;
  readonly error: (id: EnvReportId, text: string | (() => string), ...about: readonly SubjectPart[]) => void;
}

export class ProviderSide implements ProviderHost {
  readonly host: number;
  readonly bytes: ByteStore;
  readonly memory: HostMemory;
  readonly map: AddressMap;
  readonly bus: HostBus;
  readonly scheduler: Scheduler;
  readonly firstNumbers: FirstNumbers;
  readonly cqIndices: CqIndices;
  readonly addresses: NetAddresses;

  readonly failedReads = new FailedReadCounts();

  readonly #options: ProviderSideOptions;
  readonly #objects: HostObjects;
  readonly #publish: HostPublisher;
  readonly #waits: CompletionWaits;
  readonly #spawned: Process[] = [];

  constructor(options: ProviderSideOptions, objects: HostObjects, waits: CompletionWaits) {
    this.host = options.host;
    this.bytes = options.bytes;
    this.memory = options.memory;
    this.map = options.map;
    this.bus = options.bus;
    this.scheduler = options.scheduler;
    this.firstNumbers = options.firstNumbers;
    this.cqIndices = options.cqIndices;
    this.addresses = options.addresses;
    this.#options = options;
    this.#objects = objects;
    this.#publish = new HostPublisher(options.host, options.monitor, objects.ahs);
    this.#waits = waits;
  }

  get ahs(): readonly Ah[] {
    return this.#objects.ahs;
  }

  /** Names of the provider's processes that have not ended. */
  get running(): readonly string[] {
    return this.#spawned.filter((process) => !process.ended).map(({ name }) => name);
  }

  spawn(name: string, body: Proc): Process {
    const process = this.#options.processManager.spawn(`host${this.host} ${name}`, body, { daemon: true });
    const ended = this.#spawned.findIndex((other) => other.ended);
    if (ended < 0) this.#spawned.push(process);
    else this.#spawned[ended] = process;
    return process;
  }

  shared<T extends object>(name: string, make: () => T): T {
    return this.#options.shared(name, make);
  }

  random(purpose: string): FastStream {
    return this.#options.random(purpose);
  }

  error(id: EnvReportId, text: string | (() => string), ...about: readonly SubjectPart[]): void {
    this.#options.error(id, text, ...about);
  }

  area(kind: AreaKind, hi: number, lo: number, length: number, allowed: boolean): void {
    this.#publish.area(kind, hi, lo, length, allowed, -1, 0, length, 1);
  }

  ringPiece(
    kind: AreaKind,
    hi: number,
    lo: number,
    length: number,
    allowed: boolean,
    ring: Ring,
    offset: number,
  ): void {
    const { id, bytes, entryBytes = 1, continues = false, start = 0, qpn = -1 } = ring;
    this.#publish.area(kind, hi, lo, length, allowed, id, offset, bytes, entryBytes, continues, qpn, start);
  }

  sendsPosted(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void {
    noteSignalled(qp, wrs, count, first, mask);
    this.#publish.sends(qp, wrs, count, first, mask);
  }

  recvsPosted(qp: Qp, wrs: readonly RecvWr[], count: number, first: number, mask: number): void {
    this.#publish.recvs(qp, wrs, count, first, mask);
  }

  sharedPosted(srq: Srq, wrs: readonly RecvWr[], count: number, slots: readonly number[]): void {
    this.#publish.sharedRecvs(srq, wrs, count, slots);
  }

  visible(cq: Cq, wc: WorkCompletion, counted: boolean): void {
    if (wc.isSend === true) noteCompleted(this.#objects.qps.get(wc.qpn), wc.wqeIndex);
    const raw = cq.rawUsers > 0 && this.#objects.qps.get(wc.qpn)?.type === QP_TYPE.raw;
    this.#publish.completion(cq, wc, raw);
    if (wc.status !== WC_STATUS.success) this.#waits.drains.failed(wc.qpn);
    if (cq.arrived >= cq.entries) this.#options.monitor.tell('cqFilled', cq.host, cq.cqn);
    if (counted) this.#waits.arrived(cq);
  }

  indexTold(cq: Cq): void {
    this.#options.monitor.tell('cqIndexTold', cq.host, cq.cqn, cq.consumed);
  }

  completionEvent(cq: Cq): void {
    cq.armed = 0;
    this.#options.monitor.tell('cqEvent', cq.host, cq.cqn);
    this.#waits.event(cq);
  }

  asyncEvent(event: number, number: number): void {
    const item = { host: this.host, event, number };
    const qp = this.#objects.qps.get(number);
    // An event that comes after software has reset it tells of the life before.
    if (qp !== undefined && isQpError(event) && qp.state >= QP_STATE.rtr) {
      qp.state = QP_STATE.err;
      this.#waits.drains.entered(number, qp.state);
    }
    if (event === ASYNC_EVENT.cqErr) this.#objects.queueFailed(number);
    if (event === ASYNC_EVENT.sqDrained && this.#waits.drains.isHeld(number))
      this.#options.monitor.tell('qpDrained', this.host, number);
    this.#options.monitor.tell('asyncEvent', item);
    this.#waits.asyncEvent(item);
  }
}

/** @param first position of the first of `count` requests since the last reset */
function noteSignalled(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void {
  qp.sqSlotMask = mask;
  let i = count - 1;
  if (!qp.signalAll) while (i >= 0 && ((wrs[i] as SendWr).flags & SEND_FLAG.signaled) === 0) i--;
  if (i >= 0) qp.sqSignalled = first + i + 1;
}

/** @param slot of the request in its ring; -1 where the NIC does not say, which counts one */
function noteCompleted(qp: Qp | undefined, slot: number): void {
  if (qp === undefined) return;
  const ahead = slot < 0 ? 0 : (slot - qp.sqCompleted) & qp.sqSlotMask;
  if (ahead < qp.sqPosted - qp.sqCompleted) qp.sqCompleted += ahead + 1;
}
