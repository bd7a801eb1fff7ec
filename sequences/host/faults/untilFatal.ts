import { HostApiError, isDeviceFatal } from '../../../env/verbs/hostErrors.ts';
import type { HostApi } from '../../../env/verbs/hostApi.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';

/** Runs `work` until it is done, or until the device is gone that it needs. @returns the error then */
export function* untilFatal(work: Proc<unknown>): Proc<Error | undefined> {
  try {
    yield* work;
    return undefined;
  } catch (error) {
    if (isDeviceFatal(error)) return error;
    throw error;
  }
}

/**
 * As `untilFatal`, for work that counts on what peers of the device do: a call that it must not make while a device is gone is what came
 * of that, and ends it as well.
 */
export function* untilMisled(work: Proc<unknown>, hosts: readonly HostApi[]): Proc<Error | undefined> {
  try {
    return yield* untilFatal(work);
  } catch (error) {
    if (error instanceof HostApiError && hosts.some(({ deviceFatal }) => deviceFatal)) return error;
    throw error;
  }
}
