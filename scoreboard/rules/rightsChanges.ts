/**
 * What a queue pair permits its peer, changed while requests of that are on their way (roce-transport.md 4.2, 6.2): each
 * of them may meet what was permitted before or after. One that was forbidden when it was posted may be carried out then.
 */

import { ACCESS, QP_TYPE } from '../../rdma/verbs.ts';
import { OP_ATOMIC, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_HOST, Q_IN_HEAD, Q_SQ_HEAD, Q_TYPE } from '../model/qps.ts';
import { doubtBehind, doubtFrom, insertInbound, releaseIfDone, removeWrite } from '../model/queues.ts';
import type { RemoteAccess } from './remoteAccess.ts';
import {
  OPCODE_MASK,
  R_DEST,
  R_LINK,
  R_NEXT,
  R_QP,
  R_STATE,
  S_AWAITED,
  S_BAD,
  S_BAD_KEY,
  S_BAD_RIGHT,
  S_COMP,
  S_DATA,
  S_FAILED,
  S_REMOTE,
  S_WITHDRAWN,
} from '../model/requests.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';

export class RightsChanges {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #remote: RemoteAccess;

  constructor(state: OracleState, guard: WriteGuard, remote: RemoteAccess) {
    this.#s = state;
    this.#guard = guard;
    this.#remote = remote;
  }

  /** Software begins to change what `responder` permits `requester`. */
  begin(responder: number, requester: number): void {
    const s = this.#s;
    const m = s.requests.words;
    for (let r = s.qps.words[requester + Q_SQ_HEAD] as number; r !== NONE; r = m[r + R_NEXT] as number)
      this.#mayMeetEither(r, responder);
    if (s.qps.words[requester + Q_TYPE] !== QP_TYPE.uc) {
      // What was flushed there, or is answered already, may still be under way.
      if (s.broken.has(requester) || s.askingAgain.has(requester)) s.qps.mayFlush(responder);
      return;
    }
    // Their completions say nothing of whether they have arrived.
    for (const r of this.#completed(requester)) this.#mayMeetEither(r, responder);
    for (let r = s.qps.words[responder + Q_IN_HEAD] as number; r !== NONE; r = m[r + R_LINK] as number)
      this.#mayMeetEither(r, responder);
  }

  /** Whether a WRITE with immediate data of a UC queue pair is forbidden, and may be permitted before it arrives. */
  holdsForbidden(requester: number): boolean {
    const m = this.#s.requests.words;
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
      const state = m[r + R_STATE] as number;
      const message = (operationKind(state & OPCODE_MASK) & OP_MESSAGE) !== 0;
      if (message && (state & S_BAD_RIGHT) !== 0 && m[r + R_QP] === requester) return true;
    }
    return false;
  }

  /** Plain WRITEs of a queue pair that have completed, and those with immediate data that are forbidden. */
  #completed(requester: number): readonly number[] {
    const m = this.#s.requests.words;
    const found: number[] = [];
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number)
      if (((m[r + R_STATE] as number) & S_COMP) === 0 && m[r + R_QP] === requester) found.push(r);
    return found;
  }

  #mayMeetEither(r: number, responder: number): void {
    const s = this.#s;
    const state = s.requests.words[r + R_STATE] as number;
    const kind = operationKind(state & OPCODE_MASK);
    if ((kind & (OP_WRITE | OP_READ | OP_ATOMIC)) === 0) return;
    if ((state & S_BAD_RIGHT) !== 0) this.#mayBeGranted(r, responder, kind);
    if ((state & S_AWAITED) !== 0 && s.qps.words[responder + Q_TYPE] === QP_TYPE.uc) doubtFrom(s, r);
    this.#remote.mayBeRefused(r, responder);
  }

  /** A request that was forbidden: what it may do now. */
  #mayBeGranted(r: number, responder: number, kind: number): void {
    const s = this.#s;
    const m = s.requests.words;
    m[r + R_STATE] = (m[r + R_STATE] as number) & ~(S_BAD_KEY | S_BAD_RIGHT);
    const length = s.requests.length(r);
    const right = (kind & OP_WRITE) !== 0 ? ACCESS.remoteWrite : ACCESS.remoteRead;
    const host = s.qps.words[responder + Q_HOST] as number;
    if (length > 0) this.#remote.resolve(r, s.requests.remoteOf(r), host, length, right);
    const { words } = s.qps;
    const message = (kind & OP_MESSAGE) !== 0;
    // One that nothing was to come of waits there for the end.
    if (message && words[responder + Q_TYPE] === QP_TYPE.uc) removeWrite(s, r);
    if (((m[r + R_STATE] as number) & S_BAD) !== 0) {
      if (message) this.#comesToNothing(r);
      return;
    }
    if ((kind & OP_WRITE) !== 0 && length > 0) this.#openRemote(r, length);
    if (message) this.#mayArrive(r, responder);
  }

  #comesToNothing(r: number): void {
    const m = this.#s.requests.words;
    m[r + R_STATE] = (m[r + R_STATE] as number) & ~S_DATA;
    releaseIfDone(this.#s, r);
  }

  #openRemote(r: number, length: number): void {
    if (this.#s.options.level < CHECK_LEVEL.full) return;
    this.#guard.openRemote(r, length);
    this.#s.requests.addState(r, S_REMOTE);
  }

  /** A WRITE with immediate data may fill a receive, in its place among the messages of its queue pair. */
  #mayArrive(r: number, responder: number): void {
    this.#s.requests.words[r + R_DEST] = responder;
    this.#s.requests.addState(r, S_DATA | S_FAILED | S_WITHDRAWN);
    insertInbound(this.#s, responder, r);
    if (this.#s.qps.words[responder + Q_TYPE] === QP_TYPE.uc) doubtBehind(this.#s, r);
  }
}
