import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { nearDomain } from '../../user/keys/nearDomain.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { type Refuser, UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
/** Bits in which the numbers of two domains agree: the lowest eight of 24, or the highest. */
const NEAR = [0xff, 0xff_0000] as const;

/** Memory of both sides, in the protection domains of their queue pairs. */
interface Memory {
  readonly connection: Connection;
  readonly own: RegisteredBuffer;
  readonly other: RegisteredBuffer;
}

/** A request with a key of a near domain. */
interface Case {
  readonly what: string;
  /** Whose domain it is near to. */
  readonly side: 'left' | 'right';
  readonly refuser: Refuser;
  /** @param key of the near domain, for the memory of `side` */
  readonly play: (memory: Memory, key: number) => Proc<void>;
}

const CASES: readonly Case[] = [
  {
    what: 'WRITE to',
    side: 'right',
    refuser: 'responder',
    play: ({ connection: { left }, own, other }, key) => left.write(own, other.withKey(key)),
  },
  {
    what: 'WRITE out of',
    side: 'left',
    refuser: 'requester',
    play: ({ connection: { left }, own, other }, key) => left.write(own.withKey(key), other),
  },
  {
    what: 'receive into',
    side: 'right',
    refuser: 'receive',
    *play({ connection: { left, right }, own, other }, key) {
      yield* right.receive(other.withKey(key));
      yield* left.send(own);
    },
  },
  {
    what: 'READ of',
    side: 'right',
    refuser: 'responder',
    play: ({ connection: { left }, own, other }, key) => left.read(own, other.withKey(key)),
  },
  {
    what: 'READ into',
    side: 'left',
    refuser: 'requester',
    play: ({ connection: { left }, own, other }, key) => left.read(own.withKey(key), other),
  },
];

/**
 * Keys of protection domains whose numbers agree with that of the queue pair in their lowest or in their highest eight
 * bits: all 24 must be compared (roce-transport.md 4.1). One case on each connection, with the lowest bits first.
 */
export class NearDomains extends UserSequence {
  static readonly typeName: string = 'near_domains';
  static readonly description: string =
    'keys of protection domains with numbers close to those of the queue pairs; +RC_QP_NUM=10 plays all cases';
  override readonly needs = { capabilities: ['domains'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const { what, side, refuser, play } = CASES[index % CASES.length] as Case;
    const [own, other] = [yield* left.sink(BYTES), yield* right.sink(BYTES)];
    const mask = NEAR[Math.floor(index / CASES.length) % NEAR.length] as number;
    const [owner, memory] = side === 'left' ? ([left, own] as const) : ([right, other] as const);
    const pd = nearDomain(owner, mask);
    const mr = yield* owner.api.regMr(pd, { hi: memory.hi, lo: memory.lo, length: BYTES, access: RIGHTS });
    yield* play({ connection, own, other }, mr.key);
    yield* this.expectRefused(connection, refuser, `${what} memory of a near domain`);
    yield* owner.api.deregMr(mr);
    owner.api.deallocPd(pd);
  }
}
