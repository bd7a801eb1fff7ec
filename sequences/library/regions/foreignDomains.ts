import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { type Refuser, UserSequence } from '../../user/userSequence.ts';

/** Within a page, so that what a NIC keeps of the owner's access is what the other one meets. */
const BYTES = 200;

/** Memory of both sides of a connection, in the protection domains of their queue pairs. */
interface Owned {
  readonly connection: Connection;
  readonly source: RegisteredBuffer;
  readonly copy: RegisteredBuffer;
  readonly target: RegisteredBuffer;
  readonly readable: RegisteredBuffer;
}

/** A request with a key of another domain. */
interface Case {
  readonly what: string;
  /** Whose key it is: of a queue pair of the left host, or of the right one. */
  readonly side: 'left' | 'right';
  readonly refuser: Refuser;
  /** @param own memory of the queue pair that asks @param other memory that it must not reach */
  readonly play: (own: Owned, other: Owned) => Proc<void>;
}

const CASES: readonly Case[] = [
  {
    what: 'WRITE',
    side: 'right',
    refuser: 'responder',
    play: ({ connection: { left }, source }, { target }) => left.write(source, target.unchecked()),
  },
  {
    what: 'READ',
    side: 'right',
    refuser: 'responder',
    play: ({ connection: { left }, copy }, { readable }) => left.read(copy, readable.unchecked()),
  },
  {
    what: 'WRITE out of',
    side: 'left',
    refuser: 'requester',
    play: ({ connection: { left }, target }, { source }) => left.write(source.unchecked(), target),
  },
  {
    what: 'READ into',
    side: 'left',
    refuser: 'requester',
    play: ({ connection: { left }, readable }, { copy }) => left.read(copy.unchecked(), readable),
  },
  {
    what: 'receive into',
    side: 'right',
    refuser: 'receive',
    *play({ connection: { left, right }, source }, { target }) {
      yield* right.receive(target.unchecked());
      yield* left.send(source);
    },
  },
];

/**
 * Keys that their owners use, tried by queue pairs of other protection domains of the same host (roce-transport.md 4.1).
 * Connections with odd numbers play a case each with memory of an even one, which goes on using it; `+RC_QP_NUM=20` has
 * enough for all cases on two hosts with two processes each. It takes `+PROC_NUM=2`: a process has a domain of its own.
 */
export class ForeignDomains extends UserSequence {
  static readonly typeName: string = 'foreign_domains';
  static readonly description: string =
    'keys of other protection domains, while their owners use them; +RC_QP_NUM=20 +PROC_NUM=2 plays all cases';
  override readonly needs = { capabilities: ['domains'] } as const;
  override readonly services = [QP_TYPE.rc];
  readonly #owned = new Map<Connection, Owned>();

  override *body(): Proc<void> {
    yield* this.forEachConnection((connection) => this.#prepare(connection));
    const owners = this.connections.filter((_, i) => i % 2 === 0);
    const others = this.connections.filter((_, i) => i % 2 === 1);
    let refused = 0;
    yield* this.forEachConnection((connection) => {
      const i = others.indexOf(connection);
      const played = CASES[i % CASES.length];
      const owner = played && owners.find((o) => isForeign(connection[played.side].qp, o[played.side].qp));
      if (played === undefined || owner === undefined) return this.#use(connection);
      refused++;
      return this.#try(played, connection, owner);
    });
    if (refused === 0)
      this.warning('SEQ_SKIPPED', 'no two queue pairs of a host are of different domains; give +PROC_NUM=2 or more');
  }

  /** The first access of the owner. */
  *#prepare(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const [source, copy] = [yield* left.source(BYTES), yield* left.sink(BYTES)];
    const [target, readable] = [yield* right.sink(BYTES), yield* right.source(BYTES)];
    this.#owned.set(connection, { connection, source, copy, target, readable });
    yield* this.#use(connection);
  }

  *#use(connection: Connection): Proc<void> {
    const { source, copy, target, readable } = this.#memoryOf(connection);
    const { left } = connection;
    for (let i = 0; i < this.count; i++) {
      yield* left.write(source, target);
      this.expectSuccess(yield* left.sent(), 'WRITE of the owner');
      yield* left.read(copy, readable);
      this.expectSuccess(yield* left.sent(), 'READ of the owner');
    }
  }

  *#try({ what, refuser, play }: Case, connection: Connection, owner: Connection): Proc<void> {
    yield* play(this.#memoryOf(connection), this.#memoryOf(owner));
    yield* this.expectRefused(connection, refuser, `${what} memory of another domain`);
  }

  #memoryOf(connection: Connection): Owned {
    return this.#owned.get(connection) as Owned;
  }
}

type QueuePair = Connection['left']['qp'];

function isForeign(a: QueuePair, b: QueuePair): boolean {
  return a.host === b.host && a.pd !== b.pd;
}
