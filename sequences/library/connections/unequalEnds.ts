import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import { MTU_BYTES, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** A packet at every MTU, and several packets at every MTU but the largest. */
const SHORT = 200;
const LONG = 4000;
/** Codes of the shortest and the longest RNR wait, and of time-outs: 10 us to 0.64 ms, and 1 to 67 ms. */
const RNR_TIMERS = [1, 12] as const;
const TIMEOUTS = [8, 14] as const;

/**
 * Connections whose ends differ in all that each of them may choose: path MTU, first PSN, time-out, retries, RNR wait, limit of READs,
 * and path. Messages that are a packet for both go both ways; a longer one comes in packets of a path MTU that its
 * receiver does not have, which refuses it (roce-transport.md 1.7, 4.2), and READs are answered in packets that their requester
 * does not take.
 */
export class UnequalEnds extends UserSequence {
  static readonly typeName: string = 'unequal_ends';
  static readonly description: string = 'connections whose ends differ in path MTU, timers, retries, limits and path';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ends');
    const ways = [yield* oneWay(left, right, SHORT), yield* oneWay(right, left, SHORT)];
    const long = [yield* oneWay(left, right, LONG), yield* oneWay(right, left, LONG)];
    const mostMtu = left.qp.pathMtu;
    for (let i = 0; i < 2 * this.count; i++) {
      yield* resetBoth(left, right);
      const [a, b] = drawPsns(random);
      yield* takeSteps(right, reconnection(right, left, { psn: b, ...drawnEnd(mostMtu, random) }, a));
      yield* takeSteps(left, reconnection(left, right, { psn: a, ...drawnEnd(mostMtu, random) }, b));
      for (const way of ways) yield* talk(this, way);
      yield* this.#long(long[i % 2] as OneWay, random.chance(50));
      if (connection.type === QP_TYPE.rc) yield* this.#longRead(long[i % 2] as OneWay, random, mostMtu);
    }
    yield* resetBoth(left, right);
    yield* takeSteps(right, reconnection(right, left, { psn: 1 }, 2));
    yield* takeSteps(left, reconnection(left, right, { psn: 2 }, 1));
  }

  /**
   * In another life, a READ of several packets for one end at least: of answers in packets of another path MTU its requester takes
   * none, for their length or their opcode (roce-transport.md 3.6).
   */
  *#longRead({ from, to, copy, remote }: OneWay, random: RandomStream, mostMtu: number): Proc<void> {
    yield* resetBoth(from, to);
    const [a, b] = drawPsns(random);
    yield* takeSteps(to, reconnection(to, from, { psn: b, ...drawnEnd(mostMtu, random) }, a));
    yield* takeSteps(from, reconnection(from, to, { psn: a, ...drawnEnd(mostMtu, random) }, b));
    yield* from.read(copy, remote);
    const fits = from.qp.pathMtu === to.qp.pathMtu || LONG <= mtuOf(from, to);
    const wrong = [WC_STATUS.locLenErr, WC_STATUS.badRespErr];
    const wc = yield* from.sent();
    if (fits) this.expectSuccess(wc, 'READ');
    else this.expectStatus(wc, wrong.find((status) => status === wc.status) ?? WC_STATUS.locLenErr, 'READ');
  }

  /** A message of several packets for one end at least. */
  *#long({ from, to, source, sink, target }: OneWay, writes: boolean): Proc<void> {
    const isRefused = from.qp.pathMtu !== to.qp.pathMtu && LONG > mtuOf(from, to);
    const isReliable = from.qp.type === QP_TYPE.rc;
    // Nobody is told of what an unreliable connection drops: no receive waits for that.
    if (writes || (isRefused && !isReliable)) yield* from.write(source, target);
    else {
      yield* to.receive(sink);
      yield* from.send(source);
    }
    const status = isRefused && isReliable ? WC_STATUS.remInvReqErr : WC_STATUS.success;
    this.expectStatus(yield* from.sent(), status, 'long message');
    if (writes || (isRefused && !isReliable)) return;
    this.expectStatus(yield* to.received(), isRefused ? WC_STATUS.wrFlushErr : status, 'receive');
  }
}

/** The smaller of the path MTUs of both, bytes. */
function mtuOf({ qp }: QpSide, { qp: other }: QpSide): number {
  return MTU_BYTES[Math.min(qp.pathMtu, other.pathMtu)] as number;
}

/** What one end chooses, with a path MTU up to the code `mostMtu`. */
function drawnEnd(mostMtu: number, random: RandomStream): ConnectAttributes {
  return {
    mtu: MTU_BYTES[random.range(1, mostMtu)] as number,
    timeout: random.range(...TIMEOUTS),
    retryCnt: random.range(1, 7),
    rnrRetry: random.range(1, 7),
    minRnrTimer: random.range(...RNR_TIMERS),
    maxRdAtomic: random.range(1, 4),
    maxDestRdAtomic: random.range(4, 16),
    trafficClass: random.range(0, 63) * 4,
    flowLabel: random.range(0, 0xf_ffff),
    hopLimit: random.range(1, 255),
  };
}
