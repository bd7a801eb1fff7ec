import { MTU_BYTES, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, type Process, joinAll } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { AccessSequence, type FirstAnswers } from '../../user/accessSequence.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at most MTUs, and one of a datagram. */
const BYTES = 3000;
const LONGEST_PAUSE = 2 * US;
/** Rounds of traffic after which the accesses go on alone. */
const MOST_ROUNDS = 100;

/**
 * Raw BAR accesses beside traffic, on the sequencers of the PCIe agents: registers are read, registers that can only be
 * read are written, and doorbells are rung at places that are none, of queue pairs that do not exist, and, after the
 * traffic, of queue pairs in RESET, whose rings still hold requests of their former life. None may have any effect, and
 * connected again the queue pairs work as before.
 */
export class RawAccesses extends UserSequence {
  static readonly typeName: string = 'raw_accesses';
  static readonly description: string =
    'reads of registers, doorbells of queue pairs that do not exist or are in RESET, beside traffic';
  readonly #first = new Map<number, FirstAnswers>();
  readonly #ways = new Map<Connection, readonly OneWay[]>();

  override *body(): Proc {
    yield* this.forEachConnection((c) => this.#beside(c));
    yield* this.quiet();
    yield* this.forEachConnection((c) => this.#inReset(c));
    yield* this.quiet();
    yield* this.forEachConnection((c) => this.#again(c));
  }

  *#beside(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const bytes = Math.min(BYTES, this.longest(connection));
    const ways = [yield* oneWay(left, right, bytes), yield* oneWay(right, left, bytes)];
    this.#ways.set(connection, ways);
    const accesses = this.#access(connection, 'beside');
    const isBeside = (): boolean => accesses.some((process) => !process.ended);
    for (let i = 0; i < this.count || (i < MOST_ROUNDS && isBeside()); i++)
      for (const way of ways) yield* this.#talk(connection, way);
    yield* joinAll(accesses);
  }

  *#inReset(connection: Connection): Proc<void> {
    const { left, right } = connection;
    yield* resetBoth(left, right);
    yield* joinAll(this.#access(connection, 'in reset'));
  }

  *#again(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psn');
    const [a, b] = drawPsns(random);
    const kept = ({ qp }: QpSide) => ({ mtu: MTU_BYTES[qp.pathMtu] as number, qkey: qp.qkey });
    const toLeft = reconnection(left, right, { psn: a, ...kept(left) }, b);
    const toRight = reconnection(right, left, { psn: b, ...kept(right) }, a);
    yield* takeSteps(right, toRight);
    yield* takeSteps(left, toLeft);
    for (const way of this.#ways.get(connection) ?? []) yield* this.#talk(connection, way);
  }

  /** Starts the accesses of both hosts of a connection, in an order of their own. */
  #access(connection: Connection, when: string): readonly Process[] {
    return [connection.left, connection.right].map((side, i) => {
      const random = this.streamOf(connection, `accesses ${when} ${i}`);
      const all = side.api.harmlessAccesses(side.qp);
      const shuffled = [...all];
      random.shuffle(shuffled);
      // What never changes is read first, so that there is something to compare with.
      const accesses = [...all.filter(({ constant = 0 }) => constant !== 0), ...shuffled];
      const pause = (): number => random.range(0, LONGEST_PAUSE);
      const sequence = new AccessSequence(
        accesses,
        this.#firstOf(side.host),
        pause,
        () => side.api.deviceFatal,
        side.host,
      );
      return this.run.processes.spawn(`accesses${i}`, this.startChild(sequence, side.api.pcieSequencer));
    });
  }

  #firstOf(host: number): FirstAnswers {
    const known = this.#first.get(host) ?? new Map<string, number>();
    this.#first.set(host, known);
    return known;
  }

  *#talk({ type }: Connection, { from, to, source, sink, target, copy, remote }: OneWay): Proc<void> {
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
    if (type === QP_TYPE.ud) return;
    yield* from.write(source, target);
    this.expectSuccess(yield* from.sent(), 'WRITE');
    if (type === QP_TYPE.uc) return;
    yield* from.read(copy, remote);
    this.expectSuccess(yield* from.sent(), 'READ');
  }
}
