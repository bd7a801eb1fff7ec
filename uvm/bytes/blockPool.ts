import type { ByteStore } from './byteStore.ts';

/** Most bytes that one step of growth takes from the store. */
const CHUNK_BYTES = 1 << 20;

/** A block was released, retained or addressed that is not in use: somebody kept it longer than it is theirs. */
export class BlockPoolError extends Error {
  readonly id: number;

  constructor(action: string, id: number, inUse: number) {
    super(
      `block pool: ${action} of block ${id}, which is not in use (${inUse} blocks are). ` +
        'Its owner released it before; retain a block to keep it longer',
    );
    this.id = id;
  }
}

/**
 * Fixed-size blocks of the byte store with reference counts, for frames and payload.
 *
 * Blocks are named by id; the last release puts a block on a free list, from which the next `acquire` takes it. The
 * content of a fresh block is undefined. The pool grows by chunks and never shrinks; it ends with the run.
 * @public
 */
export class BlockPool {
  /** Bytes in a block. */
  readonly blockBytes: number = 0;
  readonly #store: ByteStore;
  #chunkBlocks: number;
  #count = 0;
  #offsets = new Int32Array(0);
  #references = new Int32Array(0);
  /** Free ids, a stack. */
  #free = new Int32Array(0);
  #freeCount = 0;

  /** @param initial blocks in the first chunk, default 64; later chunks double up to 1 MiB. */
  constructor(store: ByteStore, blockBytes: number, initial = 64) {
    if (!(Number.isInteger(blockBytes) && blockBytes > 0 && Number.isInteger(initial) && initial > 0)) {
      throw new RangeError(`BlockPool: ${initial} blocks of ${blockBytes} bytes; both must be positive integers`);
    }
    this.#store = store;
    this.blockBytes = blockBytes;
    this.#chunkBlocks = initial;
  }

  /** Blocks with a reference count above 0. */
  get inUse(): number {
    return this.#count - this.#freeCount;
  }

  /** Takes a block with reference count 1 and returns its id. @throws ByteStoreFullError when the store is full. */
  acquire(): number {
    if (this.#freeCount === 0) this.#grow();
    const id = this.#free[--this.#freeCount] as number;
    this.#references[id] = 1;
    return id;
  }

  /** Adds a reference. @throws BlockPoolError when the block is not in use. */
  retain(id: number): void {
    const references = this.#references;
    const count = references[id] as number;
    if (!(count > 0)) this.#misuse('retain', id);
    references[id] = count + 1;
  }

  /** Drops a reference; the last one frees the block. @throws BlockPoolError when the block is not in use. */
  release(id: number): void {
    const references = this.#references;
    const count = references[id] as number;
    if (!(count > 0)) this.#misuse('release', id);
    references[id] = count - 1;
    if (count === 1) this.#free[this.#freeCount++] = id;
  }

  /** Byte-store offset of the block's first byte, a multiple of 64. Valid for an id that `acquire` gave. */
  offset(id: number): number {
    return this.#offsets[id] as number;
  }

  /** References held on the block; 0 when it is free. */
  references(id: number): number {
    return this.#references[id] ?? 0;
  }

  /** Apart from what can go wrong: what is short enough is compiled into its caller. */
  #misuse(action: string, id: number): never {
    throw new BlockPoolError(action, id, this.inUse);
  }

  #grow(): void {
    const more = this.#chunkBlocks;
    const stride = Math.ceil(this.blockBytes / 64) * 64;
    const chunk = this.#store.alloc(more * stride);
    const total = this.#count + more;
    this.#offsets = grown(this.#offsets, total);
    this.#references = grown(this.#references, total);
    this.#free = new Int32Array(total);
    // Pushed downwards, so that ids are handed out upwards.
    for (let i = 0; i < more; i++) {
      this.#offsets[this.#count + i] = chunk + i * stride;
      this.#free[more - 1 - i] = this.#count + i;
    }
    this.#freeCount = more;
    this.#count = total;
    if (2 * more * stride <= CHUNK_BYTES) this.#chunkBlocks = 2 * more;
  }
}

function grown(old: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length);
  wider.set(old);
  return wider;
}
