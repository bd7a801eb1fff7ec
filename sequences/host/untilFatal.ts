import { isDeviceFatal } from '../../env/verbs/hostErrors.ts';
import type { Proc } from '../../uvm/kernel/process.ts';

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
