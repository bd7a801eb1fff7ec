/**
 * What a message may end with, and why.
 *
 * A message that nothing is known against ends with success. A cause that is certain takes that away (`only`): its outcome
 * is expected then. A cause that depends on what its peer, or the NIC, has seen first adds one (`allow`): either is right.
 * Each cause names the rule, so that a finding can say what would have been right, and by which clause.
 */

import { WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';

/** Of an outcome: nobody is told, the message comes to nothing. */
const LOST = -1;

/** Why a message may end otherwise than with success. */
interface Reason {
  /** Bit in one of the two words of an `OutcomeSet`. */
  readonly bit: number;
  readonly word: 0 | 1;
  /** `WC_STATUS` of its completion; `LOST` where nobody is told. */
  readonly outcome: number;
  readonly clause: string;
  /** For messages. */
  readonly text: string;
  /** Of a possible cause: a file of specs, or the arguments of a run, that fails without it. */
  readonly spec: string;
}

/** With it a message must end so. */
export interface CertainCause extends Reason {
  readonly certain: true;
}

/** With it a message may end so. */
export interface PossibleCause extends Reason {
  readonly certain: false;
}

export type Cause = CertainCause | PossibleCause;

/** Causes that have a bit. */
let numbered = 0;

/** Sections are those of roce-transport.md. */
export const CAUSE = {
  service: certain(WC_STATUS.locQpOpErr, '4.5', 'its service does not have the operation'),
  length: certain(WC_STATUS.locLenErr, '4.5', 'the message is too long'),
  /** Its NIC has declared that it succeeds with such a datagram, and sends nothing. */
  lengthUntold: certain(WC_STATUS.success, '11', 'the datagram is too long, and its NIC sends nothing'),
  localKey: certain(WC_STATUS.locProtErr, '4.2', 'a local key does not cover its entry'),
  remoteKey: certain(WC_STATUS.remAccessErr, '4.4', 'the remote key does not open the range'),
  remoteRight: certain(WC_STATUS.remInvReqErr, '4.2', 'the peer does not permit the operation'),
  /** Unlike a right, it is the same for the life of both queue pairs. */
  pathMtu: certain(WC_STATUS.remInvReqErr, '4.2', 'the peer has another path MTU'),
  /** Of a READ; the length of the first answer is looked at, or its opcode. */
  answerMtu: certain(WC_STATUS.locLenErr, '3.6', 'the peer answers in packets of another path MTU'),
  /** UC: the sender does not notice. */
  peerInError: certain(LOST, '6.4', 'the peer is in the error state'),
  /** A datagram of a NIC that does not tell. */
  handleLost: certain(LOST, '4.5', 'its address handle belongs to another protection domain'),
  receiveLength: certain(WC_STATUS.remInvReqErr, '4.6', 'its receive is too short'),
  receiveKey: certain(WC_STATUS.remOpErr, '4.2', 'a key of its receive does not cover the entry'),

  rightsChange: possible(
    WC_STATUS.remInvReqErr,
    '6.2',
    'the access flags of its peer were being changed, or were not known',
    'badRequests',
  ),
  keyDeregistered: possible(
    WC_STATUS.remAccessErr,
    '4.4',
    'the region of its remote key was being deregistered',
    '+UVM_TESTNAME=test_random_verbs --seed 2641782365',
  ),
  localKeyDeregistered: possible(
    WC_STATUS.locProtErr,
    '4.2',
    'the region of a local key was being deregistered',
    'deregisteredKeys',
  ),
  twoMistakes: possible(
    WC_STATUS.locProtErr,
    '4.5',
    'of two mistakes that the requester finds, it may report either',
    'badRequests',
  ),
  retryExhausted: possible(WC_STATUS.retryExcErr, '3.8', 'no answer could have arrived within all retries', 'answers'),
  rnrRetryExhausted: possible(WC_STATUS.rnrRetryExcErr, '3.8', 'its receiver was not ready that often', 'refusals'),
  /** The finding is the NAK; what its sender is told is the consequence. */
  refusedWrongly: possible(LOST, '3.4', 'its peer has refused it', 'refusals'),
  misled: possible(
    LOST,
    '4.2',
    'its queue pair may have accepted an injected packet',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=bad_responses +RC_QP_NUM=4',
  ),
  receiveMayFail: possible(
    WC_STATUS.remOpErr,
    '4.2',
    'a key of its receive does not cover the entry',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=wrong_keys +RC_QP_NUM=29 +UC_QP_NUM=20 +UD_QP_NUM=9',
  ),
  receiveMayBeShort: possible(WC_STATUS.remInvReqErr, '4.6', 'its receive is too short', 'badRequests'),
  answerOpcode: possible(
    WC_STATUS.badRespErr,
    '3.6',
    'the peer answers with packets that the READ has no place for',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=unequal_ends +RC_QP_NUM=4',
  ),
  refusedInSilence: possible(
    WC_STATUS.retryExcErr,
    '3.8',
    'its peer refuses it without an answer',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=narrow_regions +RC_QP_NUM=4 +DUT=blue',
  ),

  // Of reads of host memory that fail: what a NIC tells is said by the profile of its kind.
  readFailedProtection: possible(WC_STATUS.locProtErr, '5.1', 'its NIC could not read the data to send', 'failedReads'),
  readFailedOperation: possible(
    WC_STATUS.locQpOpErr,
    '5.1',
    'its NIC could not read its entry in the send queue',
    'failedReads',
  ),
  readFailedGeneral: possible(WC_STATUS.generalErr, '5.1', 'its NIC could not read host memory', 'failedReads'),
  readFailedFatal: possible(WC_STATUS.fatalErr, '5.1', 'its NIC could not read host memory', 'failedReads'),
  readFailedRemotely: possible(
    WC_STATUS.remOpErr,
    '4.2',
    'the NIC of its peer could not read host memory',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=lost_translations +NIC_MPT_CACHE=8 +NIC_MTT_CACHE=8 +RC_QP_NUM=6',
  ),

  handleDestroyed: possible(
    WC_STATUS.locQpOpErr,
    '4.5',
    'its address handle was destroyed before it had arrived',
    'addressHandles',
  ),

  // Of keys that requests change.
  bindRefused: certain(WC_STATUS.mwBindErr, '4.8', 'the window may not be bound so'),
  invalidationUnanswered: certain(
    WC_STATUS.retryExcErr,
    '4.2',
    'its key may not be invalidated, and its peer says nothing',
  ),
  invalidationRefused: certain(WC_STATUS.remAccessErr, '4.2', 'its key may not be invalidated'),
  bindMayBeRefused: possible(
    WC_STATUS.mwBindErr,
    '4.8',
    'others were changing the window or its region',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=random_verbs +KEY_PCT=60 +RC_QP_NUM=2',
  ),
  keyMayHaveGone: possible(
    WC_STATUS.locQpOpErr,
    '4.5',
    'others were changing its key',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=key_invalidations +RC_QP_NUM=6',
  ),

  // Of receives.
  failedInvalidation: possible(
    WC_STATUS.locQpOpErr,
    '4.2',
    'the key of an arrived message may not be invalidated',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=key_invalidations +RC_QP_NUM=6',
  ),
  entryKey: possible(
    WC_STATUS.locProtErr,
    '4.2',
    'a message reaches an entry that its key does not cover',
    'deregisteredKeys',
  ),
  entryUnreadable: possible(
    WC_STATUS.locProtErr,
    '4.2',
    'its NIC could not read the translation of an entry',
    '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=lost_translations +NIC_MPT_CACHE=8 +NIC_MTT_CACHE=8 +RC_QP_NUM=6 +SEQ_COUNT=32',
  ),
  tooShort: possible(WC_STATUS.locLenErr, '4.6', 'a message is longer than the receive', 'badRequests'),
  refusedWrite: possible(WC_STATUS.locAccessErr, '4.2', 'a WRITE with immediate data has a wrong key', 'badRequests'),
} as const satisfies Readonly<Record<string, Cause>>;

const ALL: readonly Cause[] = Object.values(CAUSE);
const CERTAIN = certainOf(0);
const CERTAIN_MORE = certainOf(1);

export class OutcomeSet {
  #bits = 0;
  #more = 0;
  /** What there is to be said of single causes. */
  #texts: Map<Cause, string> | null = null;

  /** Success again, and nothing else. */
  reset(): void {
    this.#bits = 0;
    this.#more = 0;
    this.#texts = null;
  }

  /** It must end so; of several such causes the one that is found first. @param text what is wrong; default the cause's own */
  only(cause: CertainCause, text?: string): void {
    this.#add(cause);
    if (text !== undefined) this.explain(cause, text);
  }

  /** It may end so as well. */
  allow(cause: PossibleCause): void {
    this.#add(cause);
  }

  #add({ word, bit }: Cause): void {
    if (word === 0) this.#bits |= bit;
    else this.#more |= bit;
  }

  /** Says more of a cause, whether it applies or not. */
  explain(cause: Cause, text: string): void {
    this.#texts ??= new Map();
    this.#texts.set(cause, text);
  }

  /** The cause has gone. */
  revoke(cause: Cause): void {
    if (cause.word === 0) this.#bits &= ~cause.bit;
    else this.#more &= ~cause.bit;
  }

  has(cause: Cause): boolean {
    return ((cause.word === 0 ? this.#bits : this.#more) & cause.bit) !== 0;
  }

  /** Whether it must end with an error, or on unreliable services comes to nothing. */
  get isBad(): boolean {
    return (this.#bits & CERTAIN) !== 0 || (this.#more & CERTAIN_MORE) !== 0;
  }

  /** Whether anything but success has come in question. */
  get mayFail(): boolean {
    return this.#bits !== 0 || this.#more !== 0;
  }

  /** Why it may end with a status of `WC_STATUS` besides the one that it must end with; undefined = it may not. */
  permits(status: number): PossibleCause | undefined {
    const isPermitting = (cause: Cause): cause is PossibleCause =>
      !cause.certain && this.has(cause) && (cause.outcome === status || cause.outcome === LOST);
    return ALL.find(isPermitting);
  }

  /** What is wrong, in words; undefined where nothing was said. */
  textOf(cause: Cause): string | undefined {
    return this.#texts?.get(cause);
  }

  /** What else would have been right, each with its reason: for messages. */
  get alternatives(): readonly string[] {
    const allowed = ALL.filter((cause) => !cause.certain && this.has(cause) && cause.outcome !== LOST);
    return allowed.map((cause) => {
      const name = WC_STATUS_NAME[cause.outcome as keyof typeof WC_STATUS_NAME];
      return `${name} (${this.textOf(cause) ?? cause.text}, roce-transport.md ${cause.clause})`;
    });
  }
}

/** Each cause has a bit of its own, of 32 in each of two words. */
function nextBit(): Pick<Reason, 'bit' | 'word'> {
  const place = numbered++;
  return { bit: 1 << (place % 32), word: place < 32 ? 0 : 1 };
}

function certainOf(word: 0 | 1): number {
  return ALL.filter((cause) => cause.certain && cause.word === word).reduce((bits, { bit }) => bits | bit, 0);
}

function certain(outcome: number, clause: string, text: string): CertainCause {
  return { ...nextBit(), outcome, certain: true, clause, text, spec: '' };
}

/** @param spec in tests/spec/scoreboard, without `.spec.ts`, or arguments of a run */
function possible(outcome: number, clause: string, text: string, spec: string): PossibleCause {
  const file = spec.startsWith('+') ? spec : `tests/spec/scoreboard/${spec}.spec.ts`;
  return { ...nextBit(), outcome, certain: false, clause, text, spec: file };
}
