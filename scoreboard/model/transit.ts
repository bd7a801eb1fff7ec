/**
 * Messages of unreliable queue pairs that were posted and have not reached their receiver, in the order of posting. What
 * becomes of each is known when it arrives, or when nothing is in flight any more.
 */

import { type Message, NO_MESSAGE, type QueuePair } from './work.ts';

/** A message is posted. */
export function enterTransit(q: QueuePair, r: Message): void {
  const { transit } = q;
  if (!transit.tail.exists) transit.head = r;
  else transit.tail.link = r;
  transit.tail = r;
  transit.count++;
  r.inTransit = true;
}

/** It has arrived, or never will. */
export function leaveTransit(q: QueuePair, r: Message): void {
  const { transit } = q;
  let before: Message = NO_MESSAGE;
  for (let at = transit.head; at !== r; at = at.link) before = at;
  if (!before.exists) transit.head = r.link;
  else before.link = r.link;
  if (transit.tail === r) transit.tail = before;
  transit.count--;
  r.link = NO_MESSAGE;
  r.inTransit = false;
}
