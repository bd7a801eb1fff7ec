import { DONE } from '../../env/verbs/done.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { SideCalls } from './waits/sideCalls.ts';

/** The host API as sequences have it: calls that take time are noted until somebody begins them, as those of a side are. */
export function notedApi(api: HostApi, calls: SideCalls): HostApi {
  return new Proxy(api, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        return isBody(result) ? calls.madeOfHost(String(name), target.host, result) : result;
      };
    },
  });
}

/** Whether a call has returned what is still to be done: some have done their work at once. */
function isBody(result: unknown): result is Proc<unknown> {
  return typeof result === 'object' && result !== null && result !== DONE && 'next' in result && 'throw' in result;
}
