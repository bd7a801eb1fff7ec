import { describe } from '../../../env/verbs/qpTransitions.ts';
import { PSN_MASK } from '../../../rdma/bth.ts';
import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at any MTU. */
const BYTES = 5000;
/** Code of the ACK time-out of strangers, which get no answer: 16 us. */
const TIMEOUT = 2;
const RETRIES = 1;

/** A queue pair and its peer, and a queue pair of another host that speaks to it, with the peer that it leaves for that. */
interface Intrusion {
  readonly victim: QpSide;
  readonly peer: QpSide;
  readonly stranger: QpSide;
  readonly abandoned: QpSide;
}

/**
 * Queue pairs to which a third host sends, with the PSNs that they expect and keys that are right: only the address tells
 * the packets from those of their peer (roce-transport.md 4.1 no. 8). They must be dropped, so that the receive that
 * waits is still there for the peer, nothing is written, and a reliable stranger gives up. Needs three hosts.
 */
export class Strangers extends UserSequence {
  static readonly typeName: string = 'strangers';
  static readonly description: string =
    'requests from a host with which a queue pair is not connected; +HOST_NUM=3 plays all cases';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *body(): Proc {
    const intrusions = this.connections.flatMap((c) => this.#intrusions(c));
    if (intrusions.length === 0)
      this.info(
        'SEQ_SKIPPED',
        'there is no third host or queue pair: raise +HOST_NUM, or the number of queue pairs of each service',
      );
    yield* this.forEachConnection((connection) => this.#inPeace(connection));
    for (const intrusion of intrusions) yield* this.#play(intrusion);
  }

  *#inPeace({ left, right }: Connection): Proc<void> {
    const way = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < this.count; i++) yield* talk(this, way);
  }

  /** At most one for each side of a connection. */
  #intrusions({ type, left, right }: Connection): readonly Intrusion[] {
    const found: Intrusion[] = [];
    for (const [victim, peer] of [
      [left, right],
      [right, left],
    ] as const) {
      const others = this.connections
        .filter((c) => c.type === type)
        .flatMap((c) => [c, { left: c.right, right: c.left }]);
      const from = others.find((c) => c.left.host !== peer.host && c.right.host === victim.host && c.right !== victim);
      if (from !== undefined) found.push({ victim, peer, stranger: from.left, abandoned: from.right });
    }
    return found;
  }

  *#play({ victim, peer, stranger, abandoned }: Intrusion): Proc<void> {
    const random = this.run.random.stream(this.fullName, `psn of the foreign queue pair to ${describe(victim.qp)}`);
    const rightful = yield* oneWay(peer, victim, BYTES);
    const former = yield* oneWay(stranger, abandoned, BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* talk(this, rightful);
      yield* resetBoth(stranger, abandoned);
      const { rqPsn = 0 } = yield* victim.api.queryQp(victim.qp);
      const attributes = { psn: rqPsn, timeout: TIMEOUT, retryCnt: RETRIES };
      yield* takeSteps(stranger, reconnection(stranger, victim, attributes, random.range(0, PSN_MASK)));
      yield* victim.receive(rightful.sink);
      yield* this.#intrude(former, rightful);
      yield* peer.send(rightful.source);
      this.expectSuccess(yield* peer.sent(), 'SEND of the peer');
      this.expectSuccess(yield* victim.received(), 'receive');
      yield* this.#reunite(stranger, abandoned, random);
      yield* talk(this, former);
    }
    yield* talk(this, rightful);
  }

  /** What the peer may do, from the stranger: nothing of it is taken. A reliable stranger ends in ERR, an unreliable one does not notice. */
  *#intrude({ from, source, copy }: OneWay, { target, remote }: OneWay): Proc<void> {
    const reliable = from.qp.type === QP_TYPE.rc;
    yield* from.send(source);
    yield* from.write(source, target.unchecked());
    if (reliable) yield* from.read(copy, remote.unchecked());
    this.expectStatus(
      yield* from.sent(),
      reliable ? WC_STATUS.retryExcErr : WC_STATUS.success,
      'SEND of a queue pair that is not connected',
    );
    const behind = reliable ? WC_STATUS.wrFlushErr : WC_STATUS.success;
    for (const what of reliable ? ['WRITE', 'READ'] : ['WRITE'])
      this.expectStatus(yield* from.sent(), behind, `${what} of a queue pair that is not connected`);
  }

  /** Connects the two again that belong together. */
  *#reunite(stranger: QpSide, abandoned: QpSide, random: RandomStream): Proc<void> {
    yield* stranger.api.modifyQp(stranger.qp, { state: QP_STATE.reset });
    const [a, b] = drawPsns(random);
    const { timeout, retryCnt } = abandoned.qp;
    yield* takeSteps(stranger, reconnection(stranger, abandoned, { psn: a, timeout, retryCnt }, b));
    yield* takeSteps(abandoned, reconnection(abandoned, stranger, { psn: b }, a));
  }
}
