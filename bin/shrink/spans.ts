/** Parts of a scenario that can be taken out: from whole hosts down to one entry of a list. */

import { STALL_TIME } from './stallTime.ts';
import { type CallScenario, type CallSend, type CallStep, isWait } from '../../config/scenario/calls/callScenario.ts';
import { namesOf } from '../../config/scenario/calls/callNames.ts';
import { pcieRulesOf, withPcieRules } from './faultAddresses.ts';
import { pruned, stepsOf, withoutSteps, withSteps } from '../../config/scenario/calls/callEdits.ts';

/** One kind of parts. */
export interface SpanKind {
  readonly name: string;
  /** Keys of the parts that a scenario has; equal ones of two scenarios mean the same part. */
  parts(scenario: CallScenario): readonly unknown[];
  /** The scenario without some of them. */
  without(scenario: CallScenario, parts: ReadonlySet<unknown>): CallScenario;
}

/** From large to small: connections before hosts, of which most are needed as long as there are many connections. */
export const SPANS: readonly SpanKind[] = [
  {
    name: 'connections',
    parts: (scenario) => [...new Set(connectionsOf(scenario).values())],
    without: (scenario, gone) => {
      const of = connectionsOf(scenario);
      return withoutNamed(scenario, (name) => gone.has(of.get(name)));
    },
  },
  {
    name: 'hosts',
    parts: ({ hosts }) => (hosts > 2 ? Array.from({ length: hosts }, (_, host) => host) : []),
    without: (scenario, hosts) => withoutNamed(scenario, (name) => hosts.has(hostNumber(name))),
  },
  {
    name: 'threads',
    parts: ({ stages }) => stages.flatMap(({ threads }) => threads.map(({ steps }) => steps[0])),
    without: (scenario, firsts) => {
      const gone = scenario.stages.flatMap(({ threads }) => threads.filter(({ steps }) => firsts.has(steps[0])));
      return withoutSteps(scenario, new Set(gone.flatMap(({ steps }) => steps)));
    },
  },
  fieldsOf('parameters'),
  {
    name: 'fault rules',
    parts: ({ faults }) => faults,
    without: (scenario, rules) => ({ ...scenario, faults: scenario.faults.filter((rule) => !rules.has(rule)) }),
  },
  {
    name: 'PCIe fault rules',
    parts: (scenario) => pcieRulesOf(scenario),
    without: (scenario, rules) =>
      withPcieRules(
        scenario,
        pcieRulesOf(scenario).filter((rule) => !rules.has(rule)),
      ),
  },
  fieldsOf('laziness'),
  {
    name: 'steps',
    parts: stepsOf,
    without: (scenario, steps) => withoutSteps(scenario, steps as ReadonlySet<CallStep>),
  },
  listed(
    'requests',
    ({ call, args }) => (call === 'postSend' || call === 'postRecv' ? args?.requests : undefined),
    'requests',
  ),
  listed('regions', ({ call, args }) => (call === 'regMr' ? args?.regions : undefined), 'regions'),
  listed('deregistered regions', ({ call, args }) => (call === 'deregMr' ? args?.mrs : undefined), 'mrs'),
  {
    name: 'entries',
    parts: (scenario) => stepsOf(scenario).flatMap((step) => requestsOf(step).flatMap(({ sges }) => sges)),
    without: (scenario, gone) =>
      withRequests(scenario, (request) => ({ ...request, sges: request.sges.filter((sge) => !gone.has(sge)) })),
  },
  {
    name: 'flags',
    parts: (scenario) => stepsOf(scenario).flatMap((step) => requestsOf(step).filter(hasFlags)),
    without: (scenario, gone) =>
      withRequests(scenario, (request) => {
        if (!gone.has(request)) return request;
        const { flags: _, ...plain } = request as CallSend;
        return plain;
      }),
  },
];

