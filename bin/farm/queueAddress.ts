/** Where the queue of a farm is: from the environment, for a command line shows its words to all users of a machine. */

import type { QueueAddress } from '../../regress/farm/schedulers/bullmq.ts';

/** Holds the address, with its password. */
export const REDIS_VARIABLE = 'RNIC_VERIFY_REDIS';
export const DEFAULT_QUEUE = 'rnic-verify';

/** A string says what is wrong. */
export function queueAddress(
  queue: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): QueueAddress | string {
  if (!/^[\w.-]{1,100}$/.test(queue)) return `--queue ${queue}: allowed: letters, digits, "_", "." and "-"`;
  const text = environment[REDIS_VARIABLE] ?? '';
  if (text === '') return `${REDIS_VARIABLE}: is not set; write redis://:<password>@<host>:6379 there`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What is wrong is not shown: it may hold the password.
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol))
    return `${REDIS_VARIABLE}: is no address of Redis; write redis://:<password>@<host>:6379, or rediss: with TLS`;
  if (url.password === '')
    return `${REDIS_VARIABLE}: has no password; who can write into the queue decides what its workers play: set requirepass in redis.conf`;
  return { url: text, queue };
}
