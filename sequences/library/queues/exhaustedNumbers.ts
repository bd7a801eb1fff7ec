import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Cq, Qp } from '../../../env/verbs/verbsObjects.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { remake } from '../../user/remake.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 64;
/** Objects that are destroyed and made again when there are no others. */
const AGAIN = 8;
const ENTRIES = 2;
/** More objects of one kind than any NIC here has. */
const MOST = 20_000;

/** Things of one kind that a NIC has so many of. */
interface Resource<T> {
  readonly what: string;
  make(side: QpSide): Proc<T>;
  destroy(side: QpSide, one: T): Proc<void>;
}

const QUEUES: Resource<Cq> = {
  what: 'completion queues',
  make: ({ api, qp }) => api.createCq(qp.process, { entries: ENTRIES }),
  destroy: ({ api }, cq) => api.destroyCq(cq),
};

const PAIRS: Resource<Qp> = {
  what: 'queue pairs',
  make: ({ api, qp: { pd, sendCq, recvCq } }) =>
    api.createQp(pd, { type: QP_TYPE.rc, sendCq, recvCq, maxSendWr: 1, maxRecvWr: 1, maxSge: 1 }),
  destroy: ({ api }, qp) => api.destroyQp(qp),
};

/**
 * Makes as many objects of a kind as software gives out, completion queues and then queue pairs, and `+SEQ_COUNT` times destroys a
 * few, makes a connection anew, whose queue pair then has one of their numbers, and as many objects again as there can be, with
 * messages over the connection in between. So more are made than there are entries, and the last one is in use.
 */
export class ExhaustedNumbers extends UserSequence {
  static readonly typeName: string = 'exhausted_numbers';
  static readonly description: string =
    'all completion queues and queue pairs of a NIC, destroyed and recreated, with messages in between';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc<void> {
    const connection = this.connections[0] as Connection;
    const random = this.streamOf(connection, 'numbers');
    yield* this.#exhaust(connection, QUEUES, random);
    yield* this.#exhaust(connection, PAIRS, random);
  }

  *#exhaust<T>(connection: Connection, resource: Resource<T>, random: RandomStream): Proc<void> {
    const { left, right } = connection;
    const way = yield* oneWay(left, right, BYTES);
    const all: T[] = [];
    yield* this.#fill(left, resource, all);
    for (let i = 0; i < this.count; i++) {
      yield* talk(this, way);
      for (let n = 0; n < AGAIN && all.length > 0; n++) {
        const [one] = all.splice(random.range(0, all.length - 1), 1);
        yield* resource.destroy(left, one as T);
      }
      yield* remake(connection, [{}, {}], random);
      yield* this.#fill(left, resource, all);
    }
    yield* talk(this, way);
    random.shuffle(all);
    for (const one of all) yield* resource.destroy(left, one);
    yield* talk(this, way);
  }

  /** Makes as many as there can be; the one too many must be refused as such. */
  *#fill<T>(side: QpSide, { what, make }: Resource<T>, all: T[]): Proc<void> {
    try {
      while (all.length < MOST) all.push(yield* make(side));
    } catch (error) {
      if (error instanceof HostApiError && error.kind === 'LIMIT') return;
      throw error;
    }
    this.error('SEQ_STATUS', `more than ${MOST} ${what} were given out`);
  }
}
