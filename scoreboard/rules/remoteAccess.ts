/**
 * The room of rules: what must, or may, become of a request, decided when it is posted and again when software changes what
 * it depends on. Each file is one rule of the transport or of verbs; it calls `only` (nothing else can happen) or `allow` (it
 * may happen) of the message's `OutcomeSet` with a `CAUSE`, whose text and clause a failed check prints. `checks/posting`,
 * `checks/oracle` and `checks/completionChecks` call them; rules report nothing by themselves and look at no bytes.
 *
 * This file: what the peer of a queue pair makes of a request to its memory: whether it permits, answers and executes it.
 */

import { CAUSE, type CertainCause } from '../model/outcomes.ts';
import { type Message, type QueuePair, NONE } from '../model/work.ts';
import { spaceOf } from '../model/messages.ts';
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { leastOf, mostOf } from '../../agents/verbs/windowed.ts';
import { ACCESS, QP_TYPE } from '../../rdma/verbs.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { carried } from '../../uvm/bytes/words.ts';
import { keyFault, rightsText } from './keyFaults.ts';
import { NO_REGION, type Region } from '../model/mrTable.ts';
import { qpName } from '../model/names.ts';
import { ATOMIC_BYTES, OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { notePeer } from './deregistrations.ts';

type RemoteRange = Pick<SendWr, 'remoteHi' | 'remoteLo' | 'rkey'>;

export class RemoteAccess {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether the peer permits an operation, whatever its key opens. */
  isPermitted(r: Message, host: number, right: number): boolean {
    const peer = this.#peer(r, host);
    if (!peer.ready) this.#comesEarly(r, host);
    else if (peer.isChanging) this.mayBeRefused(r, peer);
    else if ((peer.attributes.access.now & right) === 0) {
      const has = rightsText(peer.attributes.access.now);
      this.#forbid(r, host, `${qpName(peer)} lacks the right ${rightsText(right)} (it has ${has})`);
      return false;
    }
    return true;
  }

  /**
   * Two ends of a connection may have different path MTUs. A message of more packets than one, or one that is longer than a packet of
   * the peer, comes in packets that its peer refuses (roce-transport.md 1.7, 4.2).
   */
  fitsPath(r: Message, host: number): void {
    const peer = this.#peer(r, host);
    if (!peer.exists || !peer.ready) return;
    const { mtu } = r.qp;
    if (mtu === peer.mtu || r.length <= Math.min(mtu, peer.mtu)) return;
    const fault = `its packets are of a path MTU of ${mtu} B, and ${qpName(peer)} has one of ${peer.mtu} B`;
    this.#refuse(r, host, CAUSE.pathMtu, fault);
  }

  /**
   * Two ends of a connection may have different path MTUs. A READ takes as many PSNs as its requester's says, and is answered in
   * packets of its responder's: unless one packet holds it for both, its requester takes none of them (roce-transport.md 1.7, 3.6).
   */
  fitsAnswers(r: Message, host: number): void {
    const peer = this.#peer(r, host);
    if (r.outcomes.isBad || !peer.exists || !peer.ready) return;
    const { mtu } = r.qp;
    if (mtu === peer.mtu || r.length <= Math.min(mtu, peer.mtu)) return;
    const fault = `its answers are of a path MTU of ${peer.mtu} B, and it takes those of ${mtu} B`;
    r.outcomes.only(CAUSE.answerMtu, fault);
    r.outcomes.allow(CAUSE.answerOpcode);
  }

  /** Whether the peer answers READs at all; it may refuse some where it answers fewer at once than this side may send. */
  isAnswered(r: Message, host: number): boolean {
    const peer = this.#peer(r, host);
    if (!peer.exists) return true;
    const answered = peer.attributes.maxDestRdAtomic;
    if (mostOf(answered) === 0) {
      this.#forbid(r, host, `${qpName(peer)} answers no READs and atomics (max_dest_rd_atomic is 0)`);
      return false;
    }
    const least = leastOf(answered);
    const { refusesManyReads } = this.#s.options.profiles.of(host).choices;
    if (refusesManyReads && least !== NONE && mostOf(r.qp.attributes.maxRdAtomic) > least) this.mayBeRefused(r, peer);
    return true;
  }

  /**
   * Finds the word of an atomic, or marks the request as one that is refused: without the right, for a queue pair that
   * answers none, at an address that is no multiple of 8, and only then for its key (roce-transport.md 4.2); of NICs that look at
   * the key first (11), for that.
   */
  resolveAtomic(r: Message, wr: RemoteRange, host: number): void {
    if (!this.isPermitted(r, host, ACCESS.remoteAtomic) || !this.isAnswered(r, host)) return;
    const { remoteHi: hi, remoteLo: lo } = wr;
    const { alignmentBeforeKey } = this.#s.options.profiles.of(host).choices;
    const isMisaligned = lo % ATOMIC_BYTES !== 0;
    if (!isMisaligned || !alignmentBeforeKey) this.resolve(r, wr, host, ATOMIC_BYTES, ACCESS.remoteAtomic);
    if (!isMisaligned || r.outcomes.has(CAUSE.remoteKey)) return;
    this.#forbid(r, host, `the address ${hexAddress(hi, lo)} is no multiple of 8`);
  }

  /** Marks a request that the peer may refuse or not; on UC it is dropped then. */
  mayBeRefused(r: Message, peer: QueuePair): void {
    const kind = operationKind(r.opcode);
    if ((kind & (OP_WRITE | OP_READ | OP_ATOMIC)) === 0) return;
    if (peer.type === QP_TYPE.uc) {
      r.outcomes.allow(CAUSE.keyDeregistered);
      return;
    }
    r.outcomes.allow(CAUSE.rightsChange);
    this.#maySayNothing(r, peer.host);
    peer.mayFlush();
  }

  /** Whether nobody executes the request any more. On UC, where its sender does not notice, nothing is to be seen of it. */
  isDead(r: Message, host: number): boolean {
    const peer = this.#peer(r, host);
    notePeer(r, peer);
    if (!peer.exists || !peer.dead) return false;
    if (peer.type === QP_TYPE.uc) r.outcomes.only(CAUSE.peerInError);
    return true;
  }

  /** Finds the remote range in absolute addresses, or marks the request as not allowed there. */
  resolve(r: Message, wr: RemoteRange, host: number, length: number, right: number): void {
    const { mrs } = this.#s;
    const mr = mrs.find(host, wr.rkey);
    const offset = mr === NO_REGION ? NONE : mrs.offset(mr, wr.remoteHi, wr.remoteLo);
    const outside = offset < 0 || offset + length > mrs.length(mr);
    if (outside || (mrs.access(mr) & right) === 0 || this.#isForeign(r, host, mr) || this.#isOthers(r, host, mr)) {
      this.#refuse(r, host, CAUSE.remoteKey, this.#keyFault(r, wr, host, length, right));
      // Without a space: only messages ask where it was to go.
      r.remoteHi = wr.remoteHi;
      r.remoteLo = wr.remoteLo;
      return;
    }
    const lo = (mrs.lo(mr) >>> 0) + offset;
    r.remoteSpace = spaceOf(host, mrs.process(mr));
    r.remoteHi = carried(mrs.hi(mr), lo);
    r.remoteLo = lo | 0;
    if (mrs.anyDeregistering && mrs.isDeregistering(mr)) this.#mayBeVoid(r, host);
  }

  /** The region is being deregistered: the peer may find the key void already. */
  #mayBeVoid(r: Message, host: number): void {
    const peer = this.#peer(r, host);
    r.outcomes.allow(CAUSE.keyDeregistered);
    this.#maySayNothing(r, host);
    if (peer.exists) peer.mayFlush();
  }

  /** Whether a region is of another protection domain than the queue pair that a request goes to. */
  #isForeign(r: Message, host: number, mr: Region): boolean {
    const pd = this.#peerDomain(r, host);
    const { anyDomain, choices } = this.#s.options.profiles.of(host);
    if (anyDomain === true || (choices.windowType2 === '2A' && this.#s.mrs.ownerOf(mr) >= 0)) return false;
    return pd >= 0 && pd !== this.#s.mrs.pd(mr);
  }

  /** Whether a window belongs to another queue pair than the one that a request goes to. */
  #isOthers(r: Message, host: number, mr: Region): boolean {
    const owner = this.#s.mrs.ownerOf(mr);
    return owner >= 0 && owner !== this.#peer(r, host).qpn;
  }

  #keyFault(r: Message, wr: RemoteRange, host: number, length: number, right: number): string {
    const { rkey: key, remoteHi: hi, remoteLo: lo } = wr;
    const pd = this.#s.options.profiles.of(host).anyDomain === true ? NONE : this.#peerDomain(r, host);
    const use = { host, key, hi, lo, length, right, pd, qpn: this.#peer(r, host).qpn };
    return keyFault(this.#s.mrs, 'remote key', use) as string;
  }

  /** Protection domain of the queue pair that a request goes to; negative where it is not known. */
  #peerDomain(r: Message, host: number): number {
    const peer = this.#peer(r, host);
    return !peer.exists ? NONE : peer.pd;
  }

  /**
   * A request is posted whose peer is not in RTR yet, as far as software knows. It may be tried until that has
   * attributes, and be refused then: for rights, the limit of READs or the protection domain.
   */
  #comesEarly(r: Message, host: number): void {
    const { qps } = this.#s;
    const q = r.qp;
    if (q.type !== QP_TYPE.rc) return;
    this.mayBeRefused(r, qps.ensure(host, q.remoteQpn));
    r.outcomes.allow(CAUSE.keyDeregistered);
  }

  /** The queue pair on `host` that the queue pair of a request is connected with, or `NO_QP`. */
  #peer(r: Message, host: number): QueuePair {
    const { qps } = this.#s;
    const q = r.qp;
    return qps.find(host, q.remoteQpn);
  }

  /** What the peer may refuse it may refuse without a word. */
  #maySayNothing(r: Message, host: number): void {
    if (this.#saysNothing(r, host)) r.outcomes.allow(CAUSE.refusedInSilence);
  }

  /** Whether the NIC of `host` refuses in silence, by its profile. */
  #saysNothing(r: Message, host: number): boolean {
    const { refusesInSilence, discardsAtomics } = this.#s.options.profiles.of(host);
    return refusesInSilence === true || (discardsAtomics === true && operationKind(r.opcode) === OP_ATOMIC);
  }

  /** The peer permits no such operation, whatever the key. */
  #forbid(r: Message, host: number, fault: string): void {
    this.#refuse(r, host, CAUSE.remoteRight, fault);
  }

  /** The remote side will refuse the request; on RC it goes to the error state with that (roce-transport.md 4.2). */
  #refuse(r: Message, host: number, cause: CertainCause, fault: string): void {
    r.outcomes.only(cause, fault);
    const { qps } = this.#s;
    const q = r.qp;
    if (q.type !== QP_TYPE.rc) return;
    if (this.#saysNothing(r, host)) r.outcomes.allow(CAUSE.refusedInSilence);
    else qps.ensure(host, q.remoteQpn).mayFlush();
  }
}

/** Whether nothing of a request gets into the remote range. */
export function isClosed({ outcomes }: Message): boolean {
  if (outcomes.has(CAUSE.pathMtu) || outcomes.has(CAUSE.peerInError)) return true;
  return outcomes.has(CAUSE.remoteKey) || outcomes.has(CAUSE.remoteRight);
}