/** Nothing but the queue pairs of some names and those that they are joined with. */
export function onlyConnectionsOf(scenario: CallScenario, names: ReadonlySet<string>): CallScenario {
  const of = connectionsOf(scenario);
  const kept = new Set([...names].map((name) => of.get(name)));
  return withoutNamed(scenario, (name) => of.has(name) && !kept.has(of.get(name)));
}

/** Requests that a step posts. */
export function requestsOf(step: CallStep): readonly CallSend[] {
  if (isWait(step) || (step.call !== 'postSend' && step.call !== 'postRecv')) return [];
  return (step.args?.requests ?? []) as readonly CallSend[];
}

/** Changes requests; those that are not changed must be handed back as they are. */
function withRequests(scenario: CallScenario, change: (request: CallSend) => object): CallScenario {
  return withSteps(scenario, (step) => {
    const requests = requestsOf(step);
    const changed = requests.map(change);
    if (changed.every((request, i) => request === requests[i])) return step;
    return { ...step, args: { requests: changed } } as CallStep;
  });
}

function hasFlags({ flags = [] }: CallSend): boolean {
  return flags.length > 0;
}

function hostNumber(name: string): number {
  return Number(/^host(\d+)/.exec(name)?.[1] ?? -1);
}

/** Without all steps that name any such object. */
function withoutNamed(scenario: CallScenario, isGone: (name: string) => boolean): CallScenario {
  const isOf = (step: CallStep): boolean => {
    const made = isWait(step) || step.as === undefined ? [] : [step.as];
    return [...namesOf(step), ...made].some(isGone);
  };
  return pruned(withSteps(scenario, (step) => (isOf(step) ? undefined : step)));
}

/** Queue pairs by the names of the first of those that they are joined with. */
function connectionsOf(scenario: CallScenario): Map<string, string> {
  const first = new Map<string, string>();
  const find = (name: string): string => {
    const above = first.get(name) ?? name;
    return above === name ? name : find(above);
  };
  for (const step of stepsOf(scenario)) {
    if (isWait(step)) continue;
    if (step.call === 'createQp' && step.as !== undefined) first.set(step.as, step.as);
    const peer = step.call === 'connectQp' || step.call === 'modifyQp' ? step.args?.peer : undefined;
    if (peer !== undefined) first.set(find(step.on), find(peer));
    for (const { to } of requestsOf(step)) if (to !== undefined) first.set(find(step.on), find(to));
  }
  return new Map([...first.keys()].map((name) => [name, find(name)]));
}

function fieldsOf(name: 'parameters' | 'laziness'): SpanKind {
  return {
    name,
    // Without the stall time, runs would wait for the usual one again.
    parts: (scenario) => Object.keys(scenario[name]).filter((field) => field !== STALL_TIME),
    without: (scenario, gone) => {
      const left = Object.entries(scenario[name]).filter(([field]) => !gone.has(field));
      return { ...scenario, [name]: Object.fromEntries(left) };
    },
  };
}

type Call = Extract<CallStep, { readonly call: unknown }>;

/** What stands in a list of a call. */
function listed(name: string, listOf: (call: Call) => readonly unknown[] | undefined, field: string): SpanKind {
  const list = (step: CallStep): readonly unknown[] => (isWait(step) ? [] : (listOf(step) ?? []));
  return {
    name,
    // A list of one goes with its call.
    parts: (scenario) =>
      stepsOf(scenario).flatMap((step) => (list(step).length < 2 ? [] : list(step).map((entry) => keyOf(step, entry)))),
    without: (scenario, gone) =>
      pruned(
        withSteps(scenario, (step) => {
          const entries = list(step);
          const left = entries.filter((entry) => !gone.has(keyOf(step, entry)));
          if (left.length === entries.length) return step;
          return { ...step, args: { ...(step as Call).args, [field]: left } } as CallStep;
        }),
      ),
  };
}

/** An entry itself; of a name, which others may have as well, with its call. */
function keyOf(step: CallStep, entry: unknown): unknown {
  return typeof entry === 'object' ? entry : `${isWait(step) ? '' : step.on} ${String(entry)}`;
}
