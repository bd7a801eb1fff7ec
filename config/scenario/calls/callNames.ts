/** Which objects a step makes and needs. */

import {
  type CallChange,
  type CallKey,
  type CallMemory,
  type CallPlace,
  type CallQp,
  type CallStep,
  isWait,
} from './callScenario.ts';

/** Names of what it makes. */
export function madeBy(step: CallStep): readonly string[] {
  if (isWait(step)) return [];
  const regions = step.call === 'regMr' ? (step.args?.regions ?? []).map(({ mr }) => mr) : [];
  return step.as === undefined ? regions : [step.as, ...regions];
}

/** Names of what it needs, some perhaps twice. */
export function namesOf(step: CallStep): readonly string[] {
  if (isWait(step)) return step.on === undefined ? [] : [step.on];
  return [step.on, ...argumentNames(step)];
}

/** The queue pair whose memory an area is: `host0.qp1` of `host0.qp1.source`. */
function ownerOfArea(area: string): string {
  return area.replace(/\.(?:source|receive|cardSource|cardReceive)$/, '');
}

function argumentNames(step: Exclude<CallStep, { readonly wait: string }>): string[] {
  switch (step.call) {
    case 'regMr':
      return (step.args?.regions ?? []).flatMap(placeNames);
    case 'deregMr':
      return [...(step.args?.mrs ?? [])];
    case 'createQp':
      return step.args === undefined ? [] : queuesOf(step.args);
    case 'modifyQp':
    case 'connectQp':
      return step.args?.peer === undefined ? [] : [step.args.peer];
    case 'postSend':
      return (step.args?.requests ?? []).flatMap(requestNames);
    case 'postRecv':
    case 'postSrqRecv':
      return (step.args?.requests ?? []).flatMap(({ sges }) => sges.flatMap(memoryNames));
    case 'write':
      return step.args === undefined ? [] : placeNames(step.args);
    case 'refusedCommand':
      return step.args === undefined ? [] : [step.args.mr];
    case 'inject':
      return step.args === undefined ? [] : [step.args.from, step.args.to, ...memoryNamesOf(step.args.remote)];
    case 'addFault':
    case 'stopFault':
    case 'openDevice':
    case 'closeDevice':
    case 'allocPd':
    case 'deallocPd':
    case 'allocMw':
    case 'deallocMw':
    case 'allocMr':
    case 'deallocMr':
    case 'createCq':
    case 'resizeCq':
    case 'armCq':
    case 'destroyCq':
    case 'createSrq':
    case 'modifySrq':
    case 'querySrq':
    case 'destroySrq':
    case 'queryCq':
    case 'queryMr':
    case 'createAh':
    case 'queryAh':
    case 'destroyAh':
    case 'destroyQp':
    case 'queryQp':
    case 'maskEvents':
      return [];
  }
}

function queuesOf({ sendCq, recvCq, srq }: CallQp): string[] {
  return srq === undefined ? [sendCq, recvCq] : [sendCq, recvCq, srq];
}

/** Names that a request needs. */
export function requestNames(request: {
  readonly sges: readonly CallMemory[];
  readonly remote?: CallMemory | undefined;
  readonly ah?: string | undefined;
  readonly to?: string | undefined;
  readonly invalidates?: CallKey | undefined;
  readonly change?: CallChange | undefined;
}): string[] {
  const { sges, remote, ah, to, invalidates, change } = request;
  const keys = [invalidates?.of, change?.key.of, change?.mr?.of].filter((name) => name !== undefined);
  const places = change === undefined ? [] : placeNames(change);
  return [
    ...sges.flatMap(memoryNames),
    ...memoryNamesOf(remote),
    ...keys,
    ...places,
    ...[ah, to].filter((name) => name !== undefined),
  ];
}

function memoryNamesOf(memory: CallMemory | undefined): string[] {
  return memory === undefined ? [] : memoryNames(memory);
}

export function memoryNames(memory: CallMemory): string[] {
  if (memory.mr !== undefined) return [memory.mr];
  return memory.of === undefined ? placeNames(memory) : [memory.of, ...placeNames(memory)];
}

export function placeNames({ area }: CallPlace): string[] {
  return area === undefined ? [] : [ownerOfArea(area)];
}
