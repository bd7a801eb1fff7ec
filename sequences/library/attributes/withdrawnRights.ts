import { ACCESS, QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at any MTU. */
const BYTES = 5000;

/** A request of so many bytes, and the right that it needs. */
interface Case {
  readonly what: string;
  readonly read: boolean;
  readonly bytes: number;
}

/** Those of UC first. */
const CASES: readonly Case[] = [
  { what: 'WRITE', read: false, bytes: BYTES },
  { what: 'empty WRITE', read: false, bytes: 0 },
  { what: 'READ', read: true, bytes: BYTES },
  { what: 'empty READ', read: true, bytes: 0 },
];
const WRITES = 2;

/**
 * Queue pairs that permit a request, and from which software then takes the right in RTS. The key still opens what is
 * asked for, so that only the rights of the queue pair forbid it; they count for a request of no bytes too, although
 * its key does not (roce-transport.md 4.2). RC must refuse it, UC must drop it and take the message behind it. One case
 * on each connection: four on RC, two on UC.
 */
export class WithdrawnRights extends UserSequence {
  static readonly typeName: string = 'withdrawn_rights';
  static readonly description: string =
    'requests that their queue pair no longer permits; +RC_QP_NUM=4 +UC_QP_NUM=2 plays all cases';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { index, type, left, right } = connection;
    const played = CASES[index % (type === QP_TYPE.rc ? CASES.length : WRITES)] as Case;
    const way = yield* oneWay(left, right, BYTES);
    // Of other bytes at another place, so that one that is executed shows.
    const later = yield* oneWay(left, right, BYTES);
    yield* request(way, played);
    this.expectSuccess(yield* left.sent(), `${played.what} that is permitted`);
    if (type === QP_TYPE.uc) yield* this.#message(way);
    const kept = played.read ? ACCESS.remoteWrite : ACCESS.remoteRead;
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags: kept });
    yield* request(later, played);
    const status = type === QP_TYPE.rc ? WC_STATUS.remInvReqErr : WC_STATUS.success;
    this.expectStatus(yield* left.sent(), status, `${played.what} that is permitted no longer`);
    if (type === QP_TYPE.uc) yield* this.#message(later);
  }

  *#message({ from, to, source, sink }: OneWay): Proc<void> {
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
  }
}

function* request({ from, source, copy, target, remote }: OneWay, { read, bytes }: Case): Proc<void> {
  if (read) yield* from.read(copy.part(0, bytes), remote.part(0, bytes));
  else yield* from.write(source.part(0, bytes), target.part(0, bytes));
}
