/**
 * What a NIC is to the rest of the harness: a PCIe port and one to four Ethernet ports, nothing else.
 *
 * Ports pass messages: transactions and frames with a time before which they may not take effect. A model in
 * this process answers by calling its peer directly; an adapter for RTL collects what it is given, runs the
 * simulator until it has output or until the next message is due, and passes on what came out. Nothing in the
 * interface assumes that an answer comes within the call.
 *
 * Bytes live in the run's byte store and are named by offset. Who owns a buffer, and until when, is said at each
 * method. Addresses are two 32-bit halves as signed integers (`hi`, `lo`), so that no message needs a bigint.
 */

import type { BlockPool } from '../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../uvm/bytes/byteStore.ts';
import type { Scheduler, SimTime } from '../uvm/kernel/scheduler.ts';
import type { FastStream } from '../uvm/random/randomStream.ts';

/** Transaction kinds, numbered as in the descriptor of the PCIe block (`hangu-interface.md` 9). @public */
export const TLP_KIND = { memRead: 0, memWrite: 1 } as const;
/** @public */
export type TlpKind = (typeof TLP_KIND)[keyof typeof TLP_KIND];

/** Completion status (PCIe Base Specification, completion header). @public */
export const CPL_STATUS = { success: 0, unsupportedRequest: 1, completerAbort: 4 } as const;
/** @public */
export type CplStatus = (typeof CPL_STATUS)[keyof typeof CPL_STATUS];

/**
 * One transaction-layer packet or one request with its completions. Pooled: whoever is given one may keep it only
 * until the end that its method names.
 * @public
 */
export class Tlp {
  kind: TlpKind = TLP_KIND.memRead;
  /** BAR of a host access; -1 for an access of the NIC to host memory. */
  bar = -1;
  /** Upper and lower half of the byte address (host memory), or offset within the BAR in `lo`. */
  hi = 0;
  lo = 0;
  /** Bytes from the first to the last enabled byte. 0 is a flush read. */
  length = 0;
  /** Byte enables of the first and last dword; -1 = all bytes from address to address + length - 1. */
  firstBe = -1;
  lastBe = -1;
  /** Set by the requester for reads: unique among its outstanding reads. */
  tag = 0;
  /** Byte-store offset of the payload: of a write, its data; of a read, where the completer puts the answer. */
  data = 0;
  /** Block of `BlockPool` that holds the payload and is released when the transaction is done, or -1. */
  block = -1;
  /** Not before this time on the wire (ps): how a model expresses the latency of its pipeline without an event. */
  readyAt = Number.NaN;
  /** Answer to a read. */
  status: CplStatus = CPL_STATUS.success;
  poisoned = false;
  /** Bytes of a read not yet answered; 0 in the last `completion` call. */
  remaining = 0;
  /** A write that is an MSI-X message. */
  interrupt = false;
  /** For the requester alone; carried through untouched. */
  owner: unknown = null;
  ownerArg = 0;
  /** The same: the next one of a queue. Null again when the transaction is sent. */
  next: Tlp | null = null;

  constructor() {
    // Not a number until here, so that the engine keeps a double from the start.
    this.readyAt = 0;
  }
}

/** Longest frame a port takes, in bytes: the largest RoCEv2 packet over IPv6 with a VLAN tag, rounded up. @public */
export const MAX_FRAME_BYTES = 4224;
/** Bytes of the blocks that frames and payload live in: a frame wherever in its first 128 bytes it starts. @public */
export const BLOCK_BYTES = MAX_FRAME_BYTES + 128;

/** One Ethernet frame without preamble and FCS. @public */
export class Frame {
  /** Block of the pool that holds the bytes, its byte-store offset, and the frame's length in bytes. */
  block = -1;
  data = 0;
  length = 0;
  /** Not on the wire before this time (ps). */
  readyAt = Number.NaN;
  /**
   * Set by the link on frames that it delivers: the invariant CRC was found right when the frame was sent, and nothing has
   * touched the frame since. A model may save itself the look, which costs the most of a long frame; none has to.
   */
  sealed = false;
  /**
   * Set by the link on frames that it delivers: bytes have changed on the way, so that the check sequence of Ethernet does not
   * fit, which is not among the bytes. A MAC drops such a frame; a NIC whose packets have an invariant CRC may leave it to that.
   */
  fcsError = false;

  constructor() {
    // As that of a transaction.
    this.readyAt = 0;
  }
}

/**
 * Negotiated settings of the PCIe link. Sizes in bytes: powers of two from 128 to 4096, and 64 or 128 for
 * `readCompletionBoundary`.
 * @public
 */
export interface PcieSettings {
  readonly maxPayload: number;
  readonly maxReadRequest: number;
  readonly readCompletionBoundary: number;
  /** Outstanding reads that the NIC may have, 1 .. 1024. */
  readonly tags: number;
}

