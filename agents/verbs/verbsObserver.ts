/**
 * The verbs agent: what happens at the verbs interface of a host, for whoever watches it: the judge, coverage, traces.
 * `verbsItems` and `qpQuery` are its transactions, `memoryItems` those of host memory, `verbsMonitor` hands them on. The host API
 * (`env/verbs`) and providers tell; nobody here drives anything or imports from them.
 *
 * An observer has the methods that it needs and leaves out the others. A new event takes two places: a method here, and
 * the line that says `tell` where it happens (or a call of the monitor's own, for what every request passes).
 *
 * Of a command there is what begins (software may count on the old state no longer) and what has been done (the NIC has
 * said so): between the two the NIC may work by either. Items are reused: valid during the call.
 */

import type { MkeyInfo } from './mkeyItems.ts';
import type { AreaItem, DataWritten } from './memoryItems.ts';
import type { CqQuery } from './cqItems.ts';
import type { MrQuery } from './mrItems.ts';
import type { QpQuery } from './qpQuery.ts';
import type { SrqInfo, SrqQuery } from './srqItems.ts';
import type {
  AhInfo,
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  RawQpInfo,
  VisibleCompletion,
} from './verbsItems.ts';

/** @public */
export interface VerbsObserver {
  // ---- work

  /** A request, before its doorbell. */
  postedSend?(item: PostedSend): void;
  postedRecv?(item: PostedRecv): void;
  /** A completion, the moment it is in host memory. */
  completion?(item: VisibleCompletion): void;

  // ---- states of queue pairs (roce-transport.md 6)

  /** It has come from RESET to INIT, where receives can be posted; what `QpInfo` says of a peer is not known yet. */
  qpInInit?(info: QpInfo): void;
  /** Software is about to take it from INIT to RTR. */
  qpToRtr?(host: number, qpn: number): void;
  /** It has come to RTR, where it receives and answers. */
  qpInRtr?(info: QpInfo): void;
  /** Software is about to take it from RTR to RTS. */
  qpToRts?(host: number, qpn: number): void;
  /** It has come from RTR to RTS. */
  qpInRts?(info: QpInfo): void;
  /** A command that modifies it begins, and has ended, whatever it changes. */
  qpModifying?(host: number, qpn: number): void;
  qpModified?(host: number, qpn: number): void;
  /** The NIC is asked for the context of a queue pair; and has answered, in whatever way. */
  qpQuerying?(host: number, qpn: number): void;
  qpAsked?(host: number, qpn: number): void;
  /** QUERY_QP has been answered. */
  qpQueried?(query: QpQuery): void;
  /** Software is about to change attributes that `QpInfo` tells, in RTR or beyond, and the NIC has taken the change. */
  qpChanging?(info: QpInfo): void;
  qpChanged?(info: QpInfo): void;
  /** Software is about to have the send queue drained, and to be told when it is; and the NIC has refused. */
  qpDrainAsked?(host: number, qpn: number): void;
  qpDrainRefused?(host: number, qpn: number): void;
  /** The NIC has been told to drain the send queue, and has not said yet that it has done so. */
  qpDraining?(host: number, qpn: number): void;
  /** The NIC says that the send queue is drained while software wants nothing else of it. */
  qpDrained?(host: number, qpn: number): void;
  /** It has come to SQD, where what is not begun waits. */
  qpInSqd?(host: number, qpn: number): void;
  /** It has left SQD for another state. */
  qpOutOfSqd?(host: number, qpn: number): void;
  /** Software is about to take it from RESET, SQD or SQE to a state in which it may send. */
  qpResuming?(host: number, qpn: number): void;
  /** It has come from SQE to RTS. */
  qpOutOfSqe?(host: number, qpn: number): void;
  /** Software is about to take it to ERR: its requests are flushed. */
  qpToErr?(host: number, qpn: number): void;
  /** It has come to ERR as software asked: it sends nothing from now on. */
  qpInErr?(host: number, qpn: number): void;
  /** Software is about to reset it. */
  qpToReset?(host: number, qpn: number): void;
  /** Software is about to destroy it, in another state than RESET. */
  qpDestroying?(host: number, qpn: number): void;
  /** It has been reset or destroyed. */
  qpGone?(host: number, qpn: number): void;

  // ---- raw packet queue pairs, of which nothing else is told but their completion queues

