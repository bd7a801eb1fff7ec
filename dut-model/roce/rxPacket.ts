import type { BlockPool } from '../../uvm/bytes/blockPool.ts';

/** Who is to be called when something that processing waited for has arrived. @public */
export interface Resumable {
  resume(): void;
}

/** An engine that processes received packets of one queue pair in order. */
export interface PacketEngine {
  resumePacket(packet: RxPacket): void;
}

/** What is under way for a packet beyond its handling. */
export interface PacketWork {
  /** The packet is over. */
  abandon(): void;
}

/**
 * A received packet after the common checks: decoded fields and the block that holds its bytes. Pooled; the block is
 * retained from `retain` to `release`.
 * @public
 */
export class RxPacket implements Resumable {
  next: RxPacket | null = null;
  engine: PacketEngine | null = null;
  /** Queue pair state object of the model that owns the packet. */
  slot: unknown = null;
  /** Progress of a packet whose processing has to wait in between; meaning belongs to the engine. */
  stage = 0;
  done = 0;
  /** Waits with its queue pair's context pinned. */
  pinned = false;
  work: PacketWork | null = null;

  block = -1;
  opcode = 0;
  /** `OP` bits of the operation. */
  bits = 0;
  solicited = false;
  ackRequest = false;
  pkey = 0;
  destQpn = 0;
  psn = 0;
  /** Byte-store offset and length of the payload without pad; pad count of the header. */
  payload = 0;
  length = 0;
  pad = 0;
  vaHi = 0;
  vaLo = 0;
  rkey = 0;
  dmaLength = 0;
  /** AtomicETH: swap or add operand, compare operand; the original value of an AtomicAckETH is in the first one. */
  swapHi = 0;
  swapLo = 0;
  compareHi = 0;
  compareLo = 0;
  syndrome = 0;
  msn = 0;
  imm = 0;
  qkey = 0;
  srcQpn = 0;
  /** Offset of the IP header and its length (20 or 40). */
  l3 = 0;
  l3Bytes = 0;
  /** Congestion was experienced on its way, and nobody has answered that yet. */
  marked = false;

  resume(): void {
    (this.engine as PacketEngine).resumePacket(this);
  }
}

/** Free list of packets. @public */
export class RxPacketPool {
  #free: RxPacket | null = null;
  readonly #blocks: BlockPool;

  constructor(blocks: BlockPool) {
    this.#blocks = blocks;
  }

  acquire(): RxPacket {
    const p = this.#free;
    if (p === null) return new RxPacket();
    this.#free = p.next;
    p.next = null;
    p.stage = 0;
    p.done = 0;
    return p;
  }

  /** Keeps the packet's bytes beyond the call that delivered the frame. */
  retain(p: RxPacket, block: number): void {
    this.#blocks.retain(block);
    p.block = block;
  }

  release(p: RxPacket): void {
    if (p.block >= 0) this.#blocks.release(p.block);
    if (p.work !== null) {
      p.work.abandon();
      p.work = null;
    }
    p.block = -1;
    p.slot = null;
    p.next = this.#free;
    this.#free = p;
  }
}
