import { OWN_QKEY, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** A packet even at the shortest path MTU. */
const BYTES = 201;
/** Queue pairs that each one talks to. */
const PEERS = 3;

/**
 * UD queue pairs that each send to several others and hear from several, so that nothing of one request may stay behind
 * for the next, with more than two hosts also where the others have one number; then datagrams with a Q_Key that the receiver must drop, before others that it must take, the last of
 * them with the Q_Key of their queue pair.
 */
export class DatagramPeers extends UserSequence {
  static readonly typeName: string = 'datagram_peers';
  static readonly description: string = 'UD queue pairs with several peers, and datagrams with a wrong Q_Key';
  override readonly services = [QP_TYPE.ud];

  override *body(): Proc {
    const sides = this.connections.flatMap((c) => [c.left, c.right]);
    for (let distance = 1; distance <= PEERS; distance++) {
      for (const [i, from] of sides.entries()) yield* this.#talk(from, nextAbroad(sides, i, distance));
    }
    for (const from of sides) yield* this.#talkToNamesakes(from, sides);
    yield* this.forEachConnection((connection) => this.#foreignKey(connection));
    yield* this.forEachConnection((connection) => this.#ownKey(connection));
  }

  /** Datagrams one after the other to queue pairs that have one number, on different hosts. */
  *#talkToNamesakes(from: QpSide, sides: readonly QpSide[]): Proc<void> {
    const abroad = sides.filter(({ host }) => host !== from.host);
    const groups = abroad.map(({ qp }) => abroad.filter((other) => other.qp.qpn === qp.qpn));
    const [first, second] = groups.find((group) => group.length > 1) ?? [];
    if (first === undefined || second === undefined) return;
    for (const to of [first, second, first]) yield* this.#talk(from, to);
  }

  *#talk(from: QpSide, to: QpSide): Proc<void> {
    yield* to.receive(yield* to.sink(BYTES));
    yield* from.sendTo(to, yield* from.source(BYTES), { imm: from.sendsPosted });
    this.expectSuccess(yield* from.sent(), 'datagram');
    this.expectSuccess(yield* to.received(), 'receive');
  }

  /** With bit 31 of the Q_Key of its request set, a datagram carries the one of its queue pair (roce-transport.md 4.3). */
  *#ownKey({ left, right }: Connection): Proc<void> {
    if (left.qp.qkey !== right.qp.qkey) return;
    yield* right.receive(yield* right.sink(BYTES));
    yield* left.sendTo(right, yield* left.source(BYTES), { qkey: ~right.qp.qkey | OWN_QKEY });
    this.expectSuccess(yield* left.sent(), 'datagram with the Q_Key of its queue pair');
    this.expectSuccess(yield* right.received(), 'receive');
  }

  /** Q_Keys with one bit wrong, in either half (bit 31 says something else); the only receive is for the last datagram. */
  *#foreignKey(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'keys');
    yield* right.receive(yield* right.sink(BYTES));
    const sources = (yield* left.source(3 * BYTES)).split(3) as [RegisteredBuffer, RegisteredBuffer, RegisteredBuffer];
    yield* left.sendTo(right, sources[0], { qkey: right.qp.qkey ^ (1 << random.range(0, 15)) });
    yield* left.sendTo(right, sources[1], { qkey: right.qp.qkey ^ (1 << random.range(16, 30)) });
    yield* left.sendTo(right, sources[2]);
    for (let i = 0; i < 3; i++) this.expectSuccess(yield* left.sent(), 'datagram');
    this.expectSuccess(yield* right.received(), 'receive');
  }
}

/** The `distance`-th queue pair behind the i-th, counted in a circle, that is on another host. */
function nextAbroad(sides: readonly QpSide[], i: number, distance: number): QpSide {
  const host = (sides[i] as QpSide).host;
  const circle = [...sides.slice(i + 1), ...sides.slice(0, i)].filter((side) => side.host !== host);
  return circle[(distance - 1) % circle.length] as QpSide;
}
