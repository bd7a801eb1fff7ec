import type { Proc } from '../../uvm/kernel/process.ts';
import type { HostApi, MrRequest } from './hostApi.ts';
import type { Mr, Pd } from './verbsObjects.ts';

/** What a region is to have in place of what it has: rights, a range, a protection domain. */
export interface MrChange extends Partial<MrRequest> {
  readonly pd?: Pd;
}

/**
 * Registers a region anew. That is not atomic: from the call to its return a request may find the old rights, the new ones, or none; and
 * the key may be another one. When the second half fails, the region is gone.
 * @returns what takes the place of `mr`, which is gone
 * @throws HostApiError as `deregMr` and `regMr`
 */
export function* reregMr(api: HostApi, mr: Mr, { pd = mr.pd, ...change }: MrChange): Proc<Mr> {
  const { hi, lo, length, access, zeroBased } = mr;
  yield* api.deregMr(mr);
  return yield* api.regMr(pd, { hi, lo, length, access, zeroBased, ...change });
}
