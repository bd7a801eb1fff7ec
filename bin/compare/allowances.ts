/**
 * What two kinds of NIC may do differently with the same work, as rows: a capability or a field of the profile in which they
 * differ, and the statuses that follow from it. Any other difference of a status is a finding.
 */

import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';
import type { Profile } from '../../scoreboard/model/profile.ts';
import type { TransportChoices } from '../../scoreboard/model/transportChoices.ts';

/** What a kind says of itself. */
export interface Declared {
  readonly name: string;
  readonly limits: Pick<DeviceLimits, 'capabilities'>;
  readonly profile: Profile;
}

/** A difference that is in order. */
export interface Allowance {
  /** The capability or field of the profile, as its kind declares it. */
  readonly field: string;
  /** Whether status `x` of one kind and `y` of the other may differ so. */
  allows(one: Declared, x: number, other: Declared, y: number): boolean;
}

const REFUSED: readonly number[] = [
  WC_STATUS.remInvReqErr,
  WC_STATUS.remAccessErr,
  WC_STATUS.remOpErr,
  WC_STATUS.rnrRetryExcErr,
];
/** Of a receive that a message did not fit, and of one that was only flushed. */
const RECEIVE_ENDS: readonly number[] = [WC_STATUS.locLenErr, WC_STATUS.locProtErr, WC_STATUS.wrFlushErr];

/** Rows are read in both directions: `one` is the kind that has it. */
const ALLOWANCES: readonly Allowance[] = [
  {
    field: 'capabilities.naks',
    allows: (one, x, other, y) =>
      !one.limits.capabilities.naks &&
      other.limits.capabilities.naks &&
      (isRefusal(x, y) || (RECEIVE_ENDS.includes(x) && RECEIVE_ENDS.includes(y))),
  },
  {
    field: 'profile.refusesInSilence',
    allows: (one, x, other, y) =>
      one.profile.refusesInSilence === true && other.profile.refusesInSilence !== true && isRefusal(x, y),
  },
  {
    field: 'profile.discardsAtomics',
    allows: (one, x, other, y) =>
      one.profile.discardsAtomics === true && other.profile.discardsAtomics !== true && isRefusal(x, y),
  },
  {
    field: 'profile.knowsReceives',
    allows: (one, x, other, y) =>
      one.profile.knowsReceives === true &&
      other.profile.knowsReceives !== true &&
      x === WC_STATUS.remInvReqErr &&
      REFUSED.includes(y),
  },
  {
    field: 'profile.anyDomain',
    allows: (one, x, other, y) =>
      one.profile.anyDomain === true &&
      other.profile.anyDomain !== true &&
      x === WC_STATUS.success &&
      y === WC_STATUS.remAccessErr,
  },
  {
    field: 'profile.failedReads',
    allows: (one, x, other, y) => {
      const [a, b] = [one.profile.failedReads, other.profile.failedReads];
      return (
        a !== undefined &&
        ((x === a.data && y === (b?.data ?? WC_STATUS.locProtErr)) ||
          (x === a.queue && y === (b?.queue ?? WC_STATUS.locQpOpErr)))
      );
    },
  },
  ...choices('tooLongReceive', 'badReceiveEntry', 'tooLongDatagram', 'unexpectedResponse', 'failedInvalidate'),
];

/** The field that lets status `x` of one kind differ from `y` of the other; undefined where none does. */
export function allowanceOf(a: Declared, x: number, b: Declared, y: number): string | undefined {
  return ALLOWANCES.find(({ allows }) => allows(a, x, b, y) || allows(b, y, a, x))?.field;
}

/**
 * The field that lets receives be flushed on one of two kinds only; undefined where none does. A responder that answers what it
 * refuses goes to the error state with that; one that says nothing stays as it is.
 */
export function flushAllowance(a: Declared, b: Declared): string | undefined {
  return a.limits.capabilities.naks === b.limits.capabilities.naks ? undefined : 'capabilities.naks';
}

/** A requester that hears nothing of a refusal tries until it gives up. */
function isRefusal(silent: number, told: number): boolean {
  return silent === WC_STATUS.retryExcErr && REFUSED.includes(told);
}

type StatusChoice = {
  [K in keyof TransportChoices]: TransportChoices[K] extends number ? K : never;
}[keyof TransportChoices];

function choices(...fields: readonly StatusChoice[]): readonly Allowance[] {
  return fields.map((field) => ({
    field: `profile.choices.${field}`,
    allows: (one, x, other, y) =>
      one.profile.choices[field] !== other.profile.choices[field] &&
      x === one.profile.choices[field] &&
      y === other.profile.choices[field],
  }));
}
