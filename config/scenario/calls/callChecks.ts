/** What schemas cannot say of a scenario of calls: that times are times, rules are rules, and names are made before they are used. */

import { parseRule } from '../../../agents/link/faults/rule/parseRule.ts';
import { parsePcieRule } from '../../../agents/pcie/faults/rule/pcieLanguage.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import { parseTime, TimeFormatError } from '../../../uvm/kernel/time.ts';
import type { Found, Path } from '../file/crossChecks.ts';
import { checkSurroundings } from '../file/surroundings.ts';
import {
  type CallPacket,
  type CallScenario,
  type CallStep,
  FAULT_PORTS,
  isWait,
  WAITS,
  type WaitStep,
} from './callScenario.ts';
import { madeBy, namesOf } from './callNames.ts';
import { OPCODE_NAMES, opcodeOf } from './packetFields.ts';

/** Everything wrong with a scenario whose parts have the right shape. */
export function checkCalls(scenario: CallScenario): Found[] {
  return [
    ...checkSurroundings(scenario.parameters),
    ...scenario.faults.flatMap((rule, i) => ruleMistakes(rule, ['faults', i])),
    ...Object.entries(scenario.laziness).flatMap(([queue, delays]) =>
      Object.entries(delays).flatMap(([batch, time]) => timeMistakes(time, ['laziness', queue, batch])),
    ),
    ...checkSteps(scenario),
  ];
}

function checkSteps({ stages, hosts }: CallScenario): Found[] {
  const found: Found[] = [];
  const steps: { step: CallStep; path: Path }[] = [];
  for (const [s, { threads }] of stages.entries())
    for (const [t, thread] of threads.entries())
      for (const [k, step] of thread.steps.entries())
        steps.push({ step, path: ['stages', s, 'threads', t, 'steps', k] });
  const made = new Set<string>([...FAULT_PORTS, ...Array.from({ length: hosts }, (_, host) => `host${host}`)]);
  for (const { step, path } of steps) {
    for (const name of madeBy(step)) {
      if (made.has(name)) found.push({ path, message: `there is another ${name} already` });
      made.add(name);
    }
  }
  for (const { step, path } of steps) {
    for (const name of namesOf(step)) {
      if (!made.has(name)) found.push({ path, message: `nothing makes ${name}${didYouMean(name, made)}` });
    }
    if (isWait(step)) found.push(...waitMistakes(step, path));
    else if (step.call === 'addFault' && step.args !== undefined)
      found.push(...faultMistakes(step.on, step.args.rule, path));
    else if (step.call === 'inject' && step.args !== undefined)
      found.push(...packetMistakes(step.args, [...path, 'args']));
  }
  return found;
}

/** What is wrong with a rule of a port, and whether there is such a port. */
function faultMistakes(on: string, rule: string, path: Path): Found[] {
  const at = [...path, 'args', 'rule'];
  if (on === 'pcie') return parsePcieRule(rule).mistakes.map(({ message }) => ({ path: at, message }));
  if (on === 'link') return ruleMistakes(rule, at);
  return [{ path: [...path, 'on'], message: `"${on}" takes no fault rules; allowed: ${FAULT_PORTS.join(', ')}` }];
}

const NEED_OBJECT: ReadonlySet<string> = new Set(['completions', 'drained', 'event']);

function waitMistakes({ wait, time, on, id, queue }: WaitStep, at: Path): Found[] {
  if ((wait === 'until') !== (time !== undefined))
    return [{ path: at, message: 'a time goes with "wait: until", and with no other' }];
  if (time !== undefined) return timeMistakes(time, [...at, 'time']);
  if (wait === 'completion' && (on === undefined || id === undefined || queue === undefined))
    return [{ path: at, message: '"wait: completion" needs "on", "queue" and "id" of a request' }];
  if (NEED_OBJECT.has(wait) && on === undefined) return [{ path: at, message: `"wait: ${wait}" needs "on"` }];
  const path = [...at, 'wait'];
  if ((WAITS as readonly string[]).includes(wait)) return [];
  const mistakes = timeMistakes(wait, path);
  return mistakes.length === 0 || /^\d/.test(wait)
    ? mistakes
    : [
        {
          path,
          message: `"${wait}" is no wait; allowed: a time such as 1.5us, ${WAITS.join(', ')}${didYouMean(wait, WAITS)}`,
        },
      ];
}

function packetMistakes({ opcode, from, to, destQp, ahead, psn }: CallPacket, path: Path): Found[] {
  const found: Found[] = [];
  if (typeof opcode === 'string' && opcodeOf(opcode) === undefined)
    found.push({ path: [...path, 'opcode'], message: `"${opcode}" is no opcode${didYouMean(opcode, OPCODE_NAMES)}` });
  if (to.split('.')[0] === from) found.push({ path: [...path, 'to'], message: `${to} is where it comes from` });
  if (to.includes('.') === (destQp !== undefined))
    found.push({ path: [...path, 'to'], message: 'name a queue pair, or a host and "destQp"' });
  if (ahead !== undefined && psn !== undefined)
    found.push({ path: [...path, 'ahead'], message: 'a packet has "psn" or "ahead", not both' });
  return found;
}

function timeMistakes(text: string, path: Path): Found[] {
  try {
    parseTime(text);
    return [];
  } catch (error) {
    if (error instanceof TimeFormatError) return [{ path, message: error.message }];
    throw error;
  }
}

function ruleMistakes(rule: string, path: Path): Found[] {
  return parseRule(rule).mistakes.map(({ message }) => ({ path, message }));
}
