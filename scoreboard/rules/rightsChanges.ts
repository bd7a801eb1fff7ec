/**
 * What a queue pair permits its peer, changed while requests of that are on their way (roce-transport.md 4.2, 6.2): each
 * of them may meet what was permitted before or after. One that was forbidden when it was posted may be carried out then.
 */

import { CAUSE } from '../model/outcomes.ts';
import { type Message, type QueuePair, STAGE } from '../model/work.ts';
import { ACCESS, QP_TYPE } from '../../rdma/verbs.ts';
import { ATOMIC_BYTES, OP_ATOMIC, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  giveUp,
  mayBeMissingBehind,
  mayBeMissingFrom,
  insertInbound,
  releaseIfDone,
  removeWrite,
} from '../model/queues.ts';
import type { RemoteAccess } from './remoteAccess.ts';
import { enterTransit } from '../model/transit.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';

export class RightsChanges {
  /** Told of each WRITE with immediate data of UC that was forbidden, is on its way and may be carried out from now on. */
  onGranted: (r: Message) => void = () => {};
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #remote: RemoteAccess;

  constructor(state: OracleState, guard: WriteGuard, remote: RemoteAccess) {
    this.#s = state;
    this.#guard = guard;
    this.#remote = remote;
  }

  /** Software begins to change what `responder` permits `requester`. */
  begin(responder: QueuePair, requester: QueuePair): void {
    const s = this.#s;
    for (let r = requester.sq.head; r.exists; r = r.next) this.#mayMeetEither(r, responder);
    if (requester.type !== QP_TYPE.uc) {
      // What was flushed there, or is answered already, may still be under way.
      if (s.broken.has(requester) || s.askingAgain.has(requester)) responder.mayFlush();
      return;
    }
    // Their completions say nothing of whether they have arrived.
    for (const r of this.#completed(requester)) this.#mayMeetEither(r, responder);
    for (let r = requester.transit.head; r.exists; r = r.link) if (!r.outstanding) this.#mayMeetEither(r, responder);
    for (let r = responder.inbound.head; r.exists; r = r.link) this.#mayMeetEither(r, responder);
    for (const r of s.copies) if (r.dest === responder) this.#mayMeetEither(r, responder);
  }

  /** Whether a WRITE with immediate data of a UC queue pair is forbidden, and may be permitted before it arrives. */
  holdsForbidden(requester: QueuePair): boolean {
    for (let r = this.#s.writeHead; r.exists; r = r.link) {
      const message = (operationKind(r.opcode) & OP_MESSAGE) !== 0;
      if (message && r.outcomes.has(CAUSE.remoteRight) && r.qp === requester) return true;
    }
    return false;
  }

  /** Plain WRITEs of a queue pair that have completed, and those with immediate data that are forbidden. */
  #completed(requester: QueuePair): readonly Message[] {
    const found: Message[] = [];
    for (let r = this.#s.writeHead; r.exists; r = r.link) if (!r.outstanding && r.qp === requester) found.push(r);
    return found;
  }

  #mayMeetEither(r: Message, responder: QueuePair): void {
    const s = this.#s;
    const kind = operationKind(r.opcode);
    if ((kind & (OP_WRITE | OP_READ | OP_ATOMIC)) === 0) return;
    if (r.outcomes.has(CAUSE.remoteRight)) this.#mayBeGranted(r, responder, kind);
    if (r.awaited && responder.type === QP_TYPE.uc) mayBeMissingFrom(s, r);
    this.#remote.mayBeRefused(r, responder);
  }

  /** A request that was forbidden: what it may do now. */
  #mayBeGranted(r: Message, responder: QueuePair, kind: number): void {
    const s = this.#s;
    r.outcomes.revoke(CAUSE.remoteKey);
    r.outcomes.revoke(CAUSE.remoteRight);
    const length = r.length;
    const host = responder.host;
    const posted = { remoteHi: r.carriedHi, remoteLo: r.carriedLo, rkey: r.carriedKey };
    if ((kind & OP_ATOMIC) !== 0) this.#remote.resolveAtomic(r, posted, host);
    else if (length > 0)
      this.#remote.resolve(r, posted, host, length, (kind & OP_WRITE) !== 0 ? ACCESS.remoteWrite : ACCESS.remoteRead);
    const message = (kind & OP_MESSAGE) !== 0;
    // One that nothing was to come of waits there for the end.
    if (message && responder.type === QP_TYPE.uc) removeWrite(s, r);
    if (r.outcomes.isBad) {
      if (message) this.#comesToNothing(r);
      return;
    }
    if ((kind & OP_WRITE) !== 0 && length > 0) this.#openRemote(r, length);
    if ((kind & OP_ATOMIC) !== 0) this.#mayBeExecuted(r);
    if (message) this.#mayArrive(r, responder);
  }

  #mayBeExecuted(r: Message): void {
    this.#s.atomics.granted(r);
    if (r.remoteOpen) return;
    this.#openRemote(r, ATOMIC_BYTES);
    this.#s.atomics.opened(r);
  }

  #comesToNothing(r: Message): void {
    r.stage = STAGE.settled;
    releaseIfDone(this.#s, r);
  }

  #openRemote(r: Message, length: number): void {
    if (this.#s.options.level < CHECK_LEVEL.full) return;
    this.#guard.openRemote(r, length);
  }

  /** A WRITE with immediate data may fill a receive, in its place among the messages of its queue pair. */
  #mayArrive(r: Message, responder: QueuePair): void {
    r.dest = responder;
    r.stage = r.arrived ? STAGE.arrived : STAGE.posted;
    giveUp(this.#s, r);
    r.outcomes.allow(CAUSE.keyDeregistered);
    if (responder.type === QP_TYPE.uc && !r.arrived) {
      enterTransit(this.#s, r);
      this.onGranted(r);
      return;
    }
    insertInbound(responder, r);
    if (responder.type === QP_TYPE.uc) mayBeMissingBehind(this.#s, r);
  }
}
