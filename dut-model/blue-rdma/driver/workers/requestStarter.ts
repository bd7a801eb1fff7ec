/**
 * Rdma-write worker: starts requests in order (blue-rdma.md sections 11.1 and 12). It allocates MSN and PSNs and cuts
 * chunks. A SEND goes to the oldest buffer that the peer has offered; while there is none, it waits, and those behind it.
 */
import { SEND_OPCODE } from '../../layout/descriptors.ts';
import { MAX_OUTSTANDING_MESSAGES, MAX_OUTSTANDING_PSNS } from '../../layout/limits.ts';
import { ACCESS, WC_STATUS } from '../../../../rdma/verbs.ts';
import type { BlueQp, Offer } from '../blueObjects.ts';
import type { Regions } from '../regions.ts';
import { chunksOf, type MessagePart, packetsOf } from '../tracking/messageCut.ts';
import { msnAfter, psnAfter } from '../tracking/psn.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';
import type { Worker } from '../worker.ts';
import type { ChunkSender } from './chunkSender.ts';

/** Whom the starter tells. */
export interface StarterUser {
  /** A request is on its way: the timer has something to run for. */
  started(qp: BlueQp): void;
  /** The oldest request that is not started waits for a peer that does not receive. */
  unreachable(qp: BlueQp): void;
  /** The oldest request that is not started cannot be: it fails once those before it are complete. */
  blocked(qp: BlueQp, request: SendRequest, status: number): void;
}

export class RequestStarter {
  /** Set once after construction. */
  worker!: Worker;
  readonly #chunks: ChunkSender;
  readonly #regions: Regions;
  readonly #user: StarterUser;
  protected readonly chunkBytes: number;
  #queued = new Set<BlueQp>();

  /** @param chunkBytes bytes of a chunk at most */
  constructor(chunks: ChunkSender, regions: Regions, user: StarterUser, chunkBytes: number) {
    this.chunkBytes = chunkBytes;
    this.#chunks = chunks;
    this.#regions = regions;
    this.#user = user;
  }

  /** Something of a queue pair may have become startable. */
  wake(qp: BlueQp): void {
    if (qp.waiting.length === 0 && qp.responses.length === 0) return;
    this.#queued.add(qp);
    this.worker.wake();
  }

  /** Requests are posted, in this order. Overridable for planting. */
  post(qp: BlueQp, requests: readonly SendRequest[]): void {
    qp.waiting.push(...requests);
  }

  work(): void {
    const queued = this.#queued;
    this.#queued = new Set();
    for (const qp of queued) if (qp.running) this.#startAll(qp);
  }

  #startAll(qp: BlueQp): void {
    if (!qp.begun) return;
    while (qp.responses.length > 0 && this.#fits(qp, qp.responses[0] as SendRequest)) {
      this.#start(qp, qp.responses.shift() as SendRequest);
    }
    while (qp.waiting.length > 0) {
      const request = qp.waiting[0] as SendRequest;
      if (!this.#ready(qp, request)) return;
      qp.waiting.shift();
      this.#start(qp, request);
    }
  }

  /** Whether a request can be started now; what it needs is set then. */
  #ready(qp: BlueQp, request: SendRequest): boolean {
    if (request.refused !== 0) {
      this.#user.blocked(qp, request, request.refused);
      return false;
    }
    if (this.waitsForReads(qp, request)) return false;
    if (request.isRead && qp.maxRdAtomic > 0 && qp.reads >= qp.maxRdAtomic) return false;
    if (!this.localSideIsRight(qp, request)) return this.#refuse(qp, request, WC_STATUS.locProtErr);
    const offers = qp.offered;
    if (!request.needsReceive) return this.#fits(qp, request);
    const offer = offers?.[0];
    if (offer === undefined) {
      if (offers === undefined) this.#user.unreachable(qp);
      return false;
    }
    if (request.opcode !== SEND_OPCODE.writeImm) {
      if (request.length > offer.length) return this.#refuse(qp, request, WC_STATUS.remInvReqErr);
      this.#aim(request, offer);
    }
    if (!this.#fits(qp, request)) return false;
    this.takeOffer(offers as Offer[]);
    return true;
  }

  /** Overridable for planting, as what follows. */
  protected waitsForReads(qp: BlueQp, request: SendRequest): boolean {
    return request.fence && qp.reads > 0;
  }

  /** Chunks of a request. */
  protected chunksOf(request: SendRequest, mtu: number): MessagePart[] {
    return chunksOf(request.remoteLo, request.length, mtu, this.chunkBytes);
  }

  protected takeOffer(offers: Offer[]): void {
    offers.shift();
  }

  /** Whether the local side of a request that was started is allowed as before. */
  isStillRight(qp: BlueQp, request: SendRequest): boolean {
    return this.localSideIsRight(qp, request);
  }

  protected localSideIsRight(qp: BlueQp, r: SendRequest): boolean {
    if (r.length === 0) return true;
    const access = r.isRead ? ACCESS.localWrite : 0;
    return this.#regions.allows(r.lkey, qp.pd, r.localHi, r.localLo, r.length, access);
  }

  /** PSNs of a message; overridable for planting. */
  protected packetsOf(request: SendRequest, mtu: number): number {
    return request.isRead ? 1 : packetsOf(request.remoteLo, request.length, mtu);
  }

  #refuse(qp: BlueQp, request: SendRequest, status: number): boolean {
    request.refused = status;
    this.#user.blocked(qp, request, status);
    return false;
  }

  /** A SEND is a write to the buffer that was offered. */
  #aim(request: SendRequest, offer: Offer): void {
    request.remoteHi = offer.hi;
    request.remoteLo = offer.lo;
    request.rkey = offer.key;
  }

  #fits(qp: BlueQp, request: SendRequest): boolean {
    const packets = this.packetsOf(request, qp.mtu);
    return qp.sent.outstanding + packets < MAX_OUTSTANDING_PSNS && qp.list.size < MAX_OUTSTANDING_MESSAGES - 1;
  }

  #start(qp: BlueQp, request: SendRequest): void {
    request.psn = qp.sent.next;
    request.packets = this.packetsOf(request, qp.mtu);
    request.msn = qp.nextMsn;
    qp.sent.next = psnAfter(request.psn, request.packets);
    qp.nextMsn = msnAfter(qp.nextMsn, 1);
    qp.list.push(request);
    if (request.isRead) {
      qp.reads++;
      const part = { offset: 0, length: request.length, packet: 0, first: true, last: true };
      this.#chunks.add(qp, request, part, false);
    } else {
      for (const part of this.chunksOf(request, qp.mtu)) this.#chunks.add(qp, request, part, false);
    }
    this.#user.started(qp);
  }
}
