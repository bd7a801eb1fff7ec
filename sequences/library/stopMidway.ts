import { QP_STATE, QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import { type Proc, delay } from '../../uvm/kernel/process.ts';
import { US } from '../../uvm/kernel/time.ts';
import type { Completion } from '../user/completion.ts';
import type { Connection } from '../user/connection.ts';
import { UserSequence } from '../user/userSequence.ts';

/** Bytes of a READ whose answer takes much longer than `HEAD_START`. */
const LONG = 300_000;
const HEAD_START = 8 * US;
/** Longer than all of it takes. */
const LONG_ENOUGH = 100 * US;

type Case = readonly [what: string, play: (connection: Connection) => Proc<Completion>, status: number];

const CASES: readonly Case[] = [
  ['READ whose responder goes to ERR', (c) => readUntil(c, QP_STATE.err), WC_STATUS.wrFlushErr],
  ['READ whose responder is reset', (c) => readUntil(c, QP_STATE.reset), WC_STATUS.wrFlushErr],
  ['READ whose region goes', readWithdrawn, WC_STATUS.remAccessErr],
];

/**
 * Queue pairs that software stops in the middle of their work, one case on each connection: nothing may come from them
 * any more, and their peers must find out by themselves. With three connections every case is played.
 */
export class StopMidway extends UserSequence {
  static readonly typeName: string = 'stop_midway';
  static readonly description: string =
    'queue pairs that are stopped in the middle of their work; +RC_QP_NUM=3 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const [what, play, status] = CASES[connection.index % CASES.length] as Case;
    this.expectStatus(yield* play(connection), status, what);
  }
}

/** A READ whose responder is taken to a state when its answer has begun; its requester gives up later. */
function* readUntil({ left, right }: Connection, state: typeof QP_STATE.err | typeof QP_STATE.reset): Proc<Completion> {
  const source = yield* right.source(LONG);
  const sink = yield* left.sink(LONG);
  yield* left.read(sink, source);
  yield* delay(HEAD_START);
  yield* right.api.modifyQp(right.qp, { state });
  yield* delay(LONG_ENOUGH);
  yield* left.api.modifyQp(left.qp, { state: QP_STATE.err });
  return yield* left.sent();
}

/** A READ whose region is deregistered when its answer has begun: the rest of it is refused. */
function* readWithdrawn({ left, right }: Connection): Proc<Completion> {
  const source = yield* right.source(LONG);
  const sink = yield* left.sink(LONG);
  yield* left.read(sink, source);
  yield* delay(HEAD_START);
  yield* right.deregister(source);
  return yield* left.sent();
}
