/** Lists of requests in which one is wrong. */
import type { Proc } from '../../uvm/kernel/process.ts';
import { DONE } from './done.ts';
import { HostApiError } from './hostErrors.ts';

/**
 * A list could not be posted as a whole: posts what is in front of the request that is wrong.
 * @param post posts so many requests of it
 * @throws error, at once where that took no time
 */
export function postedBefore(error: unknown, post: (right: number) => Proc<void>): Proc<void> {
  if (!(error instanceof HostApiError) || error.index <= 0) throw error;
  const posted = post(error.index);
  if (posted === DONE) throw error;
  return failing(posted, error);
}

function* failing(posted: Proc<void>, error: HostApiError): Proc<void> {
  yield* posted;
  throw error;
}
