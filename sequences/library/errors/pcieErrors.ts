import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { ask, type OneWay, oneWay } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { PATIENCE } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** What a NIC may say of its own failure to read host memory: its profile says which. */
const OWN_FAILURES: readonly number[] = [
  WC_STATUS.locProtErr,
  WC_STATUS.locQpOpErr,
  WC_STATUS.generalErr,
  WC_STATUS.fatalErr,
];

/** What fails, and what comes of it. */
interface Case {
  readonly what: string;
  /** Words of the rule behind its host. */
  readonly rule: string;
  /** Whose NIC it is about, and whether its queue pair is named. */
  readonly side: 'left' | 'right';
  readonly names?: boolean;
  readonly request: 'send' | 'write' | 'read';
  /** Default: it goes well. */
  readonly status?: number;
}

const CASES: readonly Case[] = [
  {
    what: 'data of a SEND, refused',
    rule: 'ur area=data',
    side: 'left',
    request: 'send',
    status: WC_STATUS.locProtErr,
  },
  {
    what: 'data of a WRITE, aborted',
    rule: 'ca area=data',
    side: 'left',
    request: 'write',
    status: WC_STATUS.locProtErr,
  },
  {
    what: 'data of a SEND, poisoned',
    rule: 'poison area=data',
    side: 'left',
    request: 'send',
    status: WC_STATUS.locProtErr,
  },
  {
    what: 'data of a WRITE that never come',
    rule: 'lose area=data',
    side: 'left',
    request: 'write',
    status: WC_STATUS.locProtErr,
  },
  {
    what: 'data of a READ, poisoned',
    rule: 'poison area=data',
    side: 'right',
    request: 'read',
    status: WC_STATUS.remOpErr,
  },
  { what: 'data of a READ, refused', rule: 'ur area=data', side: 'right', request: 'read', status: WC_STATUS.remOpErr },
  {
    what: 'data of a READ that never come',
    rule: 'lose area=data',
    side: 'right',
    request: 'read',
    status: WC_STATUS.remOpErr,
  },
  {
    what: 'entry of a send queue, refused',
    rule: 'ur area=queue',
    side: 'left',
    names: true,
    request: 'write',
    status: WC_STATUS.locQpOpErr,
  },
  {
    what: 'entry of a send queue, poisoned',
    rule: 'poison area=queue',
    side: 'left',
    names: true,
    request: 'send',
    status: WC_STATUS.locQpOpErr,
  },
  {
    what: 'entry of a send queue that never comes',
    rule: 'lose area=queue',
    side: 'left',
    names: true,
    request: 'read',
    status: WC_STATUS.locQpOpErr,
  },
  {
    what: 'entry of a receive queue, aborted',
    rule: 'ca area=queue',
    side: 'right',
    names: true,
    request: 'send',
    status: WC_STATUS.remOpErr,
  },
  {
    what: 'entry of a receive queue, poisoned',
    rule: 'poison area=queue',
    side: 'right',
    names: true,
    request: 'send',
    status: WC_STATUS.remOpErr,
  },
  { what: 'poisoned write', rule: 'poison kind=write area=data', side: 'right', request: 'write' },
];

/** What changes nothing but time. */
const LATE: readonly string[] = [
  'split area=data,queue optional',
  'reorder by=1us..10us area=data,queue optional',
  'delay by=1us..20us every=2 optional',
  'back_pressure by=1us..5us every=3 optional',
];

/**
 * Reads of host memory that fail, one for each request: the NIC ends it as it must, requester or responder, and nothing else
 * (roce-transport.md 4.2, 5.1); and answers that come late, in pieces or out of order, which change nothing. Connections take
 * turns, so that each rule meets what it is for; every case is played in one of them.
 */
export class PcieErrors extends UserSequence {
  static readonly typeName: string = 'pcie_errors';
  static readonly description: string = 'reads of host memory that fail, and answers that come late';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    yield* byTurns(this, (connection, i) => this.#turn(connection, i));
  }

  *#turn(connection: Connection, turn: number): Proc<void> {
    const { left, right } = connection;
    const way = yield* oneWay(left, right, 2 * this.values.MTU + 100);
    yield* talk(this, way);
    for (const [i, played] of CASES.entries()) {
      if (i % this.count !== turn % CASES.length) continue;
      yield* this.#play(way, played);
      yield* this.#again(connection);
      yield* talk(this, way);
    }
    for (const rule of LATE) {
      const late = this.pcie.fault(rule);
      yield* talk(this, way);
      late.stop();
    }
  }

  *#play(way: OneWay, { what, rule, side, names, request, status = WC_STATUS.success }: Case): Proc<void> {
    const { from, to } = way;
    const { host, qp } = side === 'left' ? from : to;
    const fault = this.pcie.fault(`${rule} host=${host}${names === true ? ` qpn=${qp.qpn}` : ''} nth=1`);
    yield* ask(way, request);
    const completion = yield* from.sent();
    const isOwn = OWN_FAILURES.includes(status) && OWN_FAILURES.includes(completion.status);
    this.expectStatus(completion, isOwn ? completion.status : status, what);
    // The responder is in ERR, and flushes what it has.
    if (request === 'send' && completion.status === WC_STATUS.remOpErr)
      this.expectStatus(yield* to.received(), WC_STATUS.wrFlushErr, `receive beside ${what}`);
    fault.stop();
  }

  /** Everything comes to rest, and the connection begins anew. */
  *#again(connection: Connection): Proc<void> {
    const { left, right } = connection;
    yield* delay(PATIENCE);
    yield* this.quiet();
    yield* resetBoth(left, right);
    yield* connectAgain(left, right, this.streamOf(connection, 'psns'));
  }
}
