import { aQueuePair } from '../../../rdma/subjectParts.ts';
import type { InjectedPacket } from '../../../agents/link/inject/injectedPacket.ts';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_STATE, QP_STATE_NAME, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** A NIC has dealt with a packet so long after it has come. */
const REST = 5 * US;

/** Packets out of place, of which each ends a connection: what it is, opcode, and bytes of payload by the path MTU. */
const MISTAKES: readonly (readonly [what: string, opcode: number, payload: (mtu: number) => number])[] = [
  ['SEND_MIDDLE that no message has begun', BTH_OP.sendMiddle, (mtu) => mtu],
  ['SEND_LAST that no message has begun', BTH_OP.sendLast, () => 8],
  ['WRITE_MIDDLE that no message has begun', BTH_OP.writeMiddle, (mtu) => mtu],
  ['WRITE_LAST that no message has begun', BTH_OP.writeLast, () => 8],
  ['reserved opcode of RC', 0x1f, () => 8],
  ['SEND_FIRST that is short', BTH_OP.sendFirst, (mtu) => mtu - 4],
  ['SEND_ONLY that is longer than the path MTU', BTH_OP.sendOnly, (mtu) => mtu + 4],
];

/**
 * Requests that no NIC has sent, with the PSN that is expected next, and against the order or the lengths of opcodes
 * (roce-transport.md 4.2 no. 1, 2 and 6): the responder refuses each with the NAK for an invalid request and goes to ERR.
 * Then both sides are connected anew.
 */
export class RefusedPackets extends UserSequence {
  static readonly typeName: string = 'refused_packets';
  static readonly description: string = 'forged requests of wrong opcodes and lengths, each of which ends a connection';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psns');
    // No receive is too short for what is refused for another reason.
    const way = yield* oneWay(left, right, 2 * this.values.MTU);
    const rest = REST + onItsWay(this.values, this.connections.length * way.source.length);
    for (let i = 0; i < this.count; i++) {
      yield* talk(this, way);
      yield* delay(rest);
      const [what, opcode, bytes] = MISTAKES[(connection.index + i) % MISTAKES.length] as (typeof MISTAKES)[number];
      const packet = yield* this.#towards(left, right, BTH_CLASS.rc | opcode, bytes(this.values.MTU));
      yield* right.receive(way.sink);
      this.link.inject(packet);
      yield* delay(rest);
      yield* this.#expectError(right, what);
      const taken = yield* right.received();
      if (taken.status === WC_STATUS.success)
        this.error('SEQ_STATUS', `a ${what} completed a receive with success`, [taken.subject]);
      yield* resetBoth(left, right);
      yield* connectAgain(left, right, random);
    }
    yield* talk(this, way);
  }

  *#towards(left: QpSide, right: QpSide, opcode: number, payload: number): Proc<InjectedPacket> {
    const { rqPsn = 0 } = yield* right.api.queryQp(right.qp);
    const { host: from, qp } = left;
    return { from, to: right.host, ipv6: qp.ipv6, destQp: right.qp.qpn, psn: rqPsn, opcode, payload, ackRequest: true };
  }

  *#expectError({ api, qp }: QpSide, what: string): Proc<void> {
    const { state } = yield* api.queryQp(qp);
    if (state === QP_STATE.err) return;
    this.error('SEQ_STATUS', `a responder took a ${what}: it is in ${QP_STATE_NAME[state]}, expected ERR`, [
      aQueuePair(qp.host, qp.qpn),
    ]);
  }
}
