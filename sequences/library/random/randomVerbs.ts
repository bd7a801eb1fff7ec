import type { HostApi } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Cq, Qp } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { waitFirst } from '../../../uvm/kernel/anyOf.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { Barrier } from '../../host/barrier.ts';
import { MOST_RESIZED } from '../../user/completionQueues.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { byTurns, type Sharing } from '../../host/sharing.ts';
import { untilFatal } from '../../host/faults/untilFatal.ts';
import type { ParameterValues } from '../../../config/table/parameterTable.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { remake } from '../../user/remake.ts';
import {
  changeRights,
  drainMidway,
  limitReceives,
  pause,
  recover,
  refill,
  renew,
  replaceBuffer,
  restart,
  useOldKey,
} from '../../user/random/randomCalls.ts';
import { RandomAtomics, SharedWords } from '../../user/random/randomAtomics.ts';
import { OpenRanges, RandomKeys } from '../../user/random/randomKeys.ts';
import { RandomHandles } from '../../user/random/randomHandles.ts';
import { RandomSignals } from '../../user/random/randomSignals.ts';
import { ApartEnds } from '../../user/random/apartEnds.ts';
import { RefusalGuard } from '../../user/random/refusalGuard.ts';
import {
  LONGEST_MESSAGE,
  postReceive,
  postReceives,
  postRequests,
  type TrafficSide,
  trafficSide,
} from '../../user/random/randomTraffic.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Calls on each connection, times +SEQ_COUNT. */
const CALLS = 60;
/** How often software lets completions lie, and for how long at most. */
const LAZY = 0.1;
const LONGEST_LAZINESS = 20 * US;
/** A connection of which a side is in ERR is restarted before the next call with this chance: until then all is flushed. */
const RESTART = 0.3;
/** At the end the requests that are left are given so many times so long, before both sides go to ERR. */
const LAST_ROUNDS = 40;
const LAST_ROUND = 20 * US;
/** Requests of a connection that may be on their way, and for how long NICs may still be busy with what has come. */
const ON_THE_WAY = 32;
const REST = 100 * US;
/** Refusals in a row before software posts receives in spite of all else, and the share of runs in which it never does. */
const MOST_REFUSALS = 100;
const PATIENT = 1 / 50;

interface Life {
  readonly connection: Connection;
  readonly random: RandomStream;
  readonly sides: readonly [TrafficSide, TrafficSide];
  /** Code of the largest path MTU. */
  readonly mostMtu: number;
  /** Where ends may differ. */
  readonly apart: ApartEnds | undefined;
}

type Call = (sequence: RandomVerbs, one: TrafficSide, other: TrafficSide, life: Life) => Proc<void>;

const TABLE: readonly (readonly [weight: number, call: Call])[] = [
  [40, (_, one, other) => postRequests(one, other)],
  [25, (_, one) => postReceives(one)],
  [30, (_, one) => pause(one.random)],
  [4, (_, one) => filled(one)],
  [3, (_, one) => queried(one)],
  [3, (_, one) => changeRights(one)],
  [3, (sequence, one, other) => drainMidway(one, other, sequence.drained(one.side))],
  [3, (_, one) => replaceBuffer(one)],
  [1, (_, one, other) => useOldKey(one, other)],
  [1, (_, one) => stopped(one)],
  [2, (sequence, _one, _other, life) => sequence.restarted(life)],
  [2, (sequence, _one, _other, life) => sequence.renewed(life)],
  [1, (sequence, one) => sequence.resized(one)],
  [2, (_, one) => limitReceives(one)],
  [2, (_, one) => armed(one)],
];

/**
 * Calls of the host API in any order that verbs allow: requests of all kinds, with keys that are gone and receives that
 * are missing or too short among them, while queue pairs are changed, drained, stopped, reset, destroyed and connected again, memory
 * is replaced and filled, and completion queues are resized. What becomes of a request is left to the scoreboard alone.
 */
export class RandomVerbs extends UserSequence {
  static readonly typeName: string = 'random_verbs';
  static readonly description: string = 'calls of the host API in any order, with requests outstanding';
  readonly #resizing = new Set<Cq>();
  readonly #words = new SharedWords();
  readonly #openRanges = new OpenRanges();
  #laziness: RandomStream | undefined;
  #barrier: Barrier | undefined;

