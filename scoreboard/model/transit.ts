/**
 * Messages of unreliable queue pairs that were posted and have not reached their receiver, in the order of posting. What
 * becomes of each is known when it arrives, or when nothing is in flight any more.
 */

import { type Message, NO_MESSAGE, STAGE } from './work.ts';

/** How many messages of all queue pairs are on their way. */
interface Transits {
  inTransit: number;
}

/** A message is posted. */
export function enterTransit(s: Transits, r: Message): void {
  const { transit } = r.qp;
  if (!transit.tail.exists) transit.head = r;
  else transit.tail.link = r;
  transit.tail = r;
  transit.count++;
  s.inTransit++;
  r.stage = STAGE.inTransit;
}

/** It has arrived, or never will. */
export function leaveTransit(s: Transits, r: Message): void {
  const { transit } = r.qp;
  let before: Message = NO_MESSAGE;
  for (let at = transit.head; at !== r; at = at.link) before = at;
  if (!before.exists) transit.head = r.link;
  else before.link = r.link;
  if (transit.tail === r) transit.tail = before;
  transit.count--;
  s.inTransit--;
  r.link = NO_MESSAGE;
  r.stage = STAGE.posted;
}
