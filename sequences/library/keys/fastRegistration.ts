import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { FastMr, Pd } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { BINDABLE, invalidate, registerFast, sendInvalidating } from '../../user/keys/keyRequests.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Of five pages, from the middle of one on. */
const BYTES = 17_000;
const OFFSET = 1234;
const PAGES = 5;
const ROUNDS = 6;

/**
 * Regions that are registered by requests with a list of pages, as storage protocols do for every I/O: a chain of registration, use
 * and invalidation, posted without waiting; the next tag each time; and what must fail: a region that is registered already, more
 * pages than there is room for, a region of another domain, rights that are not there. One case for each connection.
 */
export class FastRegistration extends UserSequence {
  static readonly typeName: string = 'fast_registration';
  static readonly description: string = 'regions registered and invalidated by requests; +RC_QP_NUM=7 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['fastRegistration', 'naks'] } as const;
  readonly #cases: readonly ((c: Connection) => Proc<void>)[] = [
    (c) => this.#chains(c),
    (c) => this.#fromAfar(c),
    (c) => this.#registeredTwice(c),
    (c) => this.#tooManyPages(c),
    (c) => this.#foreignDomain(c),
    (c) => this.#readOnly(c),
    (c) => this.#readsInto(c),
  ];

  override *connection(c: Connection): Proc<void> {
    yield* (this.#cases[c.index % this.#cases.length] as (c: Connection) => Proc<void>)(c);
  }

  /** Registration, a SEND out of it and the invalidation, one behind the other, with a new tag each time. */
  *#chains({ left, right }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left);
    for (let i = 0; i < ROUNDS; i++) {
      yield* right.receive(yield* right.sink(BYTES));
      const fast = yield* registerFast(left, mr, buffer);
      yield* left.send(fast.unchecked());
      yield* invalidate(left, fast);
      for (let n = 0; n < 3; n++)
        this.expectSuccess(yield* left.sent(), 'a chain of registration, SEND and invalidation');
      this.expectSuccess(yield* right.received(), 'receive');
    }
    yield* left.api.deallocMr(mr);
  }

  /** The peer writes and reads it, takes it away with a SEND, and then finds it gone. */
  *#fromAfar({ left, right }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left);
    for (let i = 0; i < ROUNDS; i++) {
      const fast = yield* registerFast(left, mr, buffer);
      this.expectSuccess(yield* left.sent(), 'registration');
      yield* right.write(yield* right.source(BYTES), fast);
      yield* right.read(yield* right.sink(BYTES), fast);
      yield* left.receive([]);
      yield* sendInvalidating(right, null, fast, { fence: true });
      for (let n = 0; n < 3; n++) this.expectSuccess(yield* right.sent(), 'WRITE, READ and SEND with invalidate');
      this.expectSuccess(yield* left.received(), 'receive');
      if (i < ROUNDS - 1) continue;
      yield* right.read(yield* right.sink(100), fast.part(0, 100).unchecked());
      this.expectStatus(yield* right.sent(), WC_STATUS.remAccessErr, 'READ of what was invalidated');
    }
  }

  *#registeredTwice({ left }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left);
    yield* registerFast(left, mr, buffer);
    this.expectSuccess(yield* left.sent(), 'registration');
    yield* registerFast(left, mr, buffer.part(0, 100));
    this.expectStatus(yield* left.sent(), WC_STATUS.locQpOpErr, 'registration of what is registered');
  }

  *#tooManyPages({ left }: Connection): Proc<void> {
    const { buffer } = yield* memory(left);
    const small = yield* left.api.allocMr(left.qp.pd, PAGES - 1);
    yield* registerFast(left, small, buffer);
    this.expectStatus(yield* left.sent(), WC_STATUS.locQpOpErr, 'registration of more pages than there is room for');
  }

  *#foreignDomain({ left }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left, left.api.allocPd(left.qp.process));
    yield* registerFast(left, mr, buffer);
    this.expectStatus(yield* left.sent(), WC_STATUS.locQpOpErr, 'registration in another domain');
  }

  *#readOnly({ left, right }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left);
    const fast = yield* registerFast(left, mr, buffer, { access: ACCESS.localWrite | ACCESS.remoteRead });
    this.expectSuccess(yield* left.sent(), 'registration');
    yield* right.read(yield* right.sink(BYTES), fast);
    this.expectSuccess(yield* right.sent(), 'READ');
    yield* right.write(yield* right.source(100), fast.part(0, 100).unchecked());
    this.expectStatus(yield* right.sent(), WC_STATUS.remAccessErr, 'WRITE to what may be read alone');
  }

  /** The invalidation behind a READ into the region waits for its data. */
  *#readsInto({ left, right }: Connection): Proc<void> {
    const { mr, buffer } = yield* memory(left);
    const there = yield* right.source(BYTES);
    for (let i = 0; i < ROUNDS; i++) {
      const fast = yield* registerFast(left, mr, buffer, { access: BINDABLE });
      yield* left.read(fast.unchecked(), there);
      yield* invalidate(left, fast);
      for (let n = 0; n < 3; n++)
        this.expectSuccess(yield* left.sent(), 'a READ into a region that is invalidated behind it');
    }
  }
}

/** Memory of a side, and a region that it can be registered with. */
function* memory(side: QpSide, pd: Pd = side.qp.pd): Proc<{ readonly mr: FastMr; readonly buffer: RegisteredBuffer }> {
  const whole = yield* side.words(OFFSET + BYTES);
  return { mr: yield* side.api.allocMr(pd, PAGES), buffer: whole.part(OFFSET, BYTES) };
}
