/** Goal 4 compares with a network simulator that is not part of the project: done by hand, now and then. */

import { type Goal, type Target, unmeasuredRow } from '../goal.ts';

const TITLE = 'packets against a network simulator';
const TARGET: Target = { direction: 'at least', target: 0.4, stretch: 0.6 };

export const PACKETS: Goal = {
  number: 4,
  title: TITLE,
  measure: () => Promise.resolve([unmeasuredRow('4', TITLE, TARGET, 'offline check, not measured here')]),
};