  /** Software is about to take it from RESET to INIT, where receives can be posted. */
  rawQpToInit?(info: RawQpInfo): void;
  /** It has come to RTR, where it receives. */
  rawQpInRtr?(host: number, qpn: number): void;
  /** Software is about to take it to ERR or RESET, or to destroy it: what is posted may be flushed. */
  rawQpStopping?(host: number, qpn: number): void;
  /** It has been reset or destroyed. */
  rawQpGone?(host: number, qpn: number): void;
  /** A frame to be sent, before its doorbell, and memory for one that is received. */
  rawSendPosted?(item: PostedSend): void;
  rawRecvPosted?(item: PostedRecv): void;
  rawCompletion?(item: VisibleCompletion): void;

  // ---- completion queues

  cqCreated?(host: number, cqn: number): void;
  /**
   * Its NIC finds when it overflows: it holds so many completions from now on; two numbers while it is getting another size. Not told
   * where software does not say what it has taken.
   */
  cqSized?(host: number, cqn: number, least: number, most: number): void;
  /** Software tells the NIC how many completions it has taken of the queue so far. */
  cqIndexTold?(host: number, cqn: number, index: number): void;
  /** Every entry holds a completion that software has not taken: the next one may find no room. */
  cqFilled?(host: number, cqn: number): void;
  /** Software has armed it. @param solicitedOnly for solicited completions only, also after what was asked for before @param unseen completions in memory that software has not taken */
  cqArmed?(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void;
  /** Its event has reached the host. */
  cqEvent?(host: number, cqn: number): void;
  /** QUERY_CQ has been answered. */
  cqQueried?(query: CqQuery): void;
  cqGone?(host: number, cqn: number): void;

  // ---- shared receive queues

  srqCreated?(info: SrqInfo): void;
  /** Software is about to ask for the event that fewer receives than `limit` are left, 0 = no more; and the NIC has been told. */
  srqArming?(host: number, srqn: number, limit: number): void;
  srqArmed?(host: number, srqn: number, limit: number): void;
  /** Software is about to ask for its attributes; and QUERY_SRQ has been answered. */
  srqQuerying?(host: number, srqn: number): void;
  srqQueried?(query: SrqQuery): void;
  srqGone?(host: number, srqn: number): void;

  // ---- regions, address handles, memory

  /** The NIC knows a region. */
  mrRegistered?(info: MrInfo): void;
  /** Software is about to deregister it. */
  mrDeregistering?(host: number, key: number): void;
  /** The NIC has forgotten it. */
  mrDeregistered?(info: MrInfo): void;
  /** QUERY_MPT has been answered, of a region that is registered still. */
  mrQueried?(query: MrQuery): void;
  /** The NIC has refused to deregister it: it stays. */
  mrKept?(host: number, key: number): void;
  /** A window, or a region that requests register, was made; software is about to free it; and the NIC has forgotten it. Any key of its index. */
  mkeyMade?(info: MkeyInfo): void;
  mkeyGoing?(host: number, key: number): void;
  mkeyGone?(host: number, key: number): void;
  ahMade?(info: AhInfo): void;
  /** Software has destroyed it, while datagrams of it may be under way. */
  ahGone?(host: number, index: number): void;
  /** The NIC may write an area of control memory (or read one, `AreaKind`), and may no longer. */
  areaOpened?(area: AreaItem): void;
  areaClosed?(area: AreaItem): void;
  /** Software is about to write data memory, and has written it. */
  dataWriting?(data: DataWritten): void;
  dataWritten?(data: DataWritten): void;

  // ---- the device

  /** Software begins to bring the NIC up. */
  deviceOpening?(host: number): void;
  /** The NIC was reset, and has forgotten all; what it had sent may still be on its way. @param qpns queue pairs that it had */
  deviceReset?(host: number, qpns: readonly number[]): void;
  /**
   * All that it had sent has arrived. Between the two it is told of each queue pair, region and completion queue that it is gone, and
   * of each area that it is closed.
   */
  deviceSettled?(host: number): void;

  // ---- events

  asyncEvent?(item: AsyncEventItem): void;
}

/** Names of the events. */
export type VerbsEvent = keyof VerbsObserver;

/** What is told with an event. */
export type VerbsEventArgs<E extends VerbsEvent> = Parameters<NonNullable<VerbsObserver[E]>>;