/** The PCIe port as the NIC sees it. Implemented by the host's agents. @public */
export interface PcieUpstream {
  readonly settings: PcieSettings;
  /** A transaction from the pool, all fields at their defaults. */
  acquire(): Tlp;
  /**
   * Sends a memory write or read. The transaction and its buffer belong to the host from here on: a write's block is
   * released when the bytes are in host memory; a read's buffer is filled and reported through `Nic.completion`. A NIC
   * that is reset may still point `data` of a read elsewhere, to a buffer of the same length.
   */
  send(tlp: Tlp): void;
  /** Answers a BAR read that `Nic.barRead` delivered; its value is at `tlp.data`. */
  complete(tlp: Tlp, status: CplStatus): void;
}

/** Ethernet ports of a NIC at most. They are numbered from 1, as verbs do. @public */
export const MOST_PORTS = 4;

/** An Ethernet port as the NIC sees it. Implemented by the link agent. @public */
export interface LinkUpstream {
  /**
   * When everything sent so far has left the port (ps); in the past when the port is idle. A model of a port with
   * valid/ready holds back while this is far ahead; one that does not is queued for without limit.
   */
  readonly freeAt: SimTime;
  /** A frame from the pool with a fresh block of at least `MAX_FRAME_BYTES`. */
  acquire(): Frame;
  /** Sends a frame; frame and block belong to the link from here on. */
  send(frame: Frame): void;
}

/**
 * Memory chips on the card, as the controllers of a NIC see them. Implemented by the DDR agent. An access takes effect in the
 * call: what it takes of time, and in which order accesses are made, is the matter of the controllers. Bytes stay as they are
 * when the NIC is reset.
 * @public
 */
export interface CardMemoryPort {
  readonly banks: number;
  /** Bytes of each, a power of two, at most 2^32. */
  readonly bankBytes: number;
  /** Copies `length` bytes (1 to 4096) from byte `offset` of a bank on to byte-store offset `dst`. */
  read(bank: number, offset: number, length: number, dst: number): void;
  /** Copies them from byte-store offset `src` into the bank; the bytes around them stay. */
  write(bank: number, offset: number, length: number, src: number): void;
}

/** What a model is built with. Everything that a run owns comes from the run: time, bytes, randomness. @public */
export interface NicContext {
  /** Instance name for messages, for example `hca0.nic`. */
  readonly name: string;
  /** Ethernet address of port 1, 48 bits: upper 16 and lower 32. */
  readonly macHigh: number;
  readonly macLow: number;
  /** Ethernet addresses of all ports, the first one is that of port 1. */
  readonly ports: readonly { readonly macHigh: number; readonly macLow: number }[];
  readonly scheduler: Scheduler;
  readonly bytes: ByteStore;
  /** Blocks of `BLOCK_BYTES` for frames and payload. */
  readonly blocks: BlockPool;
  /** A fast stream for the given purpose, derived from the instance's path. */
  random(purpose: string): FastStream;
  /** Diagnostic text, built only when someone listens. Verbosity as in UVM (200 medium .. 500 debug). */
  trace(verbosity: number, id: string, text: () => string): void;
  /** Something is wrong that fails the run and that no monitor can see, such as a simulator that has gone. */
  error(id: string, text: string): void;
}

/** Knobs of a model by name (cache sizes, latencies, personality switches), from `+NIC_<NAME>=` plusargs. @public */
export type NicKnobs = Readonly<Record<string, number>>;

/** Builds one NIC. Registries map names to these. @public */
export type NicBuilder = (context: NicContext, knobs: NicKnobs) => Nic;

/** A network interface card: the device under test. @public */
export interface Nic {
  /**
   * Joins the PCIe port and the Ethernet ports, of which port 1 is the first. Called once, before anything else.
   * @param memory chips on the card, of a kind that has some (`NicKind.cardMemory`)
   */
  connect(host: PcieUpstream, links: readonly LinkUpstream[], memory?: CardMemoryPort): void;
  /**
   * The reset pin: returns everything to the state after power-up, at any time. What it has handed to a port by then stays there; answers
   * to reads that it has sent still come, and reach nobody.
   */
  reset(): void;
  /**
   * A read of a dword of the configuration space, type 0, has arrived; it is answered at once. A NIC that has one decodes bus addresses
   * itself: accesses come with `bar` -1 and a bus address in `hi` and `lo`, and it puts BAR and offset in their place.
   * @param register offset, 0 to 252
   */
  configRead?(register: number): number;
  /** A write has arrived. */
  configWrite?(register: number, value: number): void;
  /** A write to a BAR has arrived. The transaction is valid during the call only. */
  barWrite(tlp: Tlp): void;
  /** A read of a BAR has arrived; answer it, now or later, with `PcieUpstream.complete`. */
  barRead(tlp: Tlp): void;
  /**
   * Part of a read's answer has arrived: bytes [from, from + count) of the request are at `tlp.data + from`.
   * With `tlp.remaining` 0 it was the last part, and the transaction goes back to the pool after the call. A status
   * other than success comes with count 0 and ends the request.
   */
  completion(tlp: Tlp, from: number, count: number): void;
  /**
   * A frame has arrived at an Ethernet port, 1 for the first. It is valid during the call; retain its block to keep the bytes
   * longer.
   */
  receive(frame: Frame, port: number): void;
  /**
   * The run is over, whether it came to its end or not: close files, end processes. Called once; no port may be used
   * any more, messages may.
   */
  finish?(): void;
}
