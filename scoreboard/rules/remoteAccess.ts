/** What the peer of a queue pair makes of a request to its memory: whether it permits, answers and executes it. */

import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { carried, INDEX_BITS } from '../../uvm/bytes/words.ts';
import { keyFault, rightsText } from './keyFaults.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { qpName } from '../model/names.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  NONE,
  Q_ACCESS,
  Q_DEST_READS,
  Q_FLAGS,
  Q_PD,
  Q_READS,
  Q_REMOTE_QPN,
  Q_TYPE,
  QF_CHANGES,
  QF_DEAD,
  QF_READY,
} from '../model/qps.ts';
import {
  OPCODE_MASK,
  R_QP,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_STATE,
  S_BAD_KEY,
  S_BAD_RIGHT,
  S_EITHER,
  S_WITHDRAWN,
  spaceOf,
} from '../model/requests.ts';
import { notePeer } from './withdrawal.ts';

type RemoteRange = Pick<SendWr, 'remoteHi' | 'remoteLo' | 'rkey'>;

export class RemoteAccess {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether the peer permits an operation, whatever its key opens. */
  isPermitted(r: number, host: number, right: number): boolean {
    const { qps } = this.#s;
    const peer = this.#peer(r, host);
    const flags = peer < 0 ? 0 : (qps.words[peer + Q_FLAGS] as number);
    if ((flags & QF_READY) === 0) this.#comesEarly(r, host);
    else if ((flags & QF_CHANGES) !== 0) this.mayBeRefused(r, peer);
    else if (((qps.words[peer + Q_ACCESS] as number) & right) === 0) {
      const has = rightsText(qps.words[peer + Q_ACCESS] as number);
      this.#forbid(r, host, `${qpName(this.#s, peer)} lacks the right ${rightsText(right)} (it has ${has})`);
      return false;
    }
    return true;
  }

  /** Whether the peer answers READs at all; it may refuse some where it answers fewer at once than this side may send. */
  isAnswered(r: number, host: number): boolean {
    const { qps, requests } = this.#s;
    const peer = this.#peer(r, host);
    const answered = peer < 0 ? NONE : (qps.words[peer + Q_DEST_READS] as number);
    if (answered === 0) {
      this.#forbid(r, host, `${qpName(this.#s, peer)} answers no READs (max_dest_rd_atomic is 0)`);
      return false;
    }
    const sent = qps.words[(requests.words[r + R_QP] as number) + Q_READS] as number;
    if (answered !== NONE && sent > answered) this.mayBeRefused(r, peer);
    return true;
  }

