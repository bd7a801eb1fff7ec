/**
 * A raw packet queue pair of a host as a user sequence sees it: whole Ethernet frames, from the destination address on and without
 * check sequence. The scoreboard judges each frame as a whole; a sequence looks at it only if it wants to.
 */
import { RecvWr, SendWr } from '../../agents/verbs/verbsItems.ts';
import type { PortAddress } from '../../agents/wire/pathChecker.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import type { Cq, Qp } from '../../env/verbs/verbsObjects.ts';
import { QP_TYPE, SEND_FLAG, WC_STATUS, WR_OPCODE } from '../../rdma/verbs.ts';
import { Mailbox } from '../../uvm/kernel/mailbox.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Completion } from './completion.ts';
import type { QpSide } from './qpSide.ts';
import type { RegisteredBuffer } from './memory/registeredBuffer.ts';

/** Requests outstanding in each direction. */
const DEPTH = 32;

/** A frame that has come, with its completion. @public */
export interface ReceivedFrame {
  readonly completion: Completion;
  /** Empty unless the completion is successful. */
  readonly bytes: Uint8Array;
}

/** @public */
export class RawSide {
  readonly host: number;
  readonly api: HostApi;
  readonly qp: Qp;
  /** Bytes of the longest frame that there is memory for. */
  readonly mostBytes: number;
  readonly #side: QpSide;
  readonly #cqs: readonly Cq[];
  readonly #sources: readonly RegisteredBuffer[];
  readonly #sinks: readonly RegisteredBuffer[];
  readonly #sent: Mailbox<Completion>;
  readonly #received: Mailbox<Completion>;
  #sendsPosted = 0;
  #recvsPosted = 0;

  private constructor(side: QpSide, qp: Qp, cqs: readonly Cq[], buffers: RegisteredBuffer[][], mostBytes: number) {
    this.host = side.host;
    this.api = side.api;
    this.qp = qp;
    this.mostBytes = mostBytes;
    this.#side = side;
    this.#cqs = cqs;
    const [sources = [], sinks = []] = buffers;
    this.#sources = sources;
    this.#sinks = sinks;
    this.#sent = new Mailbox<Completion>(Infinity, `sent() of ${describe(qp)}`);
    this.#received = new Mailbox<Completion>(Infinity, `received() of ${describe(qp)}`);
  }

  /**
   * Makes one on the host of a side, in its process and protection domain, ready to send and receive.
   * @param mostBytes of the longest frame that there is to be memory for
   * @throws HostApiError of kind UNSUPPORTED where the NIC has none, IN_USE where its port has one
   */
  static *open(side: QpSide, mostBytes: number): Proc<RawSide> {
    const { api, qp } = side;
    const cqs: Cq[] = [];
    for (let i = 0; i < 2; i++) cqs.push(yield* api.createCq(qp.process, { entries: DEPTH * 2 }));
    const [sendCq, recvCq] = cqs as [Cq, Cq];
    const init = { type: QP_TYPE.raw, sendCq, recvCq, maxSendWr: DEPTH, maxRecvWr: DEPTH, maxSge: 1 };
    const made = yield* api.createQp(qp.pd, init);
    const sources = (yield* side.source(DEPTH * mostBytes)).split(DEPTH);
    const sinks = (yield* side.sink(DEPTH * mostBytes)).split(DEPTH);
    yield* api.connectQp(made, null);
    return new RawSide(side, made, cqs, [sources, sinks], mostBytes);
  }

  /** The addresses of its port: what frames for it are sent to. */
  get address(): PortAddress {
    return this.api.netAddress(this.host, this.qp.port);
  }

  /** Called by who takes the completions of the host. */
  arrived(completion: Completion): void {
    (completion.isSend ? this.#sent : this.#received).tryPut(completion);
  }

  /** Posts a frame. As many as `qp.maxSendWr` may be outstanding. */
  *send(frame: Uint8Array): Proc<void> {
    const buffer = (this.#sources[this.#sendsPosted % DEPTH] as RegisteredBuffer).part(0, frame.length);
    this.#side.fill(buffer, frame);
    yield* this.post(buffer);
  }

  /** Posts what a buffer holds as a frame. */
  *post(buffer: RegisteredBuffer): Proc<void> {
    const wr = new SendWr();
    wr.wrId = this.#sendsPosted++;
    wr.opcode = WR_OPCODE.send;
    wr.flags = SEND_FLAG.signaled;
    wr.setNumSge(1);
    buffer.fill(wr.sges[0] as SendWr['sges'][number]);
    yield* this.api.postSend(this.qp, [wr], 1);
  }

  /** Posts memory for a frame. @param bytes default: as many as the longest has */
  *receive(bytes = this.mostBytes): Proc<void> {
    const wr = new RecvWr();
    const buffer = this.#sinks[this.#recvsPosted % DEPTH] as RegisteredBuffer;
    wr.wrId = this.#recvsPosted++;
    wr.setNumSge(1);
    buffer.part(0, bytes).fill(wr.sges[0] as RecvWr['sges'][number]);
    yield* this.api.postRecv(this.qp, [wr], 1);
  }

  /** Waits for the next completion of a frame that was posted. */
  *sent(): Proc<Completion> {
    return yield* this.#sent.get();
  }

  /** Waits for the next completion of a receive. */
  *received(): Proc<ReceivedFrame> {
    const completion = yield* this.#received.get();
    const buffer = this.#sinks[completion.wrId % DEPTH] as RegisteredBuffer;
    const has = completion.status === WC_STATUS.success && completion.byteLen <= buffer.length;
    const bytes = has ? this.#side.contents(buffer.part(0, completion.byteLen)) : new Uint8Array(0);
    return { completion, bytes };
  }

  /** Destroys the queue pair and its completion queues. */
  *close(): Proc<void> {
    yield* this.api.destroyQp(this.qp);
    for (const cq of this.#cqs) yield* this.api.destroyCq(cq);
  }
}