  override sharing({ SRQ_NUM }: ParameterValues): Sharing | null {
    return SRQ_NUM > 0 ? byTurns(SRQ_NUM) : null;
  }

  override needsTags({ KEY_PCT }: ParameterValues): boolean {
    return KEY_PCT > 0;
  }

  override pollDelay(): SimTime {
    this.#laziness ??= this.run.random.stream(this.fullName, 'laziness');
    return this.#laziness.chance(LAZY) ? this.#laziness.range(1, LONGEST_LAZINESS / NS) * NS : 0;
  }

  override *body(): Proc {
    for (const api of this.given.env.hosts)
      this.run.processes.spawn(`events${api.host}`, untilFatal(eventsTaken(api)), { daemon: true });
    yield* super.body();
  }

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const random = this.streamOf(connection, 'calls');
    for (const side of [left, right])
      for (const queue of ['sent', 'received'] as const)
        this.run.processes.spawn(`${queue}${index}`, taken(side, queue), { daemon: true });
    const sides = [yield* trafficSide(left, right, random), yield* trafficSide(right, left, random)] as const;
    if (this.values.UNSIGNALED_PCT > 0) this.#addSignals(connection, sides);
    if (this.values.ATOMIC_PCT > 0) yield* this.#addAtomics(connection, sides);
    if (this.values.AH_PCT > 0 && connection.type === QP_TYPE.ud) this.#addHandles(connection, sides);
    if (this.values.KEY_PCT > 0) yield* this.#addKeys(connection, sides);
    const apart =
      this.values.UNEQUAL_PCT > 0 ? new ApartEnds(this.streamOf(connection, 'ends'), this.values) : undefined;
    const life = { connection, random, sides, mostMtu: left.qp.pathMtu, apart };
    this.#bound(sides);
    if (apart !== undefined && connection.type !== QP_TYPE.ud) yield* this.restarted(life);
    const fatal = yield* untilFatal(this.#calls(life));
    if (fatal === undefined) return;
    // The others meet without it.
    this.#waves.leave();
    throw fatal;
  }

