import { aCompletionQueue, aQueuePair } from '../../../rdma/subjectParts.ts';
import type { HostApi } from '../../../env/verbs/hostApi.ts';
import { describe } from '../../../env/verbs/qpTransitions.ts';
import type { Cq, Qp } from '../../../env/verbs/verbsObjects.ts';
import { ASYNC_EVENT, QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import { oneWay, type OneWay } from '../../user/oneWay.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { remake } from '../../user/remake.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 100;
/** For how long software leaves completions: all of a round are written before it takes the first one. */
const LAZINESS = 200 * US;
/** Entries of a queue, and requests more than that. */
const ENTRIES = [1, 2, 4, 8] as const;
const MORE = 3;
const REST = 100 * US;
/** Looks at whether a round has come to its end, at most. */
const MOST_LOOKS = 400;
const LOOK = 10 * US;

/**
 * Completion queues of a few entries with as many completions as they hold, or more, before software takes any (roce-transport.md
 * 5.5): of sends and of receives, also while the queue gets another size. One that overflows says so once, its queue pair goes to ERR
 * and says so once, what was there before can be taken, and everything else goes on.
 */
export class CqOverflows extends UserSequence {
  static readonly typeName: string = 'cq_overflows';
  static readonly description: string = 'completion queues that overflow while software does not poll';
  override readonly needs = { capabilities: ['cqOverflow', 'events'] } as const;
  /** Asynchronous events that came: host, event, number. */
  readonly #events: (readonly [number, number, number])[] = [];

  override pollDelay(): SimTime {
    return LAZINESS;
  }

  override *body(): Proc {
    for (const api of this.given.env.hosts)
      this.run.processes.spawn(`asyncEvents${api.host}`, this.#listen(api), { daemon: true });
    yield* super.body();
  }

  override *connection(connection: Connection): Proc<void> {
    const random = this.streamOf(connection, 'rounds');
    const { left, right } = connection;
    const way = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < this.count; i++) yield* this.#round(connection, way, random);
  }

  /** The queue of the sends, or of the receives, is a small one, until the round is over. */
  *#round(connection: Connection, way: OneWay, random: RandomStream): Proc<void> {
    const { left, right } = connection;
    const sends = random.chance(0.5);
    const side = sends ? left : right;
    const usual = { sendCq: side.qp.sendCq, recvCq: side.qp.recvCq };
    const small = yield* side.api.createCq(side.qp.process, { entries: random.pick(ENTRIES) });
    const change = sends ? { sendCq: small } : { recvCq: small };
    yield* remake(connection, sends ? [change, {}] : [{}, change], random);
    // Nothing is solicited: the queue stays armed when it is full.
    if (random.chance(0.3)) yield* side.api.armCq(small, true);
    yield* this.#overflow(way, small, sends, random);
    yield* delay(REST + onItsWay(this.values, BYTES) + this.link.longestDelay);
    yield* remake(connection, sends ? [usual, {}] : [{}, usual], random);
    yield* side.api.destroyCq(small);
  }

  *#overflow(way: OneWay, cq: Cq, sends: boolean, random: RandomStream): Proc<void> {
    const { from, to } = way;
    const side = sends ? from : to;
    const room = Math.min(from.qp.maxSendWr, to.qp.maxRecvWr);
    const most = Math.min(room, cq.entries + random.range(0, MORE));
    // Behind the request that fills the queue, or behind one that makes it overflow while it gets another size.
    const resizesAt = random.chance(0.25) ? random.pick([cq.entries, most]) : 0;
    const resizes = side.api.capabilities.resizeCq && resizesAt > 0;
    const taken: Completion[] = [];
    const taker = this.run.processes.spawn('taker', take(side, sends, taken), { daemon: true });
    const before = this.#events.length;
    for (let i = 0; i < most; i++) {
      if (!sends || from.qp.type === QP_TYPE.ud || random.chance(0.5)) {
        yield* to.receive(way.sink);
        yield* from.send(way.source);
      } else yield* from.write(way.source, way.target);
      if (resizes && i === resizesAt - 1) yield* side.api.resizeCq(cq, cq.entries * 2);
    }
    // What was written before it is in error is taken, too.
    for (let i = 0; i < MOST_LOOKS && taken.length < (cq.inError ? cq.produced : most); i++) yield* delay(LOOK);
    taker.kill();
    this.#check(side.qp, cq, taken, before);
    if (cq.inError) yield* this.#checkState(side);
  }

  #check(qp: Qp, cq: Cq, taken: readonly Completion[], before: number): void {
    const count = (event: number, number: number): number =>
      this.#events.slice(before).filter(([host, type, of]) => host === qp.host && type === event && of === number)
        .length;
    const said = [count(ASYNC_EVENT.cqErr, cq.cqn), count(ASYNC_EVENT.qpFatal, qp.qpn)];
    const expected = cq.inError ? [1, 1] : [0, 0];
    if (said.join() !== expected.join()) {
      const events = `${said[0]} events CQ_ERR and ${said[1]} events QP_FATAL`;
      this.error(
        'SEQ_OVERFLOW',
        `${describe(qp)} with CQ ${cq.cqn}: ${events} came, expected ${expected.join(' and ')}`,
        [aCompletionQueue(qp.host, cq.cqn), aQueuePair(qp.host, qp.qpn)],
      );
    }
    if (cq.inError && taken.length < cq.entries && taken.length < cq.produced)
      this.error('SEQ_OVERFLOW', `${describe(qp)}: ${taken.length} completions were taken of ${cq.produced}`, [
        aCompletionQueue(qp.host, cq.cqn),
      ]);
    for (const completion of taken)
      if (completion.status !== WC_STATUS.success && !cq.inError) this.expectSuccess(completion, 'request');
  }

  /** The queue pair whose completion was lost has stopped. */
  *#checkState({ api, qp }: QpSide): Proc<void> {
    const { state } = yield* api.queryQp(qp);
    if (state !== QP_STATE.err)
      this.error('SEQ_OVERFLOW', `${describe(qp)} is in state ${state} behind an overflow`, [
        aQueuePair(qp.host, qp.qpn),
      ]);
  }

  *#listen(api: HostApi): Proc<void> {
    for (;;) {
      const { host, event, number } = yield* api.waitAsyncEvent();
      this.#events.push([host, event, number]);
    }
  }
}

function* take(side: QpSide, sends: boolean, into: Completion[]): Proc<void> {
  for (;;) {
    const completion = yield* sends ? side.sent() : side.received();
    completion.expected();
    into.push(completion);
  }
}
