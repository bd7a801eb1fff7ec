/** A registry and a `runOne` for specs: behaves as its plusargs say, without any simulation. */

import { HANGU_KIND } from '../../../dut-model/hangu/driver/kind/hanguKind.ts';
import type { PlayOne } from '../../../bin/run/playCommand.ts';
import type { Registry } from '../../../bin/registry.ts';
import type { RunHooks, RunResult, RunSpec } from '../../../bin/run/runSpec.ts';
import { createHash } from 'node:crypto';
import { Factory } from '../../../uvm/base/factory.ts';

/** Two tests, one NIC with one fault. */
export function fakeRegistry(): Registry {
  const named = (name: string) => ({ name, description: `about ${name}`, file: `tests/${name}.ts` });
  return {
    factory: new Factory(),
    tests: [named('test_direct_param'), named('test_random')],
    sequences: [named('ping_pong')],
    plusargs: new Map(['FAKE', 'FAKE_ID', 'FAKE_ONCE', 'FAKE_LATE'].map((name) => [name, 'how a run ends'])),
    without: [],
    nics: [
      {
        name: 'hangu',
        description: 'a model',
        faults: [{ name: 'lost_ack', description: 'forgets one acknowledgement' }],
        knobs: [{ name: 'SIZE', description: 'how large', default: 5, lowest: 1, highest: 99 }],
        ...HANGU_KIND,
        nic: () => () => {
          throw new Error('not built in specs');
        },
      },
    ],
  };
}

/** Plays of runs that go otherwise every time, by their arguments. */
const plays = new Map<string, number>();

/** `+FAKE=flaky` fails every other time, with another transcript. */
function isFlakyNow(spec: RunSpec): boolean {
  const key = `${spec.seed} ${spec.plusargs.join(' ')}`;
  const count = plays.get(key) ?? 0;
  plays.set(key, count + 1);
  return count % 2 === 0;
}

/** `+FAKE=fail|vacuous|error|drift|flaky|busy|long|throw|off`; the transcript depends on seed and plusargs, with `drift` on chance too. `+FAKE_ID=` is the finding. */
export function fakeResult(spec: RunSpec, hooks: RunHooks): RunResult {
  const what = spec.plusargs.find((arg) => arg.startsWith('+FAKE='))?.slice('+FAKE='.length) ?? 'pass';
  hooks.sink('UVM_INFO @ 0ns: reporter [RNTST] Running');
  hooks.heartbeat?.({ simulatedTimePs: 5, done: 1, total: 2 });
  if (what === 'throw') throw new Error('thrown in the run');
  for (const end = performance.now() + 30_000; what === 'long' && performance.now() < end; ) {
    const limit = hooks.heartbeat?.({ simulatedTimePs: 5, done: 1, total: 2 });
    if (limit !== undefined) return givenUp(typeof limit === 'string' ? limit : limit.text);
  }
  for (const end = performance.now() + 20; what === 'busy' && performance.now() < end; );
  const flaky = what === 'flaky' && isFlakyNow(spec);
  const id = spec.plusargs.find((arg) => arg.startsWith('+FAKE_ID='))?.slice('+FAKE_ID='.length) ?? 'SCB_DATA';
  const signature = { id, component: 'uvm_test_top.env.sb', message: 'byte 3 differs', time: 7 };
  const failed = what === 'fail' || what === 'error' || flaky;
  const drift = what === 'drift' || flaky ? process.hrtime.bigint() : 0;
  const essence = spec.plusargs.filter((arg) => !/^\+(UVM_VERBOSITY|PCAP)/.test(arg)).join(' ');
  const hash = createHash('md5').update(`${spec.seed} ${essence} ${drift}`).digest('hex');
  return {
    verdict:
      what === 'fail' || flaky ? 'failed' : what === 'vacuous' ? 'vacuous' : what === 'error' ? 'error' : 'passed',
    message: failed ? 'byte 3 differs' : '',
    signature: failed ? signature : null,
    ...(failed ? { findings: { errors: [{ id, text: 'byte # differs' }], isWhole: true } } : {}),
    endedBy: null,
    unused: spec.plusargs.filter((arg) => arg === '+SEQ_COUNT=3').map((arg) => `${arg} never took effect`),
    counts: {
      checks: what === 'vacuous' ? 0 : 12,
      UVM_ERROR: failed ? 1 : 0,
      errors_switched_off: what === 'off' ? 2 : 0,
    },
    simulatedTimePs: 1_500_000,
    transcript: { hash, events: 99 },
    parameters: { HOST_NUM: 2 },
  };
}

/** A run that ends as its plusargs say. */
export const fakePlay: PlayOne = opened(fakeResult);

/** What plays runs of which the results are given. */
export function opened(play: (spec: RunSpec, hooks: RunHooks) => RunResult): PlayOne {
  return (spec, _registry, hooks) => {
    const result = play(spec, hooks);
    return { conclude: (late = []) => (late.length === 0 ? result : { ...result, ...brokenBy(late[0]) }) };
  };
}

function brokenBy(error: unknown): Pick<RunResult, 'verdict' | 'message' | 'signature'> {
  const signature = { id: 'EXCEPTION', component: 'reporter', message: String(error), time: 7 };
  return { verdict: 'error', message: signature.message, signature };
}

/** As `runOne` ends at the wall-clock limit. */
function givenUp(message: string): RunResult {
  const signature = { id: 'RUN_LIMIT', component: 'reporter', message, time: 5 };
  const transcript = { hash: 'abc', events: 1 };
  const counts = { checks: 0 };
  const rest = { endedBy: null, unused: [], counts, simulatedTimePs: 5, transcript, parameters: {} };
  return { verdict: 'error', message, signature, ...rest };
}