  *#calls(life: Life): Proc<void> {
    const { WAVE } = this.values;
    for (let i = 0; i < CALLS * this.count; i++) {
      const isWave = WAVE > 0 && (i + 1) % WAVE === 0;
      yield* this.#call(life, isWave ? yield* this.#together(i) : life.random);
    }
    yield* ended(life);
  }

  /**
   * Ends refusals that nobody else ends: they cost more than all that a run is for. In one run of fifty software is as patient as its
   * requesters.
   */
  #bound(sides: readonly TrafficSide[]): void {
    if (this.run.random.stream(this.fullName, 'patience').chance(PATIENT)) return;
    const find = new Map(sides.map((each) => [each.side, each]));
    const wanted = (side: QpSide): void => {
      this.run.processes.spawn('receives', untilFatal(servedLate(find.get(side) as TrafficSide)), { daemon: true });
    };
    this.watch(new RefusalGuard([...find.keys()], MOST_REFUSALS, () => this.run.bytes.u8, wanted));
  }

  get #waves(): Barrier {
    this.#barrier ??= new Barrier('wave', this.connections.length);
    return this.#barrier;
  }

  *#addAtomics(connection: Connection, sides: readonly TrafficSide[]): Proc<void> {
    const percent = this.values.ATOMIC_PCT;
    const random = this.streamOf(connection, 'atomics');
    for (const one of sides) {
      const of = yield* RandomAtomics.of(one.side, one.peer, this.#words, random);
      if (of === undefined) continue;
      one.atomics = { of, percent };
      const { signals } = one;
      if (signals !== undefined) of.signaled = () => signals.next();
    }
  }

  #addSignals(connection: Connection, sides: readonly TrafficSide[]): void {
    const random = this.streamOf(connection, 'signals');
    for (const one of sides) one.signals = new RandomSignals(one.side, random, this.values.UNSIGNALED_PCT);
  }

  *#addKeys(connection: Connection, sides: readonly TrafficSide[]): Proc<void> {
    const random = this.streamOf(connection, 'keys');
    for (const one of sides)
      one.keys = yield* RandomKeys.of([one.side, one.peer], random, this.values.KEY_PCT, this.#openRanges);
  }

  #addHandles(connection: Connection, sides: readonly TrafficSide[]): void {
    const random = this.streamOf(connection, 'handles');
    for (const one of sides) one.handles = new RandomHandles(one.side, one.peer.host, random, this.values.AH_PCT);
  }

  /** Waits for all connections; the call that comes is drawn once for all. */
  *#together(i: number): Proc<RandomStream> {
    yield* this.#waves.arrive();
    return this.run.random.stream(this.fullName, 'wave', i);
  }

  /** Both sides are reset and connected again. */
  *restarted({ connection: { left, right }, random, mostMtu, apart }: Life): Proc<void> {
    yield* restart(left, right, random, this.#settleTime, mostMtu, apart);
  }

  /** One side or both are destroyed and made again. */
  *renewed({ connection: { left, right }, random, mostMtu, apart }: Life): Proc<void> {
    const settle = { time: this.#settleTime, always: this.values.NUMBERS_SOON };
    yield* renew(left, right, random, settle, mostMtu, apart);
  }

  /**
   * Waits until a send queue is drained. Without an ACK timer a request to a peer that has stopped waits for ever: then the
   * queue pair is given up after some time.
   */
  *drained({ api, qp }: QpSide): Proc<void> {
    if (qp.type !== QP_TYPE.rc || qp.timeout !== 0) {
      yield* api.waitDrained(qp);
      return;
    }
    const wait = this.run.processes.spawn('drained', api.waitDrained(qp));
    yield* waitFirst([wait, LAST_ROUNDS * LAST_ROUND]);
    if (wait.ended) return;
    wait.kill();
    yield* api.modifyQp(qp, { state: QP_STATE.err });
  }

  /** A completion queue gets another size and its own again, where that is enough for all that comes, unless it is being resized. */
  *resized({ side: { api, qp } }: TrafficSide): Proc<void> {
    const cq = qp.sendCq;
    const { entries } = cq;
    if (this.#resizing.has(cq) || entries * 2 > MOST_RESIZED) return;
    this.#resizing.add(cq);
    yield* api.resizeCq(cq, entries * 2);
    if (this.values.CQ_ENTRIES === 0) yield* api.resizeCq(cq, entries);
    this.#resizing.delete(cq);
  }

  /** Where a completion queue has overflowed, both queue pairs are made anew, in queues of their own. */
  *#withoutOverflown(life: Life): Proc<void> {
    const { connection, random, sides } = life;
    const overflown = sides.map(({ side: { qp } }) => [qp.sendCq, qp.recvCq].filter(({ inError }) => inError));
    if (overflown.every((queues) => queues.length === 0)) return;
    const changes = [yield* freshQueues(sides[0].side), yield* freshQueues(sides[1].side)] as const;
    yield* delay(this.#settleTime);
    yield* remake(connection, changes, random);
    for (const [i, { side }] of sides.entries())
      for (const cq of new Set(overflown[i]))
        if (cq.alive && cq.users === 0 && !cq.resizing) yield* side.api.destroyCq(cq);
  }

  /** @param choice what the call is drawn from; how it is made is the connection's own affair */
  *#call(life: Life, choice: RandomStream): Proc<void> {
    const { random, sides } = life;
    const [one, other] = choice.chance(0.5) ? sides : [sides[1], sides[0]];
    try {
      yield* choice.weighted(TABLE)(this, one, other, life);
      for (const { side } of sides) yield* recover(side);
    } catch (error) {
      // A request or its peer may break a queue pair at any moment: what was to be done to it is not allowed then.
      if (!(error instanceof HostApiError && error.kind === 'STATE')) throw error;
    }
    if (this.values.CQ_ENTRIES > 0) yield* this.#withoutOverflown(life);
    if (sides.some(({ side }) => side.qp.state === QP_STATE.err) && random.chance(RESTART)) yield* this.restarted(life);
  }

  /** Time after which nothing is on its way any more that was sent before a reset (ps). */
  get #settleTime(): SimTime {
    const queued = this.connections.length * ON_THE_WAY * LONGEST_MESSAGE;
    return REST + onItsWay(this.values, queued) + this.link.longestDelay;
  }
}

