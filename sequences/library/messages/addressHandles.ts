import type { Ah } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE, QP_TYPE, WC_STATUS, WC_STATUS_NAME } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { nearDomain } from '../../user/keys/nearDomain.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawHandle } from '../../user/random/drawHandle.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Handles whose datagrams take turns with those of the connection's own. */
const HANDLES = 6;
/** Datagrams whose handle is destroyed while they are outstanding. */
const BURST = 4;
/** Bits in which the numbers of two domains agree: none in particular, the lowest eight of 24, the highest. */
const NEAR = [0, 0xff, 0xff_0000] as const;

/**
 * Datagrams by address handles with attributes of their own, in turn with plain ones; by handles of other protection domains, which
 * end with LOC_QP_OP_ERR and stop their send queue (roce-transport.md 4.5, 6.3); and by handles that are destroyed meanwhile.
 */
export class AddressHandles extends UserSequence {
  static readonly typeName: string = 'address_handles';
  static readonly description: string =
    'datagrams by address handles of any attributes, of other domains, and destroyed early';
  override readonly services = [QP_TYPE.ud];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'handles');
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* this.#paths(left, right, source, sink, random);
      for (const mask of NEAR) yield* this.#otherDomain(left, right, source, mask);
      yield* this.#destroyed(left, right, source, sink, random);
    }
  }

  *#paths(
    left: QpSide,
    right: QpSide,
    source: RegisteredBuffer,
    sink: RegisteredBuffer,
    random: RandomStream,
  ): Proc<void> {
    const { api, qp } = left;
    for (let i = 0; i < HANDLES; i++) {
      const asked = drawHandle(random, api.capabilities.ipv6);
      const handle = api.createAh(qp.pd, right.host, asked);
      const said = api.queryAh(handle);
      const wrong = Object.entries(asked).filter(([name, value]) => said[name as keyof typeof asked] !== value);
      if (wrong.length > 0) this.error('SEQ_STATUS', `${wrong[0]?.[0]} of an address handle is not what was asked for`);
      yield* this.#datagram(left, right, source, sink, handle);
      if (random.chance(0.5)) yield* this.#datagram(left, right, source, sink);
      api.destroyAh(handle);
    }
  }

  *#datagram(left: QpSide, right: QpSide, source: RegisteredBuffer, sink: RegisteredBuffer, handle?: Ah): Proc<void> {
    yield* right.receive(sink);
    yield* left.send(source, handle === undefined ? {} : { handle });
    this.expectSuccess(yield* left.sent(), 'datagram');
    this.expectSuccess(yield* right.received(), 'receive');
  }

  /** The datagram fails, the one behind it is flushed, and the queue pair goes on. @param mask bits in which the domains agree */
  *#otherDomain(left: QpSide, right: QpSide, source: RegisteredBuffer, mask: number): Proc<void> {
    const { api, qp } = left;
    const pd = nearDomain(left, mask);
    const handle = api.createAh(pd, right.host);
    yield* left.send(source, { handle });
    const completion = yield* left.sent();
    completion.expected();
    const { status } = completion;
    if (this.#loses(left.host)) this.#expectIs(status, WC_STATUS.success);
    else {
      this.#expectIs(status, WC_STATUS.locQpOpErr);
      yield* api.modifyQp(qp, { state: QP_STATE.rts });
    }
    api.destroyAh(handle);
    api.deallocPd(pd);
  }

  /** Whether the NIC of a host says nothing of a handle of another domain. */
  #loses(host: number): boolean {
    return this.given.env.choicesOf?.(host).foreignHandle === 'lost';
  }

  #expectIs(status: number, right: number): void {
    const [found, expected] = [status, right].map((each) => WC_STATUS_NAME[each] ?? String(each));
    if (status === right) return;
    this.error('SEQ_STATUS', `a datagram by a handle of another domain ended with ${found}, expected ${expected}`);
  }

  /** They arrive, or the first of them, and what is behind it, does not: then the queue pair goes on all the same. */
  *#destroyed(
    left: QpSide,
    right: QpSide,
    source: RegisteredBuffer,
    sink: RegisteredBuffer,
    random: RandomStream,
  ): Proc<void> {
    const { api, qp } = left;
    const handle = api.createAh(qp.pd, right.host, drawHandle(random, api.capabilities.ipv6));
    for (let i = 0; i < BURST; i++) yield* right.receive(sink);
    for (let i = 0; i < BURST; i++) yield* left.send(source, { handle });
    api.destroyAh(handle);
    let arrived = 0;
    for (let i = 0; i < BURST; i++) {
      const completion = yield* left.sent();
      completion.expected();
      if (completion.status === WC_STATUS.success) arrived++;
    }
    if (arrived < BURST) yield* api.modifyQp(qp, { state: QP_STATE.rts });
    for (let i = 0; i < arrived; i++) this.expectSuccess(yield* right.received(), 'receive');
    for (let i = arrived; i < BURST; i++) yield* this.#plain(left, right, source);
  }

  /** For a receive that a lost datagram has left. */
  *#plain(left: QpSide, right: QpSide, source: RegisteredBuffer): Proc<void> {
    yield* left.send(source);
    this.expectSuccess(yield* left.sent(), 'datagram');
    this.expectSuccess(yield* right.received(), 'receive');
  }
}
