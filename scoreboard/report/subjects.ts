/** What findings of the judge accuse, made of what the judge knows. */

import type {
  CompletionQueueSubject,
  MemorySubject,
  PacketSubject,
  QueuePairSubject,
  RequestSubject,
  SharedReceiveQueueSubject,
  SubjectPart,
} from '../../rdma/subject.ts';
import {
  aCompletionQueue,
  aHost,
  aPacket,
  aQueuePair,
  aRequest,
  aSharedReceiveQueue,
  bytesOfProcess,
} from '../../rdma/subjectParts.ts';
import { ASYNC_EVENT } from '../../rdma/verbs.ts';
import { Message, NONE, type AnyRequest, type QueuePair, type ReceiveQueue } from '../model/work.ts';
import type { WirePacket } from '../model/wirePacket.ts';

export function theQueuePair({ host, qpn }: QueuePair): QueuePairSubject {
  return aQueuePair(host, qpn);
}

/** A posted request of either direction. */
export function theRequest(r: AnyRequest): RequestSubject {
  const isReceive = !(r instanceof Message);
  const { host } = r.owner;
  const srqn = isReceive ? r.queue.srqn : NONE;
  const { wrId, wqe, postedAt } = r;
  return aRequest(host, { qpn: r.qp.exists ? r.qp.qpn : NONE, srqn }, { isReceive, wrId, wqe, postedAt });
}

/** A packet that `sender` sends. */
export function thePacket(p: WirePacket, sender: QueuePair): PacketSubject {
  return aPacket(p, sender.exists ? sender.qpn : NONE);
}

export function theSharedQueue({ owner, srqn }: ReceiveQueue): SharedReceiveQueueSubject {
  return aSharedReceiveQueue(owner.host, srqn);
}

/** What an asynchronous event is about. @param number of the queue that it names */
export function theEventSource(host: number, event: number, number: number): SubjectPart {
  if (event === ASYNC_EVENT.deviceFatal) return aHost(host);
  return event === ASYNC_EVENT.cqErr ? aCompletionQueue(host, number) : aQueuePair(host, number);
}

/** Completion queue of the sends, or of the receives, of a queue pair. */
export function theCompletionQueue(q: QueuePair, ofSends: boolean): CompletionQueueSubject {
  return aCompletionQueue(q.host, ofSends ? q.sendCqn : q.recvCqn);
}

/** Where a one-sided request reads or writes, from byte `at` on. */
export function theWord({ host, process, hi, lo }: Word): MemorySubject {
  return bytesOfProcess(host, process, hi, lo, 8);
}

interface Word {
  readonly host: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
}
