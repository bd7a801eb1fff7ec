import type { InjectedPacket } from '../../../agents/link/inject/injectedPacket.ts';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 64;
/** A NIC has dealt with a packet so long after it has come. */
const REST = 5 * US;

/** Answers that no responder may give: what it is, whether to a READ, and its opcode and fields. */
const ANSWERS: readonly (readonly [
  what: string,
  toRead: boolean,
  fields: Partial<InjectedPacket> & { opcode: number },
])[] = [
  ['NAK of a reserved code', false, { opcode: BTH_OP.acknowledge, syndrome: 0x6a }],
  ['reserved syndrome', false, { opcode: BTH_OP.acknowledge, syndrome: 0x45 }],
  ['plain ACK of a READ', true, { opcode: BTH_OP.acknowledge }],
  ['READ response to a WRITE', false, { opcode: BTH_OP.readResponseOnly, payload: BYTES }],
  ['atomic answer to a WRITE', false, { opcode: BTH_OP.atomicAcknowledge }],
];

/**
 * Answers that no NIC has sent and that no responder may give to what was asked (roce-transport.md 3.6): the request ends with
 * BAD_RESP_ERR, those behind it are flushed. The right answer is late. Then both sides are connected anew.
 */
export class BadResponses extends UserSequence {
  static readonly typeName: string = 'bad_responses';
  static readonly description: string = 'forged answers that no responder may give, each of which ends a connection';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const random = this.streamOf(connection, 'psns');
    const way = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* talk(this, way);
      yield* delay(this.#rest);
      yield* this.#answer(way, ANSWERS[(index + i) % ANSWERS.length] as (typeof ANSWERS)[number]);
      yield* resetBoth(left, right);
      yield* connectAgain(left, right, random);
    }
    yield* talk(this, way);
  }

  *#answer(
    { from, to, source, target, copy, remote }: OneWay,
    [what, toRead, fields]: (typeof ANSWERS)[number],
  ): Proc<void> {
    const { rqPsn: psn = 0 } = yield* to.api.queryQp(to.qp);
    // The right answer comes when the wrong one has.
    const late = 4 * this.#rest;
    const rule = this.link.fault(`delay host=${to.host} qpn=${to.qp.qpn} opcode=response by=${Math.ceil(late / NS)}ns`);
    if (toRead) yield* from.read(copy, remote);
    else yield* from.write(source, target);
    yield* delay(this.#rest);
    this.link.inject({
      ...fields,
      ...{
        from: to.host,
        to: from.host,
        destQp: from.qp.qpn,
        ipv6: from.qp.ipv6,
        psn,
        opcode: BTH_CLASS.rc | fields.opcode,
      },
    });
    this.expectStatus(yield* from.sent(), WC_STATUS.badRespErr, `request with a ${what}`);
    rule.stop();
    yield* delay(late + this.#rest);
  }

  /** In which everything that connections have sent comes and is dealt with. */
  get #rest(): SimTime {
    return REST + onItsWay(this.values, this.connections.length * 2 * BYTES);
  }
}
