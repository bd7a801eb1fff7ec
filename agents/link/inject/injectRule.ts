/**
 * Packets that no NIC has sent, as files, scenarios and arguments write them: `inject at=200us from=0 to=1 qp=0 opcode=write_only
 * relpsn=4 icrc=wrong`. The language is that of fault rules, with one action.
 */

import { MOST_PORTS } from '../../../dut-model/nic.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { SERVICE_NAMES, type ServiceName } from '../faults/rule/faultRule.ts';
import type { Sourced } from '../faults/rule/sourced.ts';
import { OPERATION_NAMES, operationNamed } from '../faults/rule/opcodeNames.ts';
import { parseRuleIn, type ParsedRule } from '../faults/rule/parseRule.ts';
import type { KeyOfAction, RuleLanguage } from '../faults/rule/ruleLanguage.ts';
import type { RuleMistake } from '../faults/rule/ruleMistake.ts';
import { ruleTextIn } from '../faults/rule/ruleText.ts';
import { flag, name, type RuleValue, time, whole } from '../faults/rule/ruleValue.ts';
import { wholeNumber } from '../faults/rule/numberSet.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';

const MOST_24 = 0xff_ffff;
const MOST_32 = 0xffff_ffff;
const MOST_ADDRESS = 2 ** 48 - 1;
const MOST_PAYLOAD = 4096;

/** What is said of a packet; null for what is left out. */
export interface Injection {
  readonly kind: 'inject';
  /** When it begins, ps, how often, and how much later each time. */
  readonly at: SimTime;
  readonly times: number;
  readonly every: SimTime;
  readonly from: number;
  readonly to: number;
  /** Port of both NICs; null = that of its queue pair. */
  readonly port: number | null;
  readonly service: ServiceName;
  /** Operation of the service, or a number of 0 to 255 for the whole opcode. */
  readonly opcode: string;
  /** Queue pair that it goes to, by its index on that host, or by its number. */
  readonly qp: number | null;
  readonly qpn: number | null;
  readonly psn: number | null;
  /** PSN counted from the first one that the queue pair expects, of answers from the first that it sends. */
  readonly relpsn: number | null;
  readonly payload: number;
  readonly p_key: number | null;
  readonly q_key: number | null;
  readonly source_qp: number | null;
  readonly va: number | null;
  readonly r_key: number | null;
  readonly dma_length: number | null;
  readonly syndrome: number | null;
  readonly msn: number | null;
  readonly immediate: number | null;
  readonly version: number | null;
  readonly icrc: 'right' | 'wrong';
  readonly solicited: true | null;
  readonly ack_request: true | null;
  readonly ipv6: true | null;
}

/** One packet, in the form of rules. */
export interface InjectRule {
  readonly action: Injection;
  readonly select: object;
  /** It need not be sent: the run may end before, or its queue pair not be there. */
  readonly optional: boolean;
}

export type SourcedInjection = Sourced<InjectRule>;

const KEYS: Readonly<Record<Exclude<keyof Injection, 'kind'>, KeyOfAction>> = {
  at: needed(time()),
  times: key(whole(1, 10_000), '1'),
  every: key(time(), '1us'),
  from: needed(whole(0, 63)),
  to: needed(whole(0, 63)),
  port: key(whole(1, MOST_PORTS), null),
  service: key(name(SERVICE_NAMES), 'rc'),
  opcode: needed(opcode()),
  qp: key(whole(0, MOST_24), null),
  qpn: key(whole(0, MOST_24), null),
  psn: key(whole(0, MOST_24), null),
  relpsn: key(whole(0, MOST_24), null),
  payload: key(whole(0, MOST_PAYLOAD), '0'),
  p_key: key(whole(0, 0xffff), null),
  q_key: key(whole(0, MOST_32), null),
  source_qp: key(whole(0, MOST_24), null),
  va: key(whole(0, MOST_ADDRESS), null),
  r_key: key(whole(0, MOST_32), null),
  dma_length: key(whole(0, MOST_32), null),
  syndrome: key(whole(0, 0xff), null),
  msn: key(whole(0, MOST_24), null),
  immediate: key(whole(0, MOST_32), null),
  version: key(whole(0, 15), null),
  icrc: key(name(['right', 'wrong']), 'right'),
  solicited: key(flag(), null),
  ack_request: key(flag(), null),
  ipv6: key(flag(), null),
};

export const INJECT_LANGUAGE: RuleLanguage<InjectRule> = {
  actions: { inject: KEYS },
  selection: {},
  mistakes: ({ action }) => mistakesOf(action),
};

/** Reads the text of one packet. */
export function parseInjection(text: string): ParsedRule<InjectRule> {
  return parseRuleIn(INJECT_LANGUAGE, text);
}

/** As `parseInjection` reads it. */
export function injectionText(rule: InjectRule): string {
  return ruleTextIn(INJECT_LANGUAGE, rule);
}

function mistakesOf({ from, to, qp, qpn, psn, relpsn }: Injection): RuleMistake[] {
  const mistakes: RuleMistake[] = [];
  if (from === to) mistakes.push({ key: 'to', message: `to=${to}: a packet goes to another host than from=${from}` });
  if ((qp === null) === (qpn === null))
    mistakes.push({ key: qp === null ? '' : 'qpn', message: 'inject needs one of qp= (index on its host) and qpn=' });
  if (psn !== null && relpsn !== null)
    mistakes.push({ key: 'relpsn', message: 'psn and relpsn: one counts from 0, the other from the first; keep one' });
  return mistakes;
}

/** An operation, or a number. */
function opcode(): RuleValue<string> {
  const says = `an operation such as write_only, or a number from 0 to 255`;
  return {
    read: (text) => {
      const number = wholeNumber(text);
      if (number !== undefined && number <= 0xff) return { value: text };
      if (operationNamed(text) !== undefined) return { value: text };
      return { mistake: `there is no opcode ${text}${didYouMean(text, OPERATION_NAMES)}; write ${says}` };
    },
    write: (value) => value,
    says,
  };
}

function key<T>(value: RuleValue<T>, standard: string | null): KeyOfAction {
  return { value: value as RuleValue<unknown>, default: standard };
}

function needed<T>(value: RuleValue<T>): KeyOfAction {
  return { value: value as RuleValue<unknown>, default: undefined };
}