/** Takes the completions of a queue as they come, whatever they say. */
function* taken(side: QpSide, queue: 'sent' | 'received'): Proc<void> {
  for (;;) (yield* side[queue]()).expected();
}

/** Asks for an event of a completion queue: for its next completion, or the next solicited one or error. */
function* armed({ random, side: { api, qp } }: TrafficSide): Proc<void> {
  if (api.capabilities.events) yield* api.armCq(random.pick([qp.sendCq, qp.recvCq]), random.chance(0.7));
}

/** Has the NIC say what it knows of a queue pair, of one of its completion queues, or of a region. */
function* queried({ random, side: { api, qp }, sources, sinks }: TrafficSide): Proc<void> {
  const { queryCq, queryMr } = api.capabilities;
  const what = random.weighted([
    [2, 'queue pair'],
    [queryCq ? 1 : 0, 'completion queue'],
    [queryMr ? 1 : 0, 'region'],
  ]);
  if (what === 'queue pair') yield* api.queryQp(qp);
  else if (what === 'completion queue') yield* api.queryCq(random.pick([qp.sendCq, qp.recvCq]));
  else {
    const { mr } = random.pick([...sources, ...sinks]);
    if (mr !== undefined) yield* api.queryMr(mr);
  }
}

/** Takes the events of completion queues as they come: which have to come, and no others, is the scoreboard's to judge. */
function* eventsTaken(api: HostApi): Proc<void> {
  for (;;) yield* api.waitEvent();
}

function* stopped({ side: { api, qp } }: TrafficSide): Proc<void> {
  yield* api.modifyQp(qp, { state: QP_STATE.err });
}

// biome-ignore lint/correctness/useYield: one of several calls, and the only one that takes no time
function* filled(side: TrafficSide): Proc<void> {
  refill(side);
}

/** Lets requests that wait for a receive end as far as that is easy, and takes both sides to ERR. */
function* ended({ random, sides }: Life): Proc<void> {
  const [a, b] = sides;
  for (let i = 0; i < LAST_ROUNDS && sides.some(({ side }) => isBusy(side.qp)); i++) {
    yield* served(a);
    yield* served(b);
    yield* delay(LAST_ROUND);
  }
  for (const { side } of random.chance(0.5) ? [a, b] : [b, a])
    yield* side.api.modifyQp(side.qp, { state: QP_STATE.err });
  for (const { signals } of sides) if (signals !== undefined) yield* signals.flush();
  for (const { side } of sides) while (isOwed(side.qp)) yield* delay(LAST_ROUND);
}

/** Whether completions must still come, and can; what is left of shared receives others may take. */
function isOwed({ sendOutstanding, recvOutstanding, sendCq, recvCq, srq }: Qp): boolean {
  return (sendOutstanding > 0 && !sendCq.inError) || (srq === null && recvOutstanding > 0 && !recvCq.inError);
}

/** Queues in place of those of a side that are in error. */
function* freshQueues({ api, qp }: QpSide): Proc<{ sendCq?: Cq; recvCq?: Cq }> {
  const { sendCq, recvCq } = qp;
  const fresh = new Map<Cq, Cq>();
  for (const cq of new Set([sendCq, recvCq]))
    if (cq.inError) fresh.set(cq, yield* api.createCq(cq.process, { entries: cq.entries }));
  const [send, recv] = [fresh.get(sendCq), fresh.get(recvCq)];
  return { ...(send === undefined ? {} : { sendCq: send }), ...(recv === undefined ? {} : { recvCq: recv }) };
}

/** Whether requests are outstanding of which software is to learn what becomes of them. */
function isBusy({ signalAll, sendOutstanding, owesCompletion, sendCq }: Qp): boolean {
  return signalAll && !sendCq.inError ? sendOutstanding > 0 : owesCompletion;
}

/** Posts as many receives as the peer has requests. */
function* served(to: TrafficSide): Proc<void> {
  const missing = to.peer.qp.sendOutstanding - to.side.qp.recvOutstanding;
  for (let n = 0; n < missing; n++) yield* postReceive(to);
}

/** The same, where the queue pair may have been stopped or destroyed since. */
function* servedLate(to: TrafficSide): Proc<void> {
  try {
    yield* served(to);
  } catch (error) {
    if (!(error instanceof HostApiError)) throw error;
  }
}
