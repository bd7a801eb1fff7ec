/** Which requests a fence is about, in words. Slow; asked only on a finding. */

import { firstSent, type Message, type QueuePair } from './work.ts';
import { qpName, shortRequestName } from './names.ts';
import { OP_ATOMIC, OP_READ, operationKind } from './operations.ts';

/**
 * A fenced request that was sent too early, and the oldest request in front of it without an answer.
 * @param number the request of queue pair `q`, counted from 0
 * @param open READs and atomics without an answer when it was sent, which are the last ones in front of it
 */
export function fenceText(q: QueuePair, number: number, open: number): string {
  const queue = outstanding(q);
  const place = queue.length - (q.sq.posted - number);
  const fenced = queue[place];
  const name = fenced === undefined ? `request ${number}` : shortRequestName(fenced);
  const oldest = queue
    .slice(0, Math.max(0, place))
    .filter((r) => isFetching(r))
    .at(-open);
  const which = open === 1 ? 'the READ or atomic in front of it' : `${open} READs and atomics in front of it`;
  const first = oldest === undefined ? '' : `, first ${shortRequestName(oldest)}`;
  return `${name} of ${qpName(q)} is fenced, and leaves before the answer to ${which}${first}`;
}

function outstanding(q: QueuePair): Message[] {
  const queue: Message[] = [];
  for (let r = firstSent(q.sq.head); r.exists; r = firstSent(r.next)) queue.push(r);
  return queue;
}

function isFetching(r: Message): boolean {
  return (operationKind(r.opcode) & (OP_READ | OP_ATOMIC)) !== 0;
}
