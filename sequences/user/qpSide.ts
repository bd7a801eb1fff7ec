/**
 * One side of a connection as a user sequence sees it: memory, posting, and waiting for what was posted. Everything
 * posted here is judged by the scoreboard as in any other test; a sequence checks only what it wants to know besides.
 */
import { RecvWr, SendWr } from '../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import { reregMr } from '../../env/verbs/reregister.ts';
import type { Ah, Mr, Pd, Qp, QpInit } from '../../env/verbs/verbsObjects.ts';
import { ACCESS, GRH_BYTES, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../rdma/verbs.ts';
import { Mailbox } from '../../uvm/kernel/mailbox.ts';
import type { Proc, Waitable } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { Endpoint } from '../host/endpoint.ts';
import type { HostSetup } from '../host/hostSetup.ts';
import type { RunProgress } from '../host/runProgress.ts';
import { AREA, type Area } from '../../config/scenario/scenario.ts';
import type { Completion } from './completion.ts';
import type { DeadSide } from './waits/deadSide.ts';
import { GrhAreas, sharedCompleted } from './memory/grhAreas.ts';
import { RegisteredBuffer } from './memory/registeredBuffer.ts';
import type { SideCalls } from './waits/sideCalls.ts';
import {
  checkData,
  checkDatagram,
  checkFilling,
  checkImmediate,
  checkInline,
  checkLength,
  checkLocal,
  checkOperation,
  checkRegistered,
  checkRoom,
  checkTarget,
} from './sideChecks.ts';

/** Guard bytes between buffers of an area. */
const GUARD = 64;
/** Fewest GRH entries of a UD side, and their distance. There are more than receives can be outstanding: no two share one. */
const GRH_SLOTS = 64;
/** As many areas for GRHs as a shared queue holds receives, times this: one may be held for long. */
const SHARED_LIVES = 4;
const GRH_PITCH = 64;
const SINK_ACCESS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
const WORDS_ACCESS = SINK_ACCESS | ACCESS.remoteAtomic;

/** What tells the simulated time. @public */
export interface Clock {
  readonly now: SimTime;
}

/** Data that a request reads or writes: one buffer, or several as a scatter/gather list. @public */
export type Data = RegisteredBuffer | readonly RegisteredBuffer[];

/** What a send-queue request may have besides its data. */
interface RequestOptions {
  readonly solicited?: boolean;
  readonly fence?: boolean;
  /**
   * Whether it completes also when it succeeds. Default true; without, on a queue pair without signal-all, its slot in the send queue
   * is free again when a completion behind it has been taken.
   */
  readonly signaled?: boolean;
}

/** Options of SEND and WRITE. @public */
export interface SendOptions extends RequestOptions {
  /** Immediate data, 32 bits. */
  readonly imm?: number;
  /** The request holds the data itself, as they are when it is posted, up to `qp.maxInline` bytes (`+MAX_INLINE`). */
  readonly inline?: boolean;
  /** Of a datagram: the way that it goes, to the host of whom it is for. Default: that of the connection. */
  readonly handle?: Ah;
}

/** Options of READ and of atomics, which have neither immediate nor inline data. @public */
export interface ReadOptions extends RequestOptions {
  readonly imm?: never;
  readonly inline?: never;
  readonly handle?: never;
}

/** Options of receives. @public */
export interface ReceiveOptions {
  /** On UD, the list itself has room for the 40-byte GRH, in its first entries. */
  readonly grhInside?: boolean;
}

/** Compare or add operand of an atomic, and swap operand. */
type Operands = readonly [compare: bigint, swap: bigint];
const NO_OPERANDS: Operands = [0n, 0n];

/** @public */
export class QpSide {
  readonly host: number;
  readonly api: HostApi;
  /** Requests posted so far. The n-th request of either queue, counted from 0, has id (`wrId`) n; of a shared queue, the n-th of all who post there. */
  sendsPosted = 0;
  recvsPosted = 0;
  /** When the latest send-queue request was posted, ps; -1 before the first. */
  lastSend: SimTime = -1;
  /** Set when the device of this side, or of its peer, is gone. */
  dead: DeadSide | null = null;
  readonly #end: Endpoint;
  readonly #setup: HostSetup;
  readonly #progress: RunProgress;
  readonly #calls: SideCalls;
  readonly #clock: Clock;
  readonly #sent: Mailbox<Completion>;
  readonly #received: Mailbox<Completion>;
  /** Next free byte of each area. */
  readonly #free = [0, 0];
  readonly #send = new SendWr();
  readonly #recv = new RecvWr();
  #grh: RegisteredBuffer | undefined;
  #grhAreas: GrhAreas | undefined;
  readonly #handles = new Map<number, number>();

  /** @param api of the host, for the sequence */
  constructor(setup: HostSetup, end: Endpoint, api: HostApi, progress: RunProgress, calls: SideCalls, clock: Clock) {
    this.host = setup.host;
    this.api = api;
    this.#end = end;
    this.#setup = setup;
    this.#progress = progress;
    this.#calls = calls;
    this.#clock = clock;
    this.#sent = new Mailbox<Completion>(Infinity, `sent() of ${describe(end.qp)}`);
    this.#received = new Mailbox<Completion>(Infinity, `received() of ${describe(end.qp)}`);
  }

  /** The queue pair; another one after `renew`. */
  get qp(): Qp {
    return this.#end.qp;
  }

  /** Registers memory to send from, filled with bytes that depend on seed and address. The peer may READ it. */
  source(length: number): Proc<RegisteredBuffer> {
    return this.#call('source', this.#allocate('source', AREA.source, length, ACCESS.remoteRead));
  }

  /** Registers memory in which data arrive. The peer may WRITE and READ it. */
  sink(length: number): Proc<RegisteredBuffer> {
    return this.#call('sink', this.#allocate('sink', AREA.receive, length, SINK_ACCESS));
  }

  /** Registers memory whose words of eight bytes the peer may change by atomics, WRITE and READ. */
  words(length: number): Proc<RegisteredBuffer> {
    return this.#call('words', this.#allocate('words', AREA.receive, length, WORDS_ACCESS));
  }

  /** What a buffer of this side holds, as software reads it. */
  contents(buffer: RegisteredBuffer): Uint8Array {
    this.#setup.api.checkDevice();
    checkLocal(this.qp, [buffer], true);
    return this.#setup.api.data.read(this.qp.process, buffer.hi, buffer.lo, buffer.length);
  }

  /**
   * Gives a buffer of this side another content. Not while a request uses it: what is read or written then is open.
   * @throws HostApiError unless there are as many bytes as the buffer has
   */
  fill(buffer: RegisteredBuffer, bytes: Uint8Array): void {
    this.#setup.api.checkDevice();
    checkLocal(this.qp, [buffer], true);
    checkFilling(this.qp, buffer, bytes.length);
    this.#setup.api.data.write(this.qp.process, buffer.hi, buffer.lo, bytes);
  }

  /** Deregisters what `source` or `sink` returned. Its key opens nothing any more, for none of its parts. */
  deregister(buffer: RegisteredBuffer): Proc<void> {
    return this.#call('deregister', this.#deregister(buffer));
  }

  /**
   * Gives what `source` or `sink` returned other rights, `ACCESS` bits. Its key may be another one then; until the call returns
   * requests may find the old rights, the new ones, or none.
   */
  reregister(buffer: RegisteredBuffer, access: number): Proc<RegisteredBuffer> {
    return this.#call('reregister', this.#reregister(buffer, access));
  }

  /** Posts a SEND; with immediate data if `options` has some. Does not wait for it. */
  send(data: Data, options: SendOptions = {}): Proc<void> {
    return this.#call('send', this.#post(WR_OPCODE.send, data, null, options));
  }

  /**
   * Posts a datagram to any UD queue pair, and not the peer of the connection. Does not wait for it.
   * @param qkey Q_Key that it carries; default that of the receiver, which drops any other
   */
  sendTo(to: QpSide, data: Data, options: SendOptions & { readonly qkey?: number } = {}): Proc<void> {
    return this.#call('sendTo', this.#post(WR_OPCODE.send, data, null, options, to, options.qkey));
  }

  /** Posts an RDMA WRITE to `target`, a buffer of the peer. Does not wait for it. */
  write(data: Data, target: RegisteredBuffer, options: SendOptions = {}): Proc<void> {
    return this.#call('write', this.#post(WR_OPCODE.rdmaWrite, data, target, options));
  }

  /** Posts an RDMA READ of `target`, a buffer of the peer, into `data`. Does not wait for it. */
  read(data: Data, target: RegisteredBuffer, options: ReadOptions = {}): Proc<void> {
    return this.#call('read', this.#post(WR_OPCODE.rdmaRead, data, target, options));
  }

  /**
   * Posts a compare-and-swap of the word at the start of `target`, a buffer of the peer: `swap` takes the place of
   * `compare`. What the word held comes into `data`, eight bytes. Does not wait for it.
   * @param compare and `swap`: 64 bits, of a negative number or a greater one those that remain
   */
  compareSwap(
    data: Data,
    target: RegisteredBuffer,
    compare: bigint,
    swap: bigint,
    options: ReadOptions = {},
  ): Proc<void> {
    const call = this.#post(WR_OPCODE.atomicCmpAndSwp, data, target, options, null, undefined, [compare, swap]);
    return this.#call('compareSwap', call);
  }

  /** As `compareSwap`, for a fetch-and-add: `add` is added to the word modulo 2^64. */
  fetchAdd(data: Data, target: RegisteredBuffer, add: bigint, options: ReadOptions = {}): Proc<void> {
    const call = this.#post(WR_OPCODE.atomicFetchAndAdd, data, target, options, null, undefined, [add, 0n]);
    return this.#call('fetchAdd', call);
  }

  /** Posts a receive. On UD an entry for the 40-byte GRH is put in front, unless `options` say that the list has room for it. */
  receive(data: Data, options: ReceiveOptions = {}): Proc<void> {
    return this.#call('receive', this.#receive(data, options));
  }

  /**
   * Destroys the queue pair and makes another one in its place, in RESET, with the same queues and another number. What
   * waits for completions of this side goes on waiting.
   * @param changes what the other one has in place of that; completions in a queue of its own come to this side too
   * @param pd its protection domain, of the same process
   */
  renew(changes: Partial<Omit<QpInit, 'type'>> = {}, pd = this.qp.pd): Proc<void> {
    return this.#call('renew', this.#renew(changes, pd));
  }

  /** Waits for the next completion of the send queue. @throws DeviceFatalError when none will come: the device is gone */
  sent(): Proc<Completion> {
    return this.#call('sent', this.dead === null ? this.#sent.get() : this.#mayCome('sent'));
  }

  /** Waits for the next completion of the receive queue. @throws DeviceFatalError when none will come: a device is gone, of the peer perhaps */
  received(): Proc<Completion> {
    return this.#call('received', this.dead === null ? this.#received.get() : this.#mayCome('received'));
  }

  /** The call that a process is in which waits on `wait`; undefined when that is no wait for a completion of this side. */
  callThatWaitsOn(wait: Waitable | null): 'sent' | 'received' | undefined {
    if (wait === this.#sent.arrival) return 'sent';
    return wait === this.#received.arrival ? 'received' : undefined;
  }

  /** For the completion router. */
  arrived(completion: Completion): void {
    if (this.qp.alive) this.#count(completion);
    if (!completion.isSend && this.qp.srq !== null) sharedCompleted(this.qp.srq, completion.wrId);
    (completion.isSend ? this.#sent : this.#received).tryPut(completion);
  }

  /** Its host, or that of its peer, works again: what was there before counts no more. */
  revive(): void {
    this.dead = null;
    if (this.#grh?.mr?.alive === false) this.#grh = this.#grhAreas = undefined;
    this.#handles.clear();
    for (const completions of [this.#sent, this.#received])
      for (let left = completions.tryGet(); left !== undefined; left = completions.tryGet()) left.expected();
  }

  *#mayCome(call: 'sent' | 'received'): Proc<Completion> {
    const completions = call === 'sent' ? this.#sent : this.#received;
    if (completions.size === 0) this.dead?.check(this, call);
    return yield* completions.get();
  }

  *#renew(changes: Partial<QpInit>, pd: Pd): Proc<void> {
    const { api } = this.#setup;
    const { type, sendCq, recvCq, srq, maxSendWr, maxRecvWr, maxSge, maxInline, signalAll } = this.qp;
    yield* api.destroyQp(this.qp);
    const init = { type, sendCq, recvCq, srq, maxSendWr, maxRecvWr, maxSge, maxInline, signalAll, ...changes };
    this.#end.qp = yield* api.createQp(pd, init);
  }

  #call<T>(name: string, body: Proc<T>): Proc<T> {
    return this.#calls.made(name, this.qp, body);
  }

  /** What the destruction of the queue pair flushes is no failure. */
  #count(completion: Completion): void {
    if (completion.isSend) this.#progress.requestsDone++;
    else this.#progress.receivesDone++;
    if (completion.status !== 0) this.#progress.mayHaveFailed(completion);
  }

  get #grhSlots(): number {
    // Receives of a shared queue come back in any order.
    const lives = this.qp.srq === null ? 1 : SHARED_LIVES;
    return Math.max(GRH_SLOTS, lives * (this.qp.maxRecvWr + 1));
  }

  *#deregister(buffer: RegisteredBuffer): Proc<void> {
    this.#setup.api.checkDevice();
    checkRegistered(this.qp, buffer);
    yield* this.#setup.api.deregMr(buffer.mr as Mr);
  }

  *#reregister(buffer: RegisteredBuffer, access: number): Proc<RegisteredBuffer> {
    this.#setup.api.checkDevice();
    checkRegistered(this.qp, buffer);
    const mr = yield* reregMr(this.#setup.api, buffer.mr as Mr, { access });
    return new RegisteredBuffer(buffer.hi, buffer.lo, buffer.length, mr.key, mr);
  }

  *#receive(data: Data, options: ReceiveOptions): Proc<void> {
    this.#setup.api.checkDevice();
    const inFront = this.qp.type === QP_TYPE.ud && options.grhInside !== true;
    checkData(this.qp, listOf(data), inFront ? 1 : 0);
    checkLocal(this.qp, listOf(data), false);
    const grh = inFront ? yield* this.#grhArea() : undefined;
    // Nothing is waited for from here on: other processes may be posting on this side too.
    checkRoom(this.qp, 'receive');
    const wr = this.#recv;
    const { srq } = this.qp;
    wr.wrId = srq?.posted ?? this.recvsPosted;
    fillList(wr, grh === undefined ? listOf(data) : [this.#grhPart(grh, wr.wrId), ...listOf(data)]);
    const { api } = this.#setup;
    const posted = srq === null ? api.postRecv(this.qp, [wr], 1) : api.postSrqRecv(srq, [wr], 1);
    this.recvsPosted++;
    yield* posted;
  }

  #grhPart(grh: RegisteredBuffer, wrId: number): RegisteredBuffer {
    this.#grhAreas ??= new GrhAreas(grh.length / GRH_PITCH);
    return grh.part(this.#grhAreas.take(this.qp.srq, wrId) * GRH_PITCH, GRH_BYTES);
  }

  *#grhArea(): Proc<RegisteredBuffer> {
    if (this.#grh !== undefined) return this.#grh;
    const area = yield* this.sink(this.#grhSlots * GRH_PITCH);
    this.#grh ??= area; // another process may have been faster
    return this.#grh;
  }

  *#allocate(call: string, area: Area, length: number, access: number): Proc<RegisteredBuffer> {
    const offset = this.#free[area] as number;
    checkLength(this.qp, call, length, offset, this.#setup.api.limits.areaBytes);
    this.#free[area] = offset + length + GUARD;
    const mr = yield* this.#setup.register(this.#end, area, offset, Math.max(1, length), access);
    return new RegisteredBuffer(mr.hi, mr.lo, length, mr.key, mr);
  }

  *#post(
    opcode: number,
    data: Data,
    target: RegisteredBuffer | null,
    options: SendOptions | ReadOptions,
    to: QpSide | null = null,
    qkey?: number,
    operands: Operands = NO_OPERANDS,
  ): Proc<void> {
    this.#setup.api.checkDevice();
    const buffers = listOf(data);
    if (to !== null) checkDatagram(this.qp, to.qp);
    checkOperation(this.qp, opcode);
    checkImmediate(this.qp, opcode, options.imm);
    checkData(this.qp, buffers, 0);
    checkLocal(this.qp, buffers, options.inline === true);
    if (options.inline === true) checkInline(this.qp, opcode, buffers);
    if (target?.mr?.alive === false) this.dead?.end();
    if (target !== null) checkTarget(this.qp, (this.#end.peer as Endpoint).qp, target);
    checkRoom(this.qp, 'send');
    this.#fill(opcode, options);
    if (target !== null) this.#aim(target);
    this.#operate(operands);
    if (to !== null) this.#address(to, qkey ?? to.qp.qkey);
    if (options.handle !== undefined) this.#send.ah = options.handle.index;
    fillList(this.#send, buffers);
    const posted = this.#setup.api.postSend(this.qp, [this.#send], 1);
    this.sendsPosted++;
    this.lastSend = this.#clock.now;
    for (const buffer of buffers) this.#progress.bytesPosted += buffer.length;
    yield* posted;
  }

  #fill(opcode: number, options: SendOptions | ReadOptions): void {
    const wr = this.#send;
    const immediate = options.imm !== undefined;
    wr.wrId = this.sendsPosted;
    wr.opcode = immediate ? opcode + 1 : opcode; // the opcodes with immediate follow the plain ones
    wr.imm = options.imm ?? 0;
    wr.flags = options.signaled === false ? 0 : SEND_FLAG.signaled;
    if (options.solicited === true) wr.flags |= SEND_FLAG.solicited;
    if (options.fence === true) wr.flags |= SEND_FLAG.fence;
    if (options.inline === true) wr.flags |= SEND_FLAG.inline;
    const peer = this.#end.peer as Endpoint;
    wr.ah = this.#end.ah;
    wr.remoteQpn = peer.qp.qpn;
    wr.remoteQkey = peer.qp.qkey;
  }

  #address(to: QpSide, qkey: number): void {
    const wr = this.#send;
    wr.ah = this.#handleFor(to.host);
    wr.remoteQpn = to.qp.qpn;
    wr.remoteQkey = qkey;
  }

  /** Address handle of a host, made when it is needed first. */
  #handleFor(host: number): number {
    const known = this.#handles.get(host);
    if (known !== undefined) return known;
    const { index } = this.#setup.api.createAh(this.qp.pd, host);
    this.#handles.set(host, index);
    return index;
  }

  #operate([compare, swap]: Operands): void {
    const wr = this.#send;
    wr.compareHi = upperHalf(compare);
    wr.compareLo = lowerHalf(compare);
    wr.swapHi = upperHalf(swap);
    wr.swapLo = lowerHalf(swap);
  }

  #aim(target: RegisteredBuffer): void {
    this.#send.remoteHi = target.hi;
    this.#send.remoteLo = target.lo;
    this.#send.rkey = target.key;
  }
}

function upperHalf(value: bigint): number {
  return Number(BigInt.asIntN(32, value >> 32n));
}

function lowerHalf(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

function listOf(data: Data): readonly RegisteredBuffer[] {
  return data instanceof RegisteredBuffer ? [data] : data;
}

function fillList(wr: SendWr | RecvWr, buffers: readonly RegisteredBuffer[]): void {
  wr.setNumSge(buffers.length);
  buffers.forEach((buffer, g) => {
    const sge = wr.sges[g];
    if (sge !== undefined) buffer.fill(sge);
  });
}
