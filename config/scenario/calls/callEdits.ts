/** Changes to scenarios of calls. Each returns another scenario; what is not changed is shared with the one before. */

import { madeBy, memoryNames, namesOf, placeNames, requestNames } from './callNames.ts';
import { type CallScenario, type CallStep, FAULT_PORTS, isWait } from './callScenario.ts';

/** The steps of a scenario in the order of the file. */
export function stepsOf({ stages }: CallScenario): CallStep[] {
  return stages.flatMap(({ threads }) => threads.flatMap(({ steps }) => steps));
}

/** Puts others in the place of steps; undefined takes one out. Threads and stages without steps go as well. */
export function withSteps(scenario: CallScenario, change: (step: CallStep) => CallStep | undefined): CallScenario {
  const stages = scenario.stages
    .map(({ threads }) => ({
      threads: threads
        .map((thread) => ({ ...thread, steps: thread.steps.map(change).filter((step) => step !== undefined) }))
        .filter(({ steps }) => steps.length > 0),
    }))
    .filter(({ threads }) => threads.length > 0);
  return { ...scenario, stages };
}

/** Takes steps out, with everything that needs what they have made. */
export function withoutSteps(scenario: CallScenario, gone: ReadonlySet<CallStep>): CallScenario {
  return pruned(withSteps(scenario, (step) => (gone.has(step) ? undefined : step)));
}

/** Takes out what needs objects that nothing makes, as often as that leaves more of it; and hosts at the end that do nothing. */
export function pruned(scenario: CallScenario): CallScenario {
  let now = scenario;
  for (;;) {
    const made = madeIn(now);
    const next = withSteps(now, (step) => complete(step, made));
    if (stepsOf(next).length === stepsOf(now).length && stepsOf(next).every((step, i) => step === stepsOf(now)[i]))
      return withHosts(next);
    now = next;
  }
}

function madeIn(scenario: CallScenario): ReadonlySet<string> {
  // Without openDevice nothing can be asked of a host.
  const opened = stepsOf(scenario).filter((step) => !isWait(step) && step.call === 'openDevice');
  return new Set<string>([
    ...FAULT_PORTS,
    ...opened.map(({ on }) => on as string),
    ...stepsOf(scenario).flatMap(madeBy),
  ]);
}

/** A step without what needs objects that are missing; undefined when nothing is left of it. */
function complete(step: CallStep, made: ReadonlySet<string>): CallStep | undefined {
  if (!isWait(step) && step.call === 'openDevice') return step;
  if (namesOf(step).every((name) => made.has(name))) return isEmpty(step) ? undefined : step;
  const has = (names: readonly string[]): boolean => names.every((name) => made.has(name));
  if (isWait(step) || !made.has(step.on)) return undefined;
  if (step.call === 'regMr' && step.args !== undefined)
    return filled({ ...step, args: { regions: step.args.regions.filter((region) => has(placeNames(region))) } });
  if (step.call === 'deregMr' && step.args !== undefined)
    return filled({ ...step, args: { mrs: step.args.mrs.filter((mr) => made.has(mr)) } });
  if (step.call === 'postSend' && step.args !== undefined)
    return filled({ ...step, args: { requests: step.args.requests.filter((request) => has(requestNames(request))) } });
  if ((step.call === 'postRecv' || step.call === 'postSrqRecv') && step.args !== undefined)
    return filled({
      ...step,
      args: { requests: step.args.requests.filter(({ sges }) => has(sges.flatMap(memoryNames))) },
    });
  // Without what it shares it has receives of its own.
  if (step.call === 'createQp' && step.args?.srq !== undefined && !made.has(step.args.srq)) {
    const { srq: _gone, ...others } = step.args;
    return complete({ ...step, args: others }, made);
  }
  return undefined;
}

function filled(step: CallStep): CallStep | undefined {
  return isEmpty(step) ? undefined : step;
}

/** A list of nothing. */
function isEmpty(step: CallStep): boolean {
  if (isWait(step)) return false;
  if (step.call === 'regMr') return step.args?.regions.length === 0;
  if (step.call === 'deregMr') return step.args?.mrs.length === 0;
  if (step.call === 'postSend' || step.call === 'postRecv' || step.call === 'postSrqRecv')
    return step.args?.requests.length === 0;
  return false;
}

const FEWEST_HOSTS = 2;

function withHosts(scenario: CallScenario): CallScenario {
  const text = JSON.stringify(scenario.stages);
  const made = madeIn(scenario);
  let { hosts } = scenario;
  const isUsed = (host: number): boolean => text.includes(`"host${host}"`) || text.includes(`"host${host}.`);
  while (hosts > FEWEST_HOSTS && !isUsed(hosts - 1) && !text.includes(`"host":${hosts - 1}`)) hosts--;
  const laziness = Object.fromEntries(Object.entries(scenario.laziness).filter(([queue]) => made.has(queue)));
  return { ...scenario, hosts, laziness };
}
