import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Regions that are used between a key's end and its use: more than a small cache of the NIC holds. */
const OTHERS = 40;

/**
 * Keys that are used long after they were closed: what a NIC keeps of regions has been replaced by others meanwhile, and
 * what it has put into the memory of its host must say that they are gone. Small caches, `+NIC_MPT_CACHE=8`, make it
 * forget within one connection. WRITEs and READs by turns.
 */
export class OldKeys extends UserSequence {
  static readonly typeName: string = 'old_keys';
  static readonly description: string = 'keys that are used long after their invalidation';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const source = yield* left.source(BYTES);
    const gone = yield* right.sink(BYTES);
    yield* this.#write(connection, source, gone);
    const others: RegisteredBuffer[] = [];
    for (let i = 0; i < OTHERS; i++) others.push(yield* right.sink(BYTES));
    yield* right.deregister(gone);
    for (const other of others) yield* this.#write(connection, source, other);
    if (index % 2 === 0) yield* left.write(source, gone.unchecked());
    else yield* left.read(yield* left.sink(BYTES), gone.unchecked());
    yield* this.expectRefused(connection, 'responder', 'request under a key that was closed long ago');
  }

  *#write({ left }: Connection, source: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
    yield* left.write(source, target);
    this.expectSuccess(yield* left.sent(), 'WRITE');
  }
}
