/** What makes no sense in a rule although each word of it can be read. */

import type { FaultAction, FaultRule, FaultSelection } from './faultRule.ts';
import { HEADER_FIELDS, type HeaderFieldName } from './headerFields.ts';
import type { RuleMistake } from './ruleMistake.ts';
import { chanceMistakes, countMistakes, windowMistakes } from './selectionSense.ts';

/** Empty when the rule can be played. */
export function ruleMistakes({ action, select }: FaultRule): RuleMistake[] {
  return [...selectionMistakes(select), ...actionMistakes(action, select)];
}

function selectionMistakes(select: FaultSelection): RuleMistake[] {
  const { transmission, round } = select;
  const mistakes = [...countMistakes(select, 'frame'), ...windowMistakes(select)];
  if (transmission === 'first' && round !== undefined && round.every(([low]) => low > 0))
    mistakes.push({
      key: 'round',
      message: 'round counts what is sent again, from 1, and transmission=first leaves that out; drop one',
    });
  return [...mistakes, ...chanceMistakes(select)];
}

function actionMistakes(action: FaultAction, select: FaultSelection): RuleMistake[] {
  if (action.kind === 'corrupt') return corruptMistakes(action);
  if (action.kind === 'partition' || action.kind === 'link_down') return downMistakes(action.kind, select);
  if (action.kind === 'nic_reset') return resetMistakes(select);
  if (action.kind !== 'burst' || select.probability === undefined) return [];
  return [{ key: 'probability', message: 'burst has chances of its own, enter and loss; leave probability out' }];
}

function corruptMistakes({ field, byte, xor, set, repaired }: FaultAction<'corrupt'>): RuleMistake[] {
  const mistakes: RuleMistake[] = [];
  const isByte = field === 'payload' || field === 'packet' || field === 'icrc';
  if (xor !== null && set !== null)
    mistakes.push({ key: 'set', message: 'xor and set: one flips bits, the other sets the value; keep one' });
  if (byte !== null && !isByte)
    mistakes.push({
      key: 'byte',
      message: `byte counts in field=payload, packet or icrc, and ${field} is a field; leave it out`,
    });
  if (field === 'icrc' && byte !== null && byte > 3)
    mistakes.push({ key: 'byte', message: `byte=${byte}: the invariant CRC has bytes 0 to 3; try byte=3` });
  if (field === 'icrc' && repaired === true)
    mistakes.push({
      key: 'repaired',
      message: 'a repaired CRC is not corrupt; leave repaired out, or name another field',
    });
  const most = isByte ? 0xff : widest(field);
  for (const [key, value] of [
    ['xor', xor],
    ['set', set],
  ] as const) {
    if (value !== null && value > most)
      mistakes.push({
        key,
        message: `${key}=${value} does not fit ${isByte ? 'a byte' : field}: at most ${most}; try ${key}=${most}`,
      });
  }
  return mistakes;
}

/** Largest value of a field. */
function widest(field: HeaderFieldName): number {
  let { mask }: { mask: number } = HEADER_FIELDS[field];
  while ((mask & 1) === 0) mask >>>= 1;
  return mask;
}

function downMistakes(kind: 'partition' | 'link_down', select: FaultSelection): RuleMistake[] {
  const mistakes: RuleMistake[] = [];
  if (select.host === undefined)
    mistakes.push({
      key: '',
      message: `${kind} needs host=, the host ${kind === 'partition' ? 'whose frames do not pass' : 'whose cable is down'}`,
    });
  const wrong = Object.keys(select).find(
    (key) => !['host', 'port', 'from', 'until', ...(kind === 'partition' ? ['to'] : [])].includes(key),
  );
  if (wrong !== undefined)
    mistakes.push({ key: wrong, message: `${kind} takes all frames; leave ${wrong} out, or write drop` });
  return mistakes;
}

/** It is about a host and a time, and about no frame. */
function resetMistakes(select: FaultSelection): RuleMistake[] {
  const mistakes: RuleMistake[] = [];
  if (select.host === undefined)
    mistakes.push({ key: '', message: 'nic_reset needs host=, the host whose NIC is reset' });
  if (select.from === undefined)
    mistakes.push({ key: '', message: 'nic_reset needs from=, the time at which that is, such as from=300us' });
  const wrong = Object.keys(select).find((key) => key !== 'host' && key !== 'from');
  if (wrong !== undefined)
    mistakes.push({ key: wrong, message: `nic_reset happens once, and to no frame; leave ${wrong} out` });
  return mistakes;
}
