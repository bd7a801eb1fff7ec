import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of the memory that all requests of a connection share: several packets at most MTUs, in several pages. */
const BYTES = 9000;
const LONGEST = 3000;
const MOST = 9;

/** What may be outstanding at once. */
type Operation = 'send' | 'write' | 'read' | 'fetch' | 'answer';
const RELIABLE: readonly Operation[] = ['send', 'write', 'read', 'fetch'];
/** What is never sent again may also come from bytes that change meanwhile. */
const UNRELIABLE: readonly Operation[] = ['send', 'write', 'answer'];

/** Memory of one connection: what the left side sends, what is shared, what the right side reads, and where copies go. */
interface Places {
  readonly original: RegisteredBuffer;
  readonly shared: RegisteredBuffer;
  readonly other: RegisteredBuffer;
  readonly back: RegisteredBuffer;
}

/**
 * SENDs and WRITEs of the left side and READs of the right side into bytes that they share, and requests that fetch from
 * the same bytes, all outstanding at once. What lies there at the end is decided by order alone, where there is one;
 * then one WRITE of everything follows, which must be there as it was sent.
 */
export class SharedTargets extends UserSequence {
  static readonly typeName: string = 'shared_targets';
  static readonly description: string = 'requests of both sides into the same bytes at once';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(c: Connection): Proc<void> {
    const { left, right } = c;
    const random = this.streamOf(c, 'operations');
    const places: Places = {
      original: yield* left.source(BYTES),
      shared: yield* right.sink(BYTES),
      other: yield* left.source(BYTES),
      back: yield* left.sink(BYTES),
    };
    for (let i = 0; i < this.count; i++) {
      yield* this.#race(c, places, random);
      yield* this.quiet();
      yield* left.write(places.original, places.shared);
      this.expectSuccess(yield* left.sent(), 'WRITE of everything');
      yield* this.quiet();
    }
  }

  *#race({ left, right, type }: Connection, places: Places, random: RandomStream): Proc<void> {
    const kinds = type === QP_TYPE.rc ? RELIABLE : UNRELIABLE;
    const operations = Array.from({ length: random.range(2, MOST) }, () => ({
      kind: random.pick(kinds),
      at: random.range(0, BYTES - LONGEST),
      length: random.range(1, LONGEST),
    }));
    const sends = operations.filter(({ kind }) => kind === 'send');
    for (const { at, length } of sends) yield* right.receive(places.shared.part(at, length));
    for (const { kind, at, length } of operations) {
      const shared = places.shared.part(at, length);
      const original = places.original.part(BYTES - LONGEST - at, length);
      if (kind === 'send') yield* left.send(original);
      else if (kind === 'write') yield* left.write(original, shared);
      else if (kind === 'read') yield* right.read(shared, places.other.part(at, length));
      else if (kind === 'fetch') yield* left.read(places.back.part(at, length), shared);
      else yield* right.write(shared, places.back.part(at, length));
    }
    for (const { kind } of operations) {
      const side = kind === 'read' || kind === 'answer' ? right : left;
      this.expectSuccess(yield* side.sent(), kind);
    }
    for (let i = 0; i < sends.length; i++) this.expectSuccess(yield* right.received(), 'receive');
  }
}
