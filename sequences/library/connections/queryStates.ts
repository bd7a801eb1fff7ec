import { aQueuePair } from '../../../rdma/subjectParts.ts';
import { QP_STATE, QP_STATE_NAME, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { QpState } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';

import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** More than one packet. */
const BYTES = 5000;

/**
 * Asks for the state of both queue pairs of a connection by QUERY_QP: before and after each message, and in ERR, where RC
 * goes for a WRITE that the peer refuses, and UC when software says so.
 */
export class QueryStates extends UserSequence {
  static readonly typeName: string = 'query_states';
  static readonly description: string = 'QUERY_QP of working and of failed queue pairs';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection({ type, left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const target = yield* right.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* this.#query([left, right], QP_STATE.rts);
      yield* this.#send(left, right, source, target);
    }
    yield* this.#query([left, right], QP_STATE.rts);
    if (type === QP_TYPE.rc) {
      yield* left.write(source, target.withKey(NO_KEY));
      this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'WRITE with no key');
    } else for (const { api, qp } of [left, right]) yield* api.modifyQp(qp, { state: QP_STATE.err });
    yield* this.#query([left, right], QP_STATE.err);
  }

  *#send(left: QpSide, right: QpSide, source: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
    yield* right.receive(target);
    yield* left.send(source);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'RECV');
  }

  *#query(sides: readonly QpSide[], expected: QpState): Proc<void> {
    for (const { api, qp } of sides) {
      const { state } = yield* api.queryQp(qp);
      if (state === expected) continue;
      const [found, wanted] = [state, expected].map((s: number) => QP_STATE_NAME[s] ?? `code ${s}`);
      this.error('SEQ_STATUS', `host ${qp.host} QP ${qp.qpn} is in ${found}, expected ${wanted}`, [
        aQueuePair(qp.host, qp.qpn),
      ]);
    }
  }
}
