import type { Pd, Srq } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import { joinAll, type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Sharing } from '../../host/sharing.ts';
import type { Connection } from '../../user/connection.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { remake } from '../../user/remake.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 300;
/** Receives that are left in a queue when it is destroyed. */
const LEFT = 3;
const MOST_ENTRIES = 4;
/** Of a process: after so many the number of a queue has come again. */
const ROUNDS = 3;
/** How late the receives of some rounds come. */
const LATE = 15 * US;

/**
 * Shared receive queues that are destroyed with receives in them and with a limit that was not reached, and made anew: the next one of
 * the number begins empty and without a limit. Each is of the protection domain of its queue pairs or, on RC, of another one, whose
 * keys count then. All queue pairs of a process take a receive of it at the same time, which reaches the limit.
 */
export class RecreatedSharedReceives extends UserSequence {
  static readonly typeName: string = 'recreated_shared_receives';
  static readonly description: string =
    'shared receive queues that are destroyed and recreated, also in other domains, with limits that several reach at once';
  override readonly services = [QP_TYPE.rc, QP_TYPE.ud];
  override readonly needs = { capabilities: ['sharedReceives'] } as const;

  /** Two of each process can be open, so that numbers come again soon; queue pairs begin with receives of their own. */
  override sharing(): Sharing {
    return { queues: 2, queueOf: () => -1 };
  }

  override *body(): Proc {
    const random = this.run.random.stream(this.fullName, 'rounds');
    for (const group of byProcess(this.connections))
      for (let i = 0; i < ROUNDS * this.count; i++) yield* this.#round(group, random, i);
  }

  /** Every second queue is of a domain of its own, where that is possible; every third one has no limit until its end. */
  *#round(group: readonly Connection[], random: RandomStream, turn: number): Proc<void> {
    const { api, qp } = (group[0] as Connection).right;
    const isReliable = group.every(({ type }) => type === QP_TYPE.rc);
    // GRHs of datagrams come into memory of the domain of their queue pair.
    const pd = turn % 2 === 1 && isReliable ? api.allocPd(qp.process) : qp.pd;
    const srq = yield* api.createSrq(pd, { maxWr: group.length + LEFT, maxSge: MOST_ENTRIES });
    for (const connection of group) yield* remake(connection, [{}, { srq }], random);
    if (turn % 3 === 2) yield* api.querySrq(srq);
    else yield* api.modifySrq(srq, { limit: LEFT + random.range(1, group.length) });
    yield* this.#messages(group, srq, isReliable && random.chance(0.5));
    yield* this.quiet();
    yield* api.modifySrq(srq, { limit: LEFT });
    for (const connection of group) yield* remake(connection, [{}, { srq: null }], random);
    yield* api.destroySrq(srq);
  }

  /** @param isLate whether the receives come behind the messages, which are refused until then */
  *#messages(group: readonly Connection[], srq: Srq, isLate: boolean): Proc<void> {
    const sinks = yield* sinksOf(group, srq.pd);
    if (!isLate) yield* this.#post(group, sinks);
    const sources: RegisteredBuffer[] = [];
    for (const { left } of group) sources.push(yield* left.source(BYTES));
    const sending = group.map(({ left }, i) => left.send(sources[i] as RegisteredBuffer));
    yield* joinAll(sending.map((each, i) => this.run.processes.spawn(`send${i}`, each)));
    if (isLate) {
      yield* delay(LATE);
      yield* this.#post(group, sinks);
    }
    for (const { left, right } of group) {
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }

  /** Any of the queue pairs posts for all. */
  *#post(group: readonly Connection[], sinks: readonly RegisteredBuffer[]): Proc<void> {
    for (const [i, sink] of sinks.entries()) yield* (group[i % group.length] as Connection).right.receive(sink);
  }
}

/** Connections whose right sides are of the same process. */
function byProcess(connections: readonly Connection[]): Iterable<readonly Connection[]> {
  const groups = new Map<string, Connection[]>();
  for (const connection of connections) {
    const { host, qp } = connection.right;
    const name = `${host}.${qp.process}`;
    groups.set(name, [...(groups.get(name) ?? []), connection]);
  }
  return groups.values();
}

/** Memory for a message to each queue pair, and for the receives that are left, in a domain of their process. */
function* sinksOf(group: readonly Connection[], pd: Pd): Proc<readonly RegisteredBuffer[]> {
  const { right } = group[0] as Connection;
  const count = group.length + LEFT;
  const memory = yield* right.sink(BYTES * count);
  if (pd === right.qp.pd) return memory.split(count);
  const { hi, lo, length } = memory;
  const mr = yield* right.api.regMr(pd, { hi, lo, length, access: ACCESS.localWrite });
  // Without its region: a side posts only what is of the domain of its queue pair.
  return new RegisteredBuffer(hi, lo, length, mr.key).split(count);
}
