/** The API of a host, with everything written down that is asked of it. */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { DONE } from '../../env/verbs/done.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Refusal } from '../../env/verbs/refusal.ts';
import type { Cq, Mr, Qp } from '../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { CallStep } from '../../config/scenario/calls/callScenario.ts';
import type { CallRecorder } from './callRecorder.ts';
import { type BegunCall, begunCall, hostName } from './recordedCalls.ts';

type Method = (...args: unknown[]) => unknown;

export function recordedApi(api: HostApi, recorder: CallRecorder): HostApi {
  const instead: Readonly<Record<string, Method>> = {
    pollCq: (cq, wc) => {
      const found = api.pollCq(cq as Cq, wc as WorkCompletion);
      if (found) recorder.polled(cq as Cq, wc as WorkCompletion);
      return found;
    },
    createCq: (...args) => watched(api, recorder, args),
    refusals: (qp, mr) => refusals(api, recorder, qp as Qp, mr as Mr),
  };
  const data = new Proxy(api.data, {
    get: (target, name): unknown => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'write') noteWrite(recorder, api, args as unknown as WriteArguments);
        return Reflect.apply(value, target, args);
      };
    },
  });
  return new Proxy(api, {
    get: (target, name): unknown => {
      if (name === 'data') return data;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (Object.hasOwn(instead, name)) return instead[String(name)];
      return (...args: unknown[]): unknown => {
        const begun = begunCall(String(name), args, recorder.names, api);
        const make = (): unknown => Reflect.apply(value, target, args);
        return begun === undefined ? make() : recorded(recorder, begun, make);
      };
    },
  });
}

/** Makes a call that is written down. */
function recorded(recorder: CallRecorder, begun: BegunCall, make: () => unknown): unknown {
  const step = recorder.begin(begun);
  let result: unknown;
  try {
    result = make();
  } catch (error) {
    recorder.failed(step, error);
    throw error;
  }
  if (isBody(result)) return followed(recorder, begun, step, result);
  recorder.end(step, begun, result);
  return result;
}

function* followed(
  recorder: CallRecorder,
  begun: BegunCall,
  step: ReturnType<CallRecorder['begin']>,
  body: Proc<unknown>,
): Proc<unknown> {
  try {
    const result = yield* body;
    recorder.end(step, begun, result);
    return result;
  } catch (error) {
    recorder.failed(step, error);
    throw error;
  }
}

function* watched(api: HostApi, recorder: CallRecorder, args: readonly unknown[]): Proc<Cq> {
  const begun = begunCall('createCq', args, recorder.names, api) as BegunCall;
  const [process, request] = args as Parameters<HostApi['createCq']>;
  const cq = yield* recorded(recorder, begun, () => api.createCq(process, request)) as Proc<Cq>;
  recorder.watch(cq);
  return cq;
}

/** Commands that the NIC must refuse, written down when they are given. */
function refusals(api: HostApi, recorder: CallRecorder, qp: Qp, mr: Mr): readonly Refusal[] {
  const { names } = recorder;
  return api.refusals(qp, mr).map(({ what, give }) => {
    const step = { call: 'refusedCommand', on: names.of(qp), args: { mr: names.of(mr), what } } as CallStep;
    return { what, give: () => recorded(recorder, { step }, give) as Proc<void> };
  });
}

type WriteArguments = readonly [process: number, hi: number, lo: number, data: Uint8Array];

function noteWrite(recorder: CallRecorder, api: HostApi, [process, hi, lo, data]: WriteArguments): void {
  const place = recorder.names.place(api.host, hi, lo);
  const args = { process, ...place, bytes: Buffer.from(data).toString('hex') };
  const begun = { step: { call: 'write', on: hostName(api), args } as CallStep };
  recorder.end(recorder.begin(begun), begun, undefined);
}

/** Whether a call has returned what is still to be done: some have done their work at once. */
function isBody(result: unknown): result is Proc<unknown> {
  return typeof result === 'object' && result !== null && result !== DONE && 'next' in result && 'throw' in result;
}
