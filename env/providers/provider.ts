/**
 * What a provider is: the driver of one kind of NIC on one host. It turns verbs into commands, queue entries and
 * doorbells of that NIC, and what the NIC writes into completions. It reaches the NIC only through the bus and
 * memory of its host.
 *
 * The host (env/verbs/verbsHost.ts) has checked everything that holds for all NICs before it calls; a provider checks what
 * is its NIC's own.
 */

import type { SubjectPart } from '../../rdma/subject.ts';
import type { HeldEntries } from '../../agents/pcie/faults/place/accessPlace.ts';
import type { AreaKind } from '../../agents/verbs/memoryItems.ts';
import type { MsixMessage } from '../../agents/pcie/pcieItems.ts';
import type { RecvWr, SendWr, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import type { NicKnobs, Tlp } from '../../dut-model/nic.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Proc, Process } from '../../uvm/kernel/process.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';
import type { AddressMap } from '../memory/addressMap.ts';
import type { ProviderCapabilities } from '../verbs/capabilities.ts';
import type { DeviceAttributes, MrRequest, VirtualAddress } from '../verbs/hostApi.ts';
import type { DeviceFatalError } from '../verbs/hostErrors.ts';
import type { CqIndices } from '../settings/cqIndices.ts';
import type { FirstNumbers } from '../settings/firstNumbers.ts';
import type { NetAddresses } from '../ports/netAddress.ts';
import type { DeviceMemoryDriver } from './deviceMemoryDriver.ts';
import type { FailedReadCounts } from './failedReadCounts.ts';
import type { MkeyDriver } from './mkeyDriver.ts';
import type { SrqDriver } from './srqDriver.ts';
import type { HarmlessAccess } from './harmlessAccess.ts';
import type { HostBus } from './hostBus.ts';
import type { HostMemory } from '../memory/hostMemory.ts';
import type { MemoryDomain } from '../memory/memoryDomain.ts';
import type { QpAttributes } from '../verbs/qpAttributes.ts';
import type { Refusal } from '../verbs/refusal.ts';
import type { DeviceRequest } from '../verbs/srq/srqRequests.ts';
import type { EnvReportId } from '../reportIds.ts';
import type { CqAttributes } from '../../agents/verbs/cqItems.ts';
import type { MrAttributes } from '../../agents/verbs/mrItems.ts';
import type { Ah, Cq, Mr, Pd, Qp, QpInit, Srq } from '../verbs/verbsObjects.ts';

/** A ring whose pages are scattered: number of the queue, and its whole size in bytes. */
export interface Ring {
  readonly id: number;
  readonly bytes: number;
  /** Of a completion queue: bytes of an entry. The NIC must write whole ones. Default 1: it may write any number. */
  readonly entryBytes?: number;
  /** Of a completion queue: it has had another ring so far, and goes on in this one. Default false. */
  readonly continues?: boolean;
  /** Of a completion queue: offset of the entry that the NIC writes first, bytes. Default 0. */
  readonly start?: number;
  /** Of a work queue: its queue pair, where it has one of its own. */
  readonly qpn?: number;
}

/** Takes commands of a provider: their names, with the objects that they are about, and how they ended. @public */
export type CommandLog = (moment: 'begin' | 'end', text: () => string) => void;

/** Parts of a host that a provider works with. */
export interface HostParts {
  readonly host: number;
  readonly bytes: ByteStore;
  readonly memory: HostMemory;
  readonly map: AddressMap;
  readonly bus: HostBus;
  readonly scheduler: Scheduler;
  /** Where objects begin to be numbered; a kind whose limits have no `lastFirstNumbers` is given the usual ones. */
  readonly firstNumbers: FirstNumbers;
  /** What it tells its NIC of completions that it has taken; a kind without `cqOverflow` is given none. */
  readonly cqIndices: CqIndices;
  /** Of all hosts of the run, which software exchanges out of band. */
  readonly addresses: NetAddresses;
  /** The only source of randomness that keeps runs repeatable: a stream of the host for each purpose. */
  random(purpose: string): FastStream;
  /**
   * What the providers of all hosts of an environment share under a name, whatever the kinds of their NICs: a channel beside
   * the network, a directory. Made by who asks first.
   */
  shared<T extends object>(name: string, make: () => T): T;
}

/** What a provider is given by its host. @public */
export interface ProviderHost extends HostParts {
  /** Address handles by index. */
  readonly ahs: readonly Ah[];
  /**
   * Starts a process of the provider: software that does something by itself, such as to take reports out of a ring, or to
   * send again what has timed out. It ends with its body, by `kill()`, or with the run; one that is left after `close` is a
   * leak. Timers that call back are `scheduler.schedule(delay, target, argument)`.
   */
  spawn(name: string, body: Proc): Process;
  /** Reads of its NIC that have failed so far. */
  readonly failedReads: Readonly<FailedReadCounts>;
  /** Reports an error of the NIC. @param about what it accuses; default: the host */
  error(id: EnvReportId, text: string | (() => string), ...about: readonly SubjectPart[]): void;
  /** The NIC may, or may no longer, write a physical range. `queue` and `inbox` ranges it may only read. */
  area(kind: AreaKind, hi: number, lo: number, length: number, allowed: boolean): void;
  /** The same for the piece of a ring that begins at its byte `offset`. */
  ringPiece(kind: AreaKind, hi: number, lo: number, length: number, allowed: boolean, ring: Ring, offset: number): void;
  /** Requests are in memory, the doorbell is not rung yet. Request i has index (first + i) & mask in its ring. */
  sendsPosted(qp: Qp, wrs: readonly SendWr[], count: number, first: number, mask: number): void;
  recvsPosted(qp: Qp, wrs: readonly RecvWr[], count: number, first: number, mask: number): void;
  /** The same of a shared queue. @param slots of its ring, one for each request */
  sharedPosted(srq: Srq, wrs: readonly RecvWr[], count: number, slots: readonly number[]): void;
  /** A completion is in memory. `cq.produced` counts it already, unless `counted` is false (it is not where it should be). */
  visible(cq: Cq, wc: WorkCompletion, counted: boolean): void;
  completionEvent(cq: Cq): void;
  /** The NIC is told that software has taken `cq.consumed` completions of a queue so far. */
  indexTold(cq: Cq): void;
  /** @param event `ASYNC_EVENT`. */
  asyncEvent(event: number, number: number): void;
}

/** @public */
export interface Provider {
  readonly name: string;
  /** What is not there is refused before the provider is asked (env/verbs/capabilities.ts). */
  readonly capabilities: ProviderCapabilities;
  /**
   * Things that it has begun and will go on with by itself, without an access of its NIC, as long as there are any nobody
   * takes the system for quiet. Default 0.
   */
  readonly inFlight?: number;

  /** @param request what a NIC has to be told that it is to have */
  open(request: DeviceRequest): Proc<DeviceAttributes>;
  /** Everything of the host has been destroyed. Takes back what the provider itself has set up. */
  close(): Proc<void>;
  /** What is still allocated, one line each; empty after a proper `close`. */
  leaks(): readonly string[];

  /** @param requests at least one */
  regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<Mr[]>;
  /** @param mrs at least one */
  deregMrs(mrs: readonly Mr[]): Proc<void>;
  createCq(process: number, entries: number): Proc<Cq>;
  destroyCq(cq: Cq): Proc<void>;
  /**
   * Gives a completion queue a ring of another size while it is in use, and sets `cq.entries`. Completions that are not
   * taken yet stay.
   */
  resizeCq(cq: Cq, entries: number): Proc<void>;
  /** What the NIC says of a completion queue. Of a provider with the capability `queryCq`. */
  queryCq?(cq: Cq): Proc<CqAttributes>;
  /** Of a provider with the capability `cardMemory`. */
  readonly deviceMemory?: DeviceMemoryDriver;
  /** What the NIC says of a memory region. Of a provider with the capability `queryMr`. */
  queryMr?(mr: Mr): Proc<MrAttributes>;
  /** Of a provider with the capability `sharedReceives`. */
  readonly srqs?: SrqDriver;
  /** Of a provider with the capabilities `memoryWindows` or `fastRegistration`. */
  readonly keys?: MkeyDriver;
  createQp(pd: Pd, init: QpInit): Proc<Qp>;
  destroyQp(qp: Qp): Proc<void>;
  /** Drives a checked transition from `qp.state`; the queue pair has its new attributes already. */
  modifyQp(qp: Qp, attr: QpAttributes): Proc<void>;
  queryQp(qp: Qp): Proc<QpAttributes>;
  /** Compares what the NIC says with what it was told; one line for each difference, but for a state that it may be in. */
  verifyQp(qp: Qp): Proc<readonly string[]>;

  postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void>;
  postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void>;
  pollCq(cq: Cq, wc: WorkCompletion): boolean;
  armCq(cq: Cq, solicitedOnly: boolean): Proc<void>;
  /** Masks the interrupt of completion events, or takes the mask back; see `HostApi.maskEvents`. */
  maskEvents(masked: boolean): Proc<void>;
  /** @param domain given to a provider with the capability `cardMemory` */
  dataAddress(qp: Qp, receive: boolean, domain?: MemoryDomain): VirtualAddress;
  /** Commands that the NIC must refuse while a queue pair is in RTS and a region is registered; none where none are known. */
  refusals(qp: Qp, mr: Mr): readonly Refusal[];
  /** BAR accesses that must do nothing as long as no queue pair comes, goes or leaves RESET; none where none are known. */
  harmlessAccesses(qp: Qp): readonly HarmlessAccess[];

  /** Has `log` told of every command from now on, as it begins and as it ends; it builds the text only if it is wanted. */
  traceCommands(log: CommandLog): void;
  /** The doorbell that an access rings, in words; undefined when it is none. */
  doorbellText(access: Tlp): string | undefined;

  /** What the translation entries at an address are for, as software has written them. Default: it does not say. */
  heldBy?(hi: number, lo: number, length: number): HeldEntries | undefined;

  /**
   * The NIC has been reset, and everything that was set up on it is gone: commands and waits under way end by throwing `error`, at once,
   * and what the NIC had sent before is not looked at. Left out by a kind whose software cannot take that (`DeviceLimits.nicReset`).
   */
  nicReset?(error: DeviceFatalError): void;
  /** All that it had sent has arrived: forgets all that was set up, without a command, so that it can be opened again. */
  forget?(): void;

  /** A write of the NIC has reached host memory. */
  write(tlp: Tlp): void;
  /** Software looks into its event queues without having been told to. Default: it never does. */
  pollEvents?(): void;
  /** An interrupt has reached the host. */
  interrupt(message: MsixMessage): void;
}

/** Makes a provider for one host. @param knobs as they are given to its NIC @public */
export type ProviderBuilder = (host: ProviderHost, knobs: NicKnobs) => Provider;
