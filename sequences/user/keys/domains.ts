/** What a sequence of wrong keys works with: memory of both sides, and other keys of it in this and other domains. */
import { ACCESS } from '../../../rdma/verbs.ts';
import type { Mr, Pd } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { QpSide } from '../qpSide.ts';
import type { RegisteredBuffer } from '../memory/registeredBuffer.ts';

const CLOSED = ACCESS.localWrite | ACCESS.remoteWrite;

/** What a case works with: the memory of both sides, and a way to open memory of a side under another key. */
export interface Material {
  readonly left: QpSide;
  readonly source: RegisteredBuffer;
  readonly copy: RegisteredBuffer;
  /** At the other side: what may be written and read, what may only be read. */
  readonly target: RegisteredBuffer;
  readonly readOnly: RegisteredBuffer;
  /** This flips some bit of a key's tag, and does not change which region the key names. */
  readonly tag: number;
  /** Memory of a side under a key of its own; `foreign`: of another protection domain. */
  open(buffer: RegisteredBuffer, access: number, foreign?: boolean): Proc<RegisteredBuffer>;
  /** The same memory under a key that is valid no longer, and that `use`, if any, was successful with. */
  closed(buffer: RegisteredBuffer, use?: (opened: RegisteredBuffer) => Proc<void>): Proc<RegisteredBuffer>;
  /** Sends what fills a receive. */
  message(receive: RegisteredBuffer): Proc<void>;
}

/** Memory of both sides of a connection, in the protection domains of their queue pairs and others. */
export class Domains {
  readonly #left: QpSide;
  readonly #right: QpSide;
  readonly #opened: { readonly side: QpSide; readonly mr: Mr; readonly pd: Pd | null }[] = [];

  constructor(left: QpSide, right: QpSide) {
    this.#left = left;
    this.#right = right;
  }

  /** @param bytes of each buffer @param tag bit of a key that its tag has */
  *material(bytes: number, tag: number): Proc<Material> {
    const left = this.#left;
    const right = this.#right;
    const own = new Set<RegisteredBuffer>();
    for (const side of [left, right]) yield* side.source(1); // so that there is something in front of what follows
    for (const side of [left, right]) yield* side.sink(1);
    const source = yield* left.source(bytes);
    const copy = yield* left.sink(bytes);
    own.add(source).add(copy);
    const sideOf = (buffer: RegisteredBuffer): QpSide => (own.has(buffer) ? left : right);
    return {
      left,
      tag,
      source,
      copy,
      target: yield* right.sink(bytes),
      readOnly: yield* right.source(bytes),
      *message(receive) {
        yield* right.receive(receive);
        yield* left.send(source);
      },
      open: (buffer, access, foreign = false) => this.#open(sideOf(buffer), buffer, access, foreign),
      closed: (buffer, use) => this.#closed(sideOf(buffer), buffer, use),
    };
  }

  /** Gives back what was opened. */
  *close(): Proc<void> {
    for (const { side, mr, pd } of this.#opened) {
      yield* side.api.deregMr(mr);
      if (pd !== null) side.api.deallocPd(pd);
    }
  }

  *#open(side: QpSide, buffer: RegisteredBuffer, access: number, foreign: boolean): Proc<RegisteredBuffer> {
    const pd = foreign ? side.api.allocPd(side.qp.process) : null;
    const { hi, lo, length } = buffer;
    const mr = yield* side.api.regMr(pd ?? side.qp.pd, { hi, lo, length, access });
    this.#opened.push({ side, mr, pd });
    return buffer.withKey(mr.key);
  }

  *#closed(
    side: QpSide,
    buffer: RegisteredBuffer,
    use?: (opened: RegisteredBuffer) => Proc<void>,
  ): Proc<RegisteredBuffer> {
    const { hi, lo, length } = buffer;
    const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, length, access: CLOSED });
    if (use !== undefined) {
      yield* use(buffer.withKey(mr.key));
      yield* this.#left.sent();
    }
    yield* side.api.deregMr(mr);
    return buffer.withKey(mr.key);
  }
}
