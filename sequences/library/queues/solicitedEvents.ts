import type { HostApi } from '../../../env/verbs/hostApi.ts';
import type { Cq } from '../../../env/verbs/verbsObjects.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { ParameterValues } from '../../../config/table/parameterTable.ts';
import { byTurns, type Sharing } from '../../host/sharing.ts';
import { completionQueues } from '../../user/completionQueues.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message at most: several packets at any MTU. */
const BYTES = 10_000;
const SHORT = 200;
/** Messages of one direction and round. */
const MESSAGES = 4;
/** Every so many queues are armed for any completion too. */
const MIXED = 3;
/** How many of the messages of a round are solicited. */
const SHARES = [0, 0.3, 1] as const;

/** Where one side's messages come from and go to. */
interface Way {
  readonly from: QpSide;
  readonly to: QpSide;
  readonly source: RegisteredBuffer;
  /** One place for each message of a round. */
  readonly places: readonly RegisteredBuffer[];
}

/** Of a connection: from left to right, and back. */
type Ways = readonly [Way, Way];

interface Message {
  readonly data: RegisteredBuffer;
  readonly write: boolean;
  /** It takes a receive: a SEND, or a WRITE with immediate data. */
  readonly received: boolean;
  readonly imm: number | undefined;
  readonly solicited: boolean;
  /** It asks for a completion. */
  readonly signaled: boolean;
}

/**
 * Completion queues that are armed for solicited completions, while SENDs and WRITEs arrive that are solicited and that
 * are not, of one packet and of several. Some queues are armed for any completion at times as well, before or after,
 * which is what counts then. In the end requests fail, for which events must come too. Which events have to come, and
 * that no others do, is for the scoreboard to judge: software arms a queue again as soon as it is told of an event. With `+SRQ_NUM`
 * some queue pairs share their receives, and with `+UNSIGNALED_PCT` some requests ask for no completion, among them those that fail.
 */
export class SolicitedEvents extends UserSequence {
  static readonly typeName: string = 'solicited_events';
  static readonly description: string =
    'completion queues that are armed for solicited completions, also with shared receives and unsignalled requests';

  override sharing({ SRQ_NUM }: ParameterValues): Sharing | null {
    return SRQ_NUM > 0 ? byTurns(SRQ_NUM) : null;
  }

  override *body(): Proc {
    const cqs = completionQueues(this.connections);
    const listeners = [...new Set(cqs.values())].map((api) =>
      this.run.processes.spawn(`events${api.host}`, this.#listen(api), { daemon: true }),
    );
    const ways = new Map<Connection, Ways>();
    yield* this.forEachConnection(function* (c) {
      ways.set(c, [yield* wayOf(c.left, c.right), yield* wayOf(c.right, c.left)]);
    });
    for (let round = 0; round <= this.count; round++) {
      let n = 0;
      for (const [cq, api] of cqs) yield* this.#arm(api, cq, ++n % MIXED === 0);
      if (round === this.count) yield* this.#all((c) => this.#fail(c, ways.get(c) as Ways));
      else yield* this.#all((c) => this.#exchange(c, ways.get(c) as Ways, round));
      yield* this.quiet();
    }
    for (const listener of listeners) listener.kill();
  }

  /** All connections side by side; those that share receives, which others could take, one after the other. */
  *#all(work: (connection: Connection) => Proc<void>): Proc<void> {
    const isSharing = this.connections.some(({ left, right }) => left.qp.srq !== null || right.qp.srq !== null);
    if (isSharing) for (const connection of this.connections) yield* work(connection);
    else yield* this.forEachConnection(work);
  }

  *#listen(api: HostApi): Proc<void> {
    for (;;) yield* api.armCq(yield* api.waitEvent(), true);
  }

  /** @param mixed also for any completion: in place of solicited ones, before them or after */
  *#arm(api: HostApi, cq: Cq, mixed: boolean): Proc<void> {
    if (mixed && this.random.chance(0.7)) yield* api.armCq(cq, false);
    if (cq.armed === 0 || (mixed && this.random.chance(0.5))) yield* api.armCq(cq, true);
  }

  *#exchange(connection: Connection, ways: Ways, round: number): Proc<void> {
    const random = this.run.random.stream(this.fullName, `round ${round}`, connection.index);
    const drawn = ways.map((way) => this.#draw(connection, way, random));
    for (const [i, { to, places }] of ways.entries())
      for (const [k, m] of (drawn[i] as Message[]).entries())
        if (m.received) yield* to.receive(m.write ? [] : (places[k] as RegisteredBuffer));
    for (const [i, { from, places }] of ways.entries())
      for (const [k, m] of (drawn[i] as Message[]).entries()) yield* post(from, m, places[k] as RegisteredBuffer);
    for (const [i, { from, to }] of ways.entries()) {
      for (const m of drawn[i] as Message[]) {
        if (m.signaled) this.expectSuccess(yield* from.sent(), 'request');
        if (m.received) this.expectSuccess(yield* to.received(), 'receive');
      }
    }
  }

  #draw(connection: Connection, { source }: Way, random: RandomStream): Message[] {
    const ud = connection.type === QP_TYPE.ud;
    const share = random.pick(SHARES);
    const count = random.range(1, MESSAGES);
    return Array.from({ length: count }, (_, i) => {
      const write = !ud && random.chance(0.5);
      const imm = random.chance(0.5) ? random.range(0, 0xffff) : undefined;
      const most = Math.min(random.chance(0.5) ? SHORT : BYTES, this.longest(connection));
      const data = source.part(0, random.range(0, most));
      const received = !write || imm !== undefined;
      const solicited = random.chance(share);
      // Software learns from the last one that slots of the send queue are free again.
      const signaled = i === count - 1 || this.#isSignaled(random);
      return { data, write, imm, received, solicited, signaled };
    });
  }

  #isSignaled(random: RandomStream): boolean {
    const percent = this.values.UNSIGNALED_PCT;
    return percent === 0 || !random.chance(percent / 100);
  }

  /** A request that fails: on RC one that its peer refuses, so that both sides are told. */
  *#fail({ type }: Connection, [{ from, to, source, places }]: Ways): Proc<void> {
    const options = { signaled: this.#isSignaled(this.random) };
    if (type !== QP_TYPE.rc) {
      yield* from.send(source.part(0, SHORT).withKey(NO_KEY), options);
      this.expectStatus(yield* from.sent(), WC_STATUS.locProtErr, 'SEND with no key for its source');
      return;
    }
    yield* to.receive((places[0] as RegisteredBuffer).part(0, SHORT - 1));
    yield* from.send(source.part(0, SHORT), options);
    this.expectStatus(yield* from.sent(), WC_STATUS.remInvReqErr, 'SEND longer than its receive');
    this.expectStatus(yield* to.received(), WC_STATUS.locLenErr, 'receive that is too short');
  }
}

function* wayOf(from: QpSide, to: QpSide): Proc<Way> {
  const source = yield* from.source(BYTES);
  return { from, to, source, places: (yield* to.sink(BYTES * MESSAGES)).split(MESSAGES) };
}

function* post(from: QpSide, message: Message, place: RegisteredBuffer): Proc<void> {
  const { data, write, imm, solicited, signaled } = message;
  const options = { solicited, signaled, ...(imm === undefined ? {} : { imm }) };
  if (write) yield* from.write(data, place, options);
  else yield* from.send(data, options);
}
