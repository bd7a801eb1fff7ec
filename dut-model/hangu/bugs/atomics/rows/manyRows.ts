/** How the bugs of manyFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { MANY, REVIVED } from '../atomicStimulus.ts';

export const MANY_ROWS = [
  {
    name: 'answers_of_byte',
    block: 'responses',
    description:
      'a responder with 256 resources for READs and atomics takes the byte of its context for their number, and has none',
    caughtBy: ['SCB_REFUSED'],
    needs: MANY,
  },
  {
    name: 'reads_unlimited',
    block: 'requester',
    description: 'a requester that may have 256 READs and atomics outstanding has any number',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: MANY,
  },
  {
    name: 'reads_one_more',
    block: 'requester',
    description: 'a requester has one READ or atomic more outstanding than both sides have agreed upon',
    decides: 'RC FETCH_ADD, PSN #',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: MANY,
  },
  {
    name: 'answers_half',
    block: 'responses',
    description: 'a responder has room for 128 READs and atomics at most, whatever it has agreed to',
    caughtBy: ['SCB_REFUSED'],
    needs: MANY,
  },
  {
    name: 'atomic_never_forgiven',
    block: 'responder',
    description: 'an atomic that was dropped once is dropped again when it is permitted',
    decides: 'ATOMIC_FETCH_AND_ADD (wrId #, WQE #) posted',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS'],
    needs: REVIVED,
  },
] as const satisfies readonly FaultRow[];
