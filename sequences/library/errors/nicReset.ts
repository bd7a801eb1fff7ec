import { aHost } from '../../../rdma/subjectParts.ts';
import { ASYNC_EVENT, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { joinAll, type Proc, type Process, delay } from '../../../uvm/kernel/process.ts';
import { formatTime, NS, US } from '../../../uvm/kernel/time.ts';
import { untilFatal } from '../../host/faults/untilFatal.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Requests of each side of a connection that are under way: two of each kind; and packets that each has at most. */
const REQUESTS = 6;
const PACKETS = 3;
/** The reset comes so long after they were posted: before the first packet, in the middle, or when most is done. */
const LATEST = 30 * US;
/** How long after it a peer that has had nothing to do asks for something. */
const REST = 20 * US;

/**
 * A NIC that is reset in the middle of its work, another one each turn, `+SEQ_COUNT` turns. Its software is told (DEVICE_FATAL); requests of
 * its peers succeed, or end with RETRY_EXC_ERR, those included that are posted only afterwards; connections of other hosts feel
 * nothing. Then the device is closed and opened again, all is made and connected anew, and everybody talks.
 */
export class NicResetSequence extends UserSequence {
  static readonly typeName: string = 'nic_reset';
  static readonly description: string =
    'NICs that are reset during traffic, and reopened; +HOST_NUM=3 +ACK_TIMEOUT=5 plays all cases';
  override readonly needs = { nicReset: true };

  override *body(): Proc {
    for (let turn = 0; turn < this.count; turn++) {
      const victim = (turn + 1) % this.values.HOST_NUM;
      yield* this.#turn(victim, turn);
      yield* this.quiet();
      yield* this.reopen(victim);
      yield* this.forEachConnection((connection) => this.#talkAgain(connection));
      yield* this.quiet();
    }
  }

  *#turn(victim: number, turn: number): Proc {
    const { processes, scheduler } = this.run;
    const told = processes.spawn('told', this.#told(victim));
    const work: Process[] = [];
    for (const connection of this.connections) {
      const ways = yield* bothWays(connection, PACKETS * this.values.MTU);
      const isHit = connection.left.host === victim || connection.right.host === victim;
      const [hit, other] = [() => this.#hit(ways, victim, connection.index % 4 === 3), () => this.#unharmed(ways)];
      work.push(processes.spawn(`connection${connection.index}`, isHit ? hit() : other()));
    }
    const random = this.run.random.stream(this.fullName, 'moment', turn);
    const at = scheduler.now + random.range(0, LATEST / NS) * NS;
    this.link.fault(`nic_reset host=${victim} from=${formatTime(at)}`);
    yield* joinAll([...work, told]);
  }

  /** The driver of the host is told. */
  *#told(victim: number): Proc {
    const { api } = this.#sideOf(victim);
    for (;;) if ((yield* api.waitAsyncEvent()).event === ASYNC_EVENT.deviceFatal) return;
  }

  #sideOf(host: number): QpSide {
    const sides = this.connections.flatMap(({ left, right }) => [left, right]);
    return sides.find((side) => side.host === host) as QpSide;
  }

  /** A connection with the host whose NIC is reset. @param late its peer asks for something only afterwards */
  *#hit(ways: readonly OneWay[], victim: number, late: boolean): Proc {
    const [own, peers] = [ways.find(({ from }) => from.host === victim), ways.find(({ to }) => to.host === victim)];
    const lost = yield* untilFatal(this.#works(own as OneWay, peers as OneWay, late));
    if (lost === undefined)
      this.error('SEQ_STATUS', 'the requests of a host went on although its NIC was reset', [aHost(victim)]);
    const { from, source, target } = peers as OneWay;
    const reliable = from.qp.type === QP_TYPE.rc;
    if (late) {
      yield* delay(REST);
      if (from.qp.type === QP_TYPE.ud) yield* from.send(source);
      else yield* from.write(source, target.unchecked());
    }
    let failed = false;
    while (from.qp.sendOutstanding > 0) {
      const completion = yield* from.sent();
      if (!failed && completion.status === WC_STATUS.success && !(late && reliable)) continue;
      this.expectStatus(
        completion,
        failed ? WC_STATUS.wrFlushErr : WC_STATUS.retryExcErr,
        'request to a NIC that was reset',
      );
      failed = true;
    }
  }

  /** Posts requests of both sides, and waits for those of the host whose NIC is reset, until that happens. */
  *#works(own: OneWay, peers: OneWay, late: boolean): Proc {
    yield* post(own);
    if (!late) yield* post(peers);
    for (;;) this.expectSuccess(yield* own.from.sent(), 'request before the reset');
  }

  /** A connection of other hosts. */
  *#unharmed(ways: readonly OneWay[]): Proc {
    for (const way of ways) yield* post(way);
    for (const way of ways)
      for (let i = 0; i < REQUESTS; i++) this.expectSuccess(yield* way.from.sent(), 'other request');
    // A datagram that comes before its receive has reached a slow NIC is lost, and nobody waits for it.
    for (const way of ways)
      for (let i = 0; i < receivesOf(way); i++) this.expectSuccess(yield* way.to.received(), 'receive');
  }

  *#talkAgain(connection: Connection): Proc<void> {
    for (const way of yield* bothWays(connection, this.values.MTU)) yield* this.#talk(way);
  }

  *#talk(way: OneWay): Proc<void> {
    const { from, to, source, sink } = way;
    if (from.qp.type !== QP_TYPE.ud) {
      yield* talk(this, way);
      return;
    }
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
  }
}

function* bothWays({ type, left, right }: Connection, bytes: number): Proc<readonly [OneWay, OneWay]> {
  const length = type === QP_TYPE.ud ? Math.floor(bytes / PACKETS) : bytes;
  return [yield* oneWay(left, right, length), yield* oneWay(right, left, length)];
}

/** How many of `post` certainly fill a receive. */
function receivesOf({ from }: OneWay): number {
  return from.qp.type === QP_TYPE.ud ? 0 : Math.ceil(REQUESTS / 3);
}

/** Requests of each kind that the service has, each SEND behind its receive. */
function* post({ from, to, source, sink, target, copy, remote }: OneWay): Proc {
  const { type } = from.qp;
  for (let i = 0; i < REQUESTS; i++) {
    if (type === QP_TYPE.ud || i % 3 === 0) {
      yield* to.receive(sink);
      yield* from.send(source);
    } else if (type === QP_TYPE.uc || i % 3 === 1) yield* from.write(source, target);
    else yield* from.read(copy, remote);
  }
}
