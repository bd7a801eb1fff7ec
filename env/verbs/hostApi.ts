/**
 * The verbs-level host API: what sequences see of a host. The same for every NIC.
 *
 * Methods that may take simulated time return a `Proc` and are called with `yield*`; posting does its work in the
 * call itself. Misuse throws `HostApiError`, a command that the NIC refuses throws `CommandError`; what the NIC does
 * wrong otherwise goes to the report server.
 */

import type { PciAccess } from '../../agents/pcie/root/pciAccess.ts';
import type { PortAddress } from '../../agents/wire/pathChecker.ts';
import type { PcieSequencer } from '../../agents/pcie/pcieSequencer.ts';
import type { AsyncEventItem, RecvWr, SendWr, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import type { DeviceLimits } from '../deviceLimits.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { AhAttributes, AhRequest } from './ah/ahAttributes.ts';
import type { ProviderCapabilities } from './capabilities.ts';
import type { HarmlessAccess } from '../providers/harmlessAccess.ts';
import type { HostData } from '../memory/hostData.ts';
import type { MemoryDomain } from '../memory/memoryDomain.ts';
import type { CqAttributes } from '../../agents/verbs/cqItems.ts';
import type { MrAttributes } from '../../agents/verbs/mrItems.ts';
import type { PortAttributes } from './queries/portAttributes.ts';
import type { QpAttributes } from './qpAttributes.ts';
import type { Refusal } from './refusal.ts';
import type { Dm, DmGeometry, DmOptions, DmRange } from './dm/dm.ts';
import type { DmThread } from './dm/dmThread.ts';
import type { DeviceRequest, SrqAttributes, SrqChange, SrqRequest } from './srq/srqRequests.ts';
import type { Ah, Cq, FastMr, Mr, Mw, MwType, Pd, Qp, QpInit, Srq } from './verbsObjects.ts';

/** What the device says about itself. @public */
export interface DeviceAttributes {
  readonly name: string;
  readonly maxQps: number;
  readonly maxCqs: number;
  /** Memory regions, those of rings included. */
  readonly maxMrs: number;
  readonly maxSge: number;
  /** Work requests of a queue, entries of a completion queue. */
  readonly maxQpWr: number;
  readonly maxCqEntries: number;
  /** Largest MTU code of the port. */
  readonly maxMtu: number;
  /** Outstanding READs and atomics of a queue pair, as requester and as responder. */
  readonly maxRdAtomic: number;
  readonly maxDestRdAtomic: number;
  /** Shared receive queues, receives of one, and entries of such a receive; 0 where there are none. */
  readonly maxSrqs: number;
  readonly maxSrqWr: number;
  readonly maxSrqSge: number;
  /** Types of memory windows, `1`, `2A` and `2B`, how many windows there may be, bound or not, and pages of a region that a request registers; none where keys have no tags. */
  readonly windowTypes?: readonly string[];
  readonly maxMws?: number;
  readonly maxFastPages?: number;
}

/** A range to register. @public */
export interface MrRequest {
  readonly hi: number;
  readonly lo: number;
  /** Bytes; 0 where the NIC has such regions (`emptyRegions`). The last one may have the last address of 48 bits. */
  readonly length: number;
  /** `ACCESS` bits. Remote write and atomic need local write. */
  readonly access: number;
  /** Addresses on the wire are offsets. Default: as the zero-based bit of `access` says. */
  readonly zeroBased?: boolean;
  /** log2 of the bytes that each entry of its translation stands for. Default: the most that its memory has; 12 of host memory. */
  readonly pageLog?: number;
}

/** What a completion queue is to be like. @public */
export interface CqRequest {
  /** Completions that must fit; rounded up to a power of two. */
  readonly entries: number;
  /** Arm for solicited completions at creation. Default false: not armed. */
  readonly solicitedEvents?: boolean;
}

/** The other end of a connection. @public */
export interface RemoteQp {
  readonly host: number;
  readonly qpn: number;
  /** First PSN that the peer sends. */
  readonly psn: number;
}

/** Attributes of `connectQp`; all have defaults. @public */
export interface ConnectAttributes {
  /** First PSN sent from here. Default 0. */
  readonly psn?: number;
  /** Ethernet port of both NICs, from 1; datagrams leave by it and go to the same one. Default 1. */
  readonly port?: number;
  /** MTU in bytes. Default 4096. */
  readonly mtu?: number;
  /** Remote rights. Default: write, read and atomic. */
  readonly accessFlags?: number;
  /** Default 0x1234_5678 for UD, else 0. */
  readonly qkey?: number;
  readonly ipv6?: boolean;
  /** Defaults: 14 (67 ms), 7, 7, 1 (10 us). */
  readonly timeout?: number;
  readonly retryCnt?: number;
  readonly rnrRetry?: number;
  readonly minRnrTimer?: number;
  /** Default 16 each. */
  readonly maxRdAtomic?: number;
  readonly maxDestRdAtomic?: number;
  /** Defaults 0, 0, 0, 64; see `AddressVector`. */
  readonly serviceLevel?: number;
  readonly trafficClass?: number;
  readonly flowLabel?: number;
  readonly hopLimit?: number;
}

/** Start of an area, as signed halves. @public */
export interface VirtualAddress {
  readonly hi: number;
  readonly lo: number;
}

/** Whoever takes the completions of a host, called as they become visible. @public */
export interface CompletionTaker {
  /** Takes everything out of a queue that has something to poll. */
  drain(cq: Cq): void;
  /** True when no more is wanted. */
  finished(): boolean;
}

/** @public */
export interface HostApi {
  readonly host: number;
  /** Processes are numbered 1 .. processes. */
  readonly processes: number;
  /** What such a NIC can hold at most; the device may say less when it is opened. */
  readonly limits: DeviceLimits;
  /**
   * What the device said of itself when it was opened.
   * @throws HostApiError of kind GONE while it is closed
   */
  readonly device: DeviceAttributes;
  /** Whether a completion must still become visible that a send request has asked for. */
  readonly owesCompletion: boolean;
  /** What the NIC can do. Whatever needs more is refused with `HostApiError` of kind UNSUPPORTED. */
  readonly capabilities: ProviderCapabilities;
  /**
   * Sequencer of the host's PCIe agent, for sequences of raw BAR accesses beside those calls.
   * @throws HostApiError of kind UNSUPPORTED when the agent is passive
   */
  readonly pcieSequencer: PcieSequencer;

  /**
   * The NIC was reset under the software, and the device is gone: its event DEVICE_FATAL has come, every object is dead, polling
   * finds nothing, and any other call or wait throws `DeviceFatalError` until the device is closed.
   */
  readonly deviceFatal: boolean;
  /** @throws DeviceFatalError when it is. */
  checkDevice(): void;

  /** Brings the NIC up. @param request default: nothing beyond the usual */
  openDevice(request?: DeviceRequest): Proc<DeviceAttributes>;
  /**
   * Takes everything down that is left, in a legal order, unmaps the NIC's memory, and checks that nothing remains. Of a device that
   * is gone it waits until nothing of the NIC is under way, and gives no command.
   */
  closeDevice(): Proc<void>;

  allocPd(process: number): Pd;
  /** @throws HostApiError of kind IN_USE while something belongs to the domain. */
  deallocPd(pd: Pd): void;

  regMr(pd: Pd, request: MrRequest): Proc<Mr>;
  /** Registers several regions with fewer commands than one by one. All or nothing; the result is in their order. */
  regMrs(pd: Pd, requests: readonly MrRequest[]): Proc<readonly Mr[]>;
  /** @throws HostApiError of kind IN_USE where the NIC refuses it, with windows bound; those in front of it in a list are deregistered */
  deregMr(mr: Mr): Proc<void>;
  deregMrs(mrs: readonly Mr[]): Proc<void>;

  /** What the NIC says of it, as long as it is registered. @throws HostApiError of kind UNSUPPORTED where it cannot */
  queryMr(mr: Mr): Proc<MrAttributes>;
  /**
   * A memory window, which opens nothing until a request binds it (BIND_MW). The device must have been opened with `keyTags`, as for all
   * that requests do to keys.
   * @throws HostApiError of kind UNSUPPORTED where it was not
   */
  allocMw(pd: Pd, type: MwType): Proc<Mw>;
  /** Its key opens nothing once this has returned, whatever it was bound to. */
  deallocMw(mw: Mw): Proc<void>;
  /** A region that requests register (REG_MR) and invalidate, with room for so many pages. */
  allocMr(pd: Pd, maxPages: number): Proc<FastMr>;
  deallocMr(mr: FastMr): Proc<void>;

  createCq(process: number, request: CqRequest): Proc<Cq>;
  /** @throws HostApiError of kind IN_USE while a queue pair uses it, or while it is being resized. */
  destroyCq(cq: Cq): Proc<void>;
  /**
   * Gives a completion queue another size, rounded up to a power of two, also while its queue pairs work. Completions
   * that are not taken yet stay; whether there is room for all that are to come is for the caller to know.
   * @throws HostApiError of kind LIMIT when there is not even room for those that have come, or for no such ring;
   * IN_USE while it is being resized
   */
  resizeCq(cq: Cq, entries: number): Proc<void>;

  /** What the NIC says of it. @throws HostApiError of kind UNSUPPORTED where it cannot */
  queryCq(cq: Cq): Proc<CqAttributes>;

  /** @throws HostApiError of kind LIMIT when the device, or what was asked of it when it was opened, has no room for it */
  createSrq(pd: Pd, request: SrqRequest): Proc<Srq>;
  /**
   * Asks for SRQ_LIMIT_REACHED once fewer receives than `limit` are left: one event, after which it has to be asked for again.
   * @throws HostApiError of kind UNSUPPORTED for another size
   */
  modifySrq(srq: Srq, change: SrqChange): Proc<void>;
  /** What the NIC says of it. */
  querySrq(srq: Srq): Proc<SrqAttributes>;
  /** @throws HostApiError of kind IN_USE while a queue pair uses it */
  destroySrq(srq: Srq): Proc<void>;
  /**
   * Posts `wrs[0 .. count-1]`, of a list with a mistake the receives in front of that, as `postSend`. They are taken in this order, by
   * whichever queue pair needs one first.
   */
  postSrqRecv(srq: Srq, wrs: readonly RecvWr[], count: number): Proc<void>;

  createQp(pd: Pd, init: QpInit): Proc<Qp>;
  /** Stops the queue pair (ERR, RESET) and frees its rings. Completions not yet polled are discarded. */
  destroyQp(qp: Qp): Proc<void>;
  /** @throws HostApiError of kind STATE or ATTRIBUTE when roce-transport.md 6.2 does not allow it. */
  modifyQp(qp: Qp, attr: QpAttributes): Proc<void>;
  /** What the NIC says about the queue pair. */
  queryQp(qp: Qp): Proc<QpAttributes>;
  /** INIT, RTR, RTS, then QUERY_QP compared with what was written (`HCA_QUERY_QP`). UD needs no remote. */
  connectQp(qp: Qp, remote: RemoteQp | null, attrs?: ConnectAttributes): Proc<void>;
  /**
   * A handle for datagrams to a host. A datagram with a handle of another protection domain than that of its queue pair ends with
   * LOC_QP_OP_ERR, as far as its NIC says so.
   * @throws HostApiError of kind ATTRIBUTE for a host that does not exist, for the own one (there is no loopback), and for
   * attributes that there are not
   */
  createAh(pd: Pd, remoteHost: number, request?: AhRequest): Ah;
  queryAh(ah: Ah): AhAttributes;
  /** No request names it any more; a datagram of it that is under way arrives, or ends with LOC_QP_OP_ERR. */
  destroyAh(ah: Ah): void;
  /**
   * Commands that the NIC must refuse as long as the queue pair is in RTS and the region registered, always in the same
   * order. Empty where the provider knows none.
   * @throws HostApiError of kind STATE or GONE when that is not so now
   */
  refusals(qp: Qp, mr: Mr): readonly Refusal[];
  /**
   * Raw BAR accesses that must change nothing, always in the same order: reads of registers, writes that mean nothing,
   * doorbells of numbers near that of `qp` which no queue pair has, and its own if it is in RESET. They are right as long
   * as no queue pair of the host comes, goes or leaves RESET. Empty where the provider knows none.
   */
  harmlessAccesses(qp: Qp): readonly HarmlessAccess[];

  /**
   * Takes memory on the card by handle, from the pages that the areas of queue pairs leave.
   * @throws HostApiError of kind LIMIT where there is not so much left, UNSUPPORTED where there is none
   */
  allocDm(process: number, length: number, options?: DmOptions): Dm;
  /** Gives it back. Regions of it must be gone, and nothing may be under way there. */
  freeDm(dm: Dm): void;
  /** A zero-based region of it: addresses on the wire, and of scatter/gather entries, are offsets. */
  regDm(pd: Pd, dm: Dm, range: DmRange): Proc<Mr>;
  /**
   * Software writes into it through the NIC: done when the NIC sees the bytes.
   * @param posted called when all writes are on the bus: a doorbell from then on comes behind them
   */
  copyToDm(dm: Dm, offset: number, data: Uint8Array, posted?: () => void): Proc<void>;
  /** Software reads it through the NIC. */
  copyFromDm(dm: Dm, offset: number, length: number): Proc<Uint8Array>;
  /** The configuration space of the NIC, and its BARs. */
  readonly pci: PciAccess;
  /** How the memory of the card is seen through its aperture. */
  readonly dmGeometry: DmGeometry;
  /** What the chips of the card hold at a card address of some bytes within a page, by the back door. */
  peekCard(card: number, length: number): Uint8Array;
  /** Where on the card a byte of it lies. */
  placeOfDm(dm: Dm, offset: number): number;
  /** A thread of software that accesses it through the aperture by itself, without the rules of the driver. */
  dmThread(dm: Dm): DmThread;

  /** The data memory of the processes, as software reads and writes it. What a request uses is the NIC's until it ends. */
  readonly data: HostData;

  /**
   * Posts `wrs[0 .. count-1]` as one linked list with one doorbell. Where one of them is wrong, or has no room, those in front of it are
   * posted, and the error says which it is (`HostApiError.index`). What needs a capability is refused as a whole.
   */
  postSend(qp: Qp, wrs: readonly SendWr[], count: number): Proc<void>;
  /**
   * Posts `wrs[0 .. count-1]` as one linked list; of a list with a mistake the requests in front of that, as `postSend`.
   * @throws HostApiError of kind UNSUPPORTED where the queue pair shares its receives
   */
  postRecv(qp: Qp, wrs: readonly RecvWr[], count: number): Proc<void>;

  /**
   * Takes the next completion as a driver does, by its owner byte; false when there is none.
   * @throws HostApiError of kind GONE when the queue has been destroyed, as `armCq` and `waitCq` do
   */
  pollCq(cq: Cq, wc: WorkCompletion): boolean;
  /** Asks for an event at the next completion (or the next solicited one). */
  armCq(cq: Cq, solicitedOnly: boolean): Proc<void>;
  /**
   * Masks the interrupt of completion events, or takes the mask back. Once it has returned no event comes until the mask is
   * taken back, which must be before the run waits for the NIC to come to rest: events that are owed then count as lost.
   */
  maskEvents(masked: boolean): Proc<void>;
  /** The next completion event: a queue that was armed and has fired. */
  waitEvent(): Proc<Cq>;
  /** The next asynchronous event. */
  waitAsyncEvent(): Proc<AsyncEventItem>;
  /**
   * Waits until the NIC has said that the send queue is drained; returns at once when it has. While it is being drained
   * no change of state but that to ERR or RESET is allowed.
   * @throws HostApiError of kind STATE unless it was taken to SQD with `enSqdAsyncNotify`
   */
  waitDrained(qp: Qp): Proc<void>;
  /** Waits until something is visible in the queue; returns at once when it is. */
  waitCq(cq: Cq): Proc<void>;
  /** Waits for any queue of the host with something to poll, in turn. */
  waitAnyCq(): Proc<Cq>;
  /**
   * Lets `taker` drain every queue of the host that has something to poll, the moment it has, until it wants no more:
   * the same as draining what `waitAnyCq` returns, without going through the process for every completion.
   * @throws HostApiError of kind IN_USE while another taker is at work
   */
  takeCompletions(taker: CompletionTaker): Proc<void>;

  /** What software knows of a port. @throws HostApiError of kind ATTRIBUTE for a port, or an entry, that there is not */
  queryPort(port?: number): PortAttributes;
  /** Words of an entry of its GID table, most significant first: `GID_INDEX`. */
  queryGid(port: number, index: number): PortAddress['ipv6'];
  queryPkey(port: number, index: number): number;
  /** Addresses of a port of any host of the run, as software exchanges them out of band. */
  netAddress(host: number, port?: number): PortAddress;
  /**
   * Where a queue pair's source or receive data begin, in areas of 4 GiB that follow each other (published map).
   * @param domain memory that the data lie in, where the NIC has some on the card: the first bytes of an area, as far as there is
   * room (`+DUT=card` has 96 areas of half a sub-window). Default: as `+MEM_DOMAIN` says
   */
  dataAddress(qp: Qp, receive: boolean, domain?: MemoryDomain): VirtualAddress;
  /** Where the data of a queue pair lie unless one says otherwise: as `+MEM_DOMAIN` says, `host` where there is nothing else. */
  dataDomain(qp: Qp, receive: boolean): MemoryDomain;
}