  /** Marks a request that the peer may refuse or not; on UC it is dropped then. */
  mayBeRefused(r: number, peer: number): void {
    const kind = operationKind((this.#s.requests.words[r + R_STATE] as number) & OPCODE_MASK);
    if ((kind & (OP_WRITE | OP_READ | OP_ATOMIC)) === 0) return;
    if (this.#s.qps.words[peer + Q_TYPE] === QP_TYPE.uc) {
      this.#s.requests.addState(r, S_WITHDRAWN);
      return;
    }
    this.#s.requests.addState(r, S_EITHER);
    this.#s.qps.mayFlush(peer);
  }

  /** Whether nobody executes the request any more. On UC, where its sender does not notice, nothing is to be seen of it. */
  isDead(r: number, host: number): boolean {
    const peer = this.#peer(r, host);
    const { words } = this.#s.qps;
    notePeer(this.#s, r, peer);
    if (peer < 0 || ((words[peer + Q_FLAGS] as number) & QF_DEAD) === 0) return false;
    if (words[peer + Q_TYPE] === QP_TYPE.uc) this.#s.requests.addState(r, S_BAD_KEY);
    return true;
  }

  /** Finds the remote range in absolute addresses, or marks the request as not allowed there. */
  resolve(r: number, wr: RemoteRange, host: number, length: number, right: number): void {
    const w = this.#s.requests.words;
    const { mrs } = this.#s;
    const mr = mrs.find(host, wr.rkey) & INDEX_BITS;
    const offset = mr === NO_REGION ? NONE : mrs.offset(mr, wr.remoteHi, wr.remoteLo);
    const outside = offset < 0 || offset + length > mrs.length(mr);
    if (outside || (mrs.access(mr) & right) === 0 || this.#isForeign(r, host, mr)) {
      this.#refuse(r, host, this.#keyFault(r, wr, host, length, right));
      // Without a space: only messages ask where it was to go.
      w[r + R_RHI] = wr.remoteHi;
      w[r + R_RLO] = wr.remoteLo;
      return;
    }
    const lo = (mrs.lo(mr) >>> 0) + offset;
    w[r + R_RSPACE] = spaceOf(host, mrs.process(mr));
    w[r + R_RHI] = carried(mrs.hi(mr), lo);
    w[r + R_RLO] = lo | 0;
    if (mrs.anyGoing && mrs.isGoing(mr)) this.#mayBeVoid(r, host);
  }

  /** The region is being deregistered: the peer may find the key void already. */
  #mayBeVoid(r: number, host: number): void {
    const peer = this.#peer(r, host);
    this.#s.requests.addState(r, S_WITHDRAWN);
    if (peer >= 0) this.#s.qps.mayFlush(peer);
  }

  /** Whether a region is of another protection domain than the queue pair that a request goes to. */
  #isForeign(r: number, host: number, mr: number): boolean {
    const pd = this.#peerDomain(r, host);
    return pd >= 0 && pd !== this.#s.mrs.pd(mr);
  }

  #keyFault(r: number, wr: RemoteRange, host: number, length: number, right: number): string {
    const { rkey: key, remoteHi: hi, remoteLo: lo } = wr;
    const use = { host, key, hi, lo, length, right, pd: this.#peerDomain(r, host) };
    return keyFault(this.#s.mrs, 'remote key', use) as string;
  }

  /** Protection domain of the queue pair that a request goes to; negative where it is not known. */
  #peerDomain(r: number, host: number): number {
    const peer = this.#peer(r, host);
    return peer < 0 ? NONE : (this.#s.qps.words[peer + Q_PD] as number);
  }

  /**
   * A request is posted whose peer is not in RTR yet, as far as software knows. It may be tried until that has
   * attributes, and be refused then: for rights, the limit of READs or the protection domain.
   */
  #comesEarly(r: number, host: number): void {
    const { qps, requests } = this.#s;
    const q = requests.words[r + R_QP] as number;
    if (qps.words[q + Q_TYPE] !== QP_TYPE.rc) return;
    this.mayBeRefused(r, qps.ensure(host, qps.words[q + Q_REMOTE_QPN] as number));
    this.#s.requests.addState(r, S_WITHDRAWN);
  }

  /** The queue pair on `host` that the queue pair of a request is connected with, or `NONE`. */
  #peer(r: number, host: number): number {
    const { qps, requests } = this.#s;
    const q = requests.words[r + R_QP] as number;
    return qps.find(host, qps.words[q + Q_REMOTE_QPN] as number);
  }

  /** The peer permits no such operation, whatever the key. */
  #forbid(r: number, host: number, fault: string): void {
    this.#s.requests.addState(r, S_BAD_RIGHT);
    this.#refuse(r, host, fault);
  }

  /** The remote side will refuse the request; on RC it goes to the error state with that (roce-transport.md 4.2). */
  #refuse(r: number, host: number, fault: string): void {
    this.#s.requests.addState(r, S_BAD_KEY);
    this.#s.fault(r, { remote: fault });
    const { qps, requests } = this.#s;
    const q = requests.words[r + R_QP] as number;
    if (qps.words[q + Q_TYPE] !== QP_TYPE.rc) return;
    qps.mayFlush(qps.ensure(host, qps.words[q + Q_REMOTE_QPN] as number));
  }
}
