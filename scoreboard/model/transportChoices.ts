/**
 * Where public implementations of the transport differ (roce-transport.md 11): one field for each row of that table, and three
 * for what sections 3.8 and 8 leave open. None of it is right or wrong; a kind of NIC says what it does, and is held to that.
 *
 * A rule that depends on one of them asks here and not for a constant; what comes of a status that is declared is in
 * `rules/statusChoices.ts`. A choice that no rule can see is not in it: whether software may post sends before RTS is decided by
 * the host API for all NICs.
 */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { MS } from '../../uvm/kernel/time.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';

/** What a NIC with nothing to say does: rows in the order of the table. @public */
export interface TransportChoices {
  /** `retry_cnt` 7 stands for no limit. Read by the rules of retries. */
  readonly retrySevenIsForEver: boolean;
  /** What the RNR timer code 25 stands for, ps. Read by the rule of RNR waits. */
  readonly rnrCode25: SimTime;
  /** Status of the receive that a SEND is too long for. Read where completions are taken. */
  readonly tooLongReceive: number;
  /** Status of the receive of which an entry has a bad key; another than the one above. Read there as well. */
  readonly badReceiveEntry: number;
  /** Status of a datagram that is longer than the path MTU: LOC_LEN_ERR, or success without a packet. Read where it is posted. */
  readonly tooLongDatagram: number;
  /** A misaligned atomic is found before a bad R_Key. Read by the rules of remote access. */
  readonly alignmentBeforeKey: boolean;
  /** Status of a request that is answered with an opcode which does not fit. Read where completions are taken. */
  readonly unexpectedResponse: number;
  /** A gap behind an RNR NAK is answered with a sequence NAK; without, there must be none. Read where answers are judged. */
  readonly sequenceNakAfterRnr: boolean;
  /** READs and atomics beyond the limit of the responder are refused; otherwise the oldest is forgotten, and none is refused. */
  readonly refusesManyReads: boolean;
  /** The MigReq bit of all that it sends. Read where packets leave, as the two below. */
  readonly migrationRequest: 0 | 1;
  /** The credit field of acknowledgements where credits do not count. */
  readonly ackCredits: number;
  /** The compare field of a FETCH_ADD. */
  readonly fetchAddCompare: number;
  /** Status of the receive whose remote invalidation fails; not success. Read where completions are taken. */
  readonly failedInvalidate: number;
  /** The NAK of a READ that fails in the middle names the answer that is missing; otherwise the request. Read where answers are judged. */
  readonly readNakNamesResponse: boolean;
  /** A datagram with an address handle of another domain ends with LOC_QP_OP_ERR, or nobody is told that it is lost. Read at posting. */
  readonly foreignHandle: 'refused' | 'lost';
  /** LOCAL_INV waits for all before it; otherwise only with the fence. Read by the rules of keys. */
  readonly localInvalidateFenced: boolean;
  /** Status of a LOCAL_INV whose key may not be invalidated: LOC_QP_OP_ERR or LOC_PROT_ERR. Read where it is posted. */
  readonly failedLocalInvalidate: number;
  /** What a SEND is answered with that may not invalidate its key: nothing, or NAK 0x62. Read where it is posted. */
  readonly refusedInvalidate: 'silence' | 'nak';
  /** A region with windows bound is not deregistered; or it is, and they open nothing then. Read where that ends. */
  readonly boundRegion: 'kept' | 'windows die';
  /** A window of type 1 may be of another domain than the queue pair that binds it. Read where that is posted. */
  readonly bindsForeignWindows: boolean;
  /** Windows of type 2 are of type 2A, whose domain is not checked, or 2B. Read by the rules of remote access. */
  readonly windowType2: '2A' | '2B';
  /** The ACK timer expires between this many times T and that many (3.8). Read by the rules of time-outs. */
  readonly ackTimer: readonly [earliest: number, latest: number];
  /** Of which marked packets a CNP must speak (8): requests that are answered, or also READ responses and packets of UC. */
  readonly cnpFor: 'answered requests' | 'all in order';
  /** CNPs are paced by queue pair, by destination address, or by port (8). */
  readonly cnpPacing: 'queue pair' | 'destination' | 'port';
}

/** The column of the model. */
export const MODEL_CHOICES: TransportChoices = {
  retrySevenIsForEver: false,
  rnrCode25: 61.44 * MS,
  tooLongReceive: WC_STATUS.locLenErr,
  badReceiveEntry: WC_STATUS.locProtErr,
  tooLongDatagram: WC_STATUS.locLenErr,
  alignmentBeforeKey: true,
  unexpectedResponse: WC_STATUS.badRespErr,
  sequenceNakAfterRnr: false,
  refusesManyReads: true,
  migrationRequest: 0,
  ackCredits: 31,
  fetchAddCompare: 0,
  failedInvalidate: WC_STATUS.locQpOpErr,
  readNakNamesResponse: true,
  foreignHandle: 'refused',
  localInvalidateFenced: true,
  failedLocalInvalidate: WC_STATUS.locQpOpErr,
  refusedInvalidate: 'silence',
  boundRegion: 'kept',
  bindsForeignWindows: false,
  windowType2: '2B',
  ackTimer: [1, 4],
  cnpFor: 'all in order',
  cnpPacing: 'queue pair',
};
