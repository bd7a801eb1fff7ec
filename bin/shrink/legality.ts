/** What makes a scenario legal by itself: a receive for each message, and fault rules that act. */

import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import { isWait } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import type { RunResult } from '../run/runSpec.ts';

const TAKES_RECEIVE: ReadonlySet<string> = new Set(['SEND', 'SEND_WITH_IMM', 'SEND_WITH_INV', 'RDMA_WRITE_WITH_IMM']);

/** Messages for which no receive is posted, of all queues together. */
export function missingReceivesOf(scenario: CallScenario): number {
  const steps = stepsOf(scenario);
  const queues = queuesOf(steps);
  const peers = peersOf(steps);
  const left = new Map<string, number>();
  const count = (queue: string, by: number): void => void left.set(queue, (left.get(queue) ?? 0) + by);
  for (const step of steps) {
    if (isWait(step)) continue;
    const { call, on } = step;
    if (call === 'postRecv') count(queues.get(on) ?? on, -(step.args?.requests.length ?? 0));
    if (call === 'postSrqRecv') count(on, -(step.args?.requests.length ?? 0));
    if (call !== 'postSend') continue;
    for (const { opcode, to } of step.args?.requests ?? []) {
      const dest = to ?? peers.get(on);
      if (TAKES_RECEIVE.has(opcode) && dest !== undefined) count(queues.get(dest) ?? dest, 1);
    }
  }
  return [...left.values()].reduce((sum, messages) => sum + Math.max(0, messages), 0);
}

/** Shared receive queues by the queue pairs that take their receives from them. */
function queuesOf(steps: readonly CallStep[]): Map<string, string> {
  const queues = new Map<string, string>();
  for (const step of steps)
    if (!isWait(step) && step.call === 'createQp' && step.as !== undefined && step.args?.srq !== undefined)
      queues.set(step.as, step.args.srq);
  return queues;
}

/** Queue pairs by those that they are connected with. */
function peersOf(steps: readonly CallStep[]): Map<string, string> {
  const peers = new Map<string, string>();
  for (const step of steps) {
    if (isWait(step) || (step.call !== 'connectQp' && step.call !== 'modifyQp')) continue;
    const peer = step.args?.peer;
    if (peer !== undefined) peers.set(step.on, peer);
  }
  return peers;
}

/** Fault rules that must act, and have not. */
export function idleRulesOf({ faults, pcieFaults }: Pick<RunResult, 'faults' | 'pcieFaults'>): string[] {
  const rules = [...(faults?.rules ?? []), ...(pcieFaults ?? [])];
  return rules.filter(({ mustFire, fired }) => mustFire && fired === 0).map(({ text }) => text);
}
