/**
 * One side of a connection as a user sequence sees it: memory, posting, and waiting for what was posted. Everything
 * posted here is judged by the scoreboard as in any other test; a sequence checks only what it wants to know besides.
 */
import { RecvWr, SendWr } from '../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../env/hostApi.ts';
import type { Qp } from '../../env/verbsObjects.ts';
import { ACCESS, GRH_BYTES, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../rdma/verbs.ts';
import { Mailbox } from '../../uvm/kernel/mailbox.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Endpoint } from '../host/endpoint.ts';
import type { HostSetup } from '../host/hostSetup.ts';
import type { RunProgress } from '../host/runProgress.ts';
import { AREA } from '../scenario.ts';
import type { Completion } from './completion.ts';
import { RegisteredBuffer } from './registeredBuffer.ts';

/** Guard bytes between buffers of an area. */
const GUARD = 64;
/** GRH entries of a UD side and their distance: more than receives can be outstanding, so that no two share one. */
const GRH_SLOTS = 64;
const GRH_PITCH = 64;

/** Data that a request reads or writes: one buffer, or several as a scatter/gather list. */
export type Data = RegisteredBuffer | readonly RegisteredBuffer[];

/** What a send-queue request may have besides its data. */
export interface SendOptions {
  /** Immediate data, 32 bits. */
  readonly imm?: number;
  readonly solicited?: boolean;
  readonly fence?: boolean;
}

export class QpSide {
  readonly host: number;
  readonly qp: Qp;
  readonly api: HostApi;
  /** Request ids given out so far: the n-th request of either queue, counted from 0, has id n. */
  sendsPosted = 0;
  recvsPosted = 0;
  readonly #end: Endpoint;
  readonly #setup: HostSetup;
  readonly #progress: RunProgress;
  readonly #sent: Mailbox<Completion>;
  readonly #received: Mailbox<Completion>;
  /** Next free byte of each area. */
  readonly #free = [0, 0];
  readonly #send = new SendWr();
  readonly #recv = new RecvWr();
  #grh: RegisteredBuffer | undefined;

  constructor(setup: HostSetup, end: Endpoint, progress: RunProgress) {
    this.host = setup.host;
    this.api = setup.api;
    this.qp = end.qp;
    this.#end = end;
    this.#setup = setup;
    this.#progress = progress;
    this.#sent = new Mailbox<Completion>();
    this.#received = new Mailbox<Completion>();
  }

  /** Registers memory to send from, filled with bytes that depend on seed and address. The peer may READ it. */
  source(length: number): Proc<RegisteredBuffer> {
    return this.#allocate(AREA.source, length, ACCESS.remoteRead);
  }

  /** Registers memory in which data arrive. The peer may WRITE and READ it. */
  sink(length: number): Proc<RegisteredBuffer> {
    return this.#allocate(AREA.receive, length, ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead);
  }

  /** Posts a SEND; with immediate data if `options` has some. Does not wait for it. */
  send(data: Data, options: SendOptions = {}): Proc<void> {
    this.#begin(WR_OPCODE.send, data, options);
    return this.#ring(data);
  }

  /** Posts an RDMA WRITE to `target`, a buffer of the peer. Does not wait for it. */
  write(data: Data, target: RegisteredBuffer, options: SendOptions = {}): Proc<void> {
    this.#begin(WR_OPCODE.rdmaWrite, data, options);
    this.#aim(target);
    return this.#ring(data);
  }

  /** Posts an RDMA READ of `target`, a buffer of the peer, into `data`. Does not wait for it. */
  read(data: Data, target: RegisteredBuffer, options: SendOptions = {}): Proc<void> {
    this.#begin(WR_OPCODE.rdmaRead, data, options);
    this.#aim(target);
    return this.#ring(data);
  }

  /** Posts a receive. On UD an entry for the 40-byte GRH is put in front. */
  *receive(data: Data): Proc<void> {
    const wr = this.#recv;
    wr.wrId = this.recvsPosted++;
    const grh = this.qp.type === QP_TYPE.ud ? [yield* this.#grhEntry(wr.wrId)] : [];
    fillList(wr, [...grh, ...listOf(data)]);
    yield* this.api.postRecv(this.qp, [wr], 1);
  }

  /** Waits for the next completion of the send queue. */
  sent(): Proc<Completion> {
    return this.#sent.get();
  }

  /** Waits for the next completion of the receive queue. */
  received(): Proc<Completion> {
    return this.#received.get();
  }

  /** For the completion router. */
  arrived(completion: Completion, isSend: boolean): void {
    if (this.qp.alive) this.#count(completion, isSend);
    (isSend ? this.#sent : this.#received).tryPut(completion);
  }

  /** What the destruction of the queue pair flushes is no failure. */
  #count(completion: Completion, isSend: boolean): void {
    if (isSend) this.#progress.requestsDone++;
    else this.#progress.receivesDone++;
    if (completion.status !== 0) this.#progress.failed++;
  }

  *#grhEntry(id: number): Proc<RegisteredBuffer> {
    this.#grh ??= yield* this.sink(GRH_SLOTS * GRH_PITCH);
    return this.#grh.part((id % GRH_SLOTS) * GRH_PITCH, GRH_BYTES);
  }

  *#allocate(area: number, length: number, access: number): Proc<RegisteredBuffer> {
    const offset = this.#free[area] as number;
    this.#free[area] = offset + length + GUARD;
    const mr = yield* this.#setup.register(this.#end, area, offset, Math.max(1, length), access);
    return new RegisteredBuffer(mr.hi, mr.lo, length, mr.key);
  }

  #begin(opcode: number, data: Data, options: SendOptions): void {
    const wr = this.#send;
    const immediate = options.imm !== undefined;
    wr.wrId = this.sendsPosted++;
    wr.opcode = immediate ? opcode + 1 : opcode; // the opcodes with immediate follow the plain ones
    wr.imm = options.imm ?? 0;
    wr.flags = SEND_FLAG.signaled;
    if (options.solicited === true) wr.flags |= SEND_FLAG.solicited;
    if (options.fence === true) wr.flags |= SEND_FLAG.fence;
    const peer = this.#end.peer as Endpoint;
    wr.ah = this.#end.ah;
    wr.remoteQpn = peer.qp.qpn;
    wr.remoteQkey = peer.qp.qkey;
    fillList(wr, listOf(data));
  }

  #aim(target: RegisteredBuffer): void {
    this.#send.remoteHi = target.hi;
    this.#send.remoteLo = target.lo;
    this.#send.rkey = target.key;
  }

  #ring(data: Data): Proc<void> {
    for (const buffer of listOf(data)) this.#progress.bytesPosted += buffer.length;
    return this.api.postSend(this.qp, [this.#send], 1);
  }
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
