/**
 * What a NIC does unseen: how long it may take, how much it may have to read, how far its turns may be apart, and what it
 * does where implementations differ. All of it bounds what the judge can know, none of it is a rule of the protocol. Each
 * kind of NIC declares its own
 * (env/nicKind.ts); too small a value blames a NIC that is right, too large a one lets faults pass.
 */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { CongestionNotice } from './congestion.ts';
import type { TransportChoices } from './transportChoices.ts';

/**
 * Simulated time (ps) for which work on others does not count against a waiting queue pair: per byte of new data, per
 * piece in which it is written, and per completion. The whole system counts as busy down to this speed.
 */
export interface ServiceCost {
  readonly bytePs: number;
  readonly piecePs: number;
  readonly requestPs: number;
}

/** Times in ps. @public */
export interface Profile {
  /** What its frames are: RoCEv2, or something of its own, which nobody decodes and checks. */
  readonly wire: 'rocev2' | 'private';
  /**
   * A responder says nothing of what it refuses: its requester tries until it gives up, or hears of it some other way.
   * Default false: it answers with a NAK.
   */
  readonly refusesInSilence?: boolean;
  /**
   * A responder says nothing of an atomic that it refuses, and takes nothing behind it until it comes again and may be
   * executed (roce-transport.md 9). Default false: it answers with a NAK.
   */
  readonly discardsAtomics?: boolean;
  /**
   * Software of a requester knows the receives of its peer, and refuses by itself what does not fit the next one, also when
   * the peer has failed meanwhile. Default false: the peer refuses it.
   */
  readonly knowsReceives?: boolean;
  /**
   * What is sent again may land on what a later request of the same queue pair has left there, as long as neither is done.
   * Default false: receivers take packets in order.
   */
  readonly writesInAnyOrder?: boolean;
  /** A key opens its region to queue pairs of every protection domain. Default false. */
  readonly anyDomain?: boolean;
  /** Frames of software that have come and that it keeps for sure until its host takes them. Default: any number. */
  readonly rawBacklog?: number;
  /** Frames of software that are IPv4 and for another IP address are dropped. Default false. */
  readonly rawIpFilter?: boolean;
  /** What it does where implementations differ. */
  readonly choices: TransportChoices;
  /** What it does about marked packets with these knobs. Default: nothing. */
  readonly congestion?: (knobs: Readonly<Record<string, number>>) => CongestionNotice;
  /**
   * `WC_STATUS` of a request whose data, or whose entry in the send queue, its NIC could not read: LOC_QP_OP_ERR, LOC_PROT_ERR,
   * GENERAL_ERR or FATAL_ERR. Default: LOC_PROT_ERR and LOC_QP_OP_ERR.
   */
  readonly failedReads?: { readonly data: number; readonly queue: number };
  /**
   * What stops where the context of a queue pair, or of its completion queue, cannot be read: that queue pair (QP_FATAL), or all
   * of the device (DEVICE_FATAL). Default `queue_pair`.
   */
  readonly failedContexts?: 'queue_pair' | 'device';
  /** Within this it has dealt with a frame that has come to it, besides what it waits for its host's memory. */
  readonly reactionTime: SimTime;
  /** Reads of host memory, one after the other, for which a frame may wait: contexts, translations, what was in their place. */
  readonly readsPerFrame: number;
  /** After this it gives up a read of host memory that is not answered; 0 = never. Default: it waits for none. */
  readonly readTimeout?: (knobs: Readonly<Record<string, number>>) => SimTime;
  /** A NIC at whose ports nothing has moved for this long does nothing more by itself. At least `SHORTEST_IDLE`. */
  readonly restTime: SimTime;
  /** Longest time that memory on its card takes for a burst, unseen: its rest is longer by that. Default 0. */
  readonly burstTime?: SimTime;
  /** What passes in a requester and on the way unseen: so much before its time-out it may act, as seen on the wire. */
  readonly unseenTime: SimTime;
  /** A requester that still sends so long after an answer was on the wire has heard it. */
  readonly answerTime: SimTime;
  /** Frames for each queue pair of a host that it may send before one of them has its turn. */
  readonly framesPerTurn: number;
  /** What it may take for useful work on fast buses. */
  readonly service: ServiceCost;
  /** Reads of host memory, one after the other, that a piece of payload may stand for, and a request. */
  readonly readsPerPiece: number;
  readonly readsPerRequest: number;
  /** Bytes that a request moves besides its payload: queue entries, contexts, translations, headers, completions. */
  readonly bytesPerRequest: number;
  /** Bytes of a doorbell, and how many of them software may ring at once. */
  readonly doorbellBytes: number;
  readonly doorbellBurst: number;
}
