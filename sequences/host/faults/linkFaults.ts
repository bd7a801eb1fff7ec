/** The link as sequences see it: what takes their fault rules. */

import type { InjectedPacket } from '../../../agents/link/inject/injectedPacket.ts';
import type { FaultRule, SourcedRule } from '../../../agents/link/faults/rule/faultRule.ts';
import { ruleSource } from '../../../agents/link/faults/rule/sourced.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { parseRule } from '../../../agents/link/faults/rule/parseRule.ts';

/** A rule that a sequence has given, and what it has done so far. */
export interface LinkFault {
  /** As it is written in summary and record. */
  readonly text: string;
  /** Frames that it has selected, before it counted and drew; and those that it has acted on. */
  readonly matched: number;
  readonly fired: number;
  /** It acts no more. */
  stop(): void;
}

export interface LinkFaults {
  /** By how much the rules of the run, apart from those of sequences, may hold back a frame or a copy of one, ps. */
  readonly longestDelay: SimTime;
  /** From now on the rule acts, after all that are there. */
  addFault(rule: SourcedRule): LinkFault;
  /** Sends a packet that no NIC has sent; it is on the wire at once. */
  inject(packet: InjectedPacket): void;
}

/** A text is no fault rule. */
export class FaultRuleError extends Error {}

/** The rule of a text, or a rule that is one already. @throws FaultRuleError that says all that is wrong */
export function faultRuleOf(rule: string | FaultRule, sequence: string): SourcedRule {
  const source = ruleSource(`sequence ${sequence}`);
  if (typeof rule !== 'string') return { rule, source };
  const parsed = parseRule(rule);
  if (parsed.rule !== undefined) return { rule: parsed.rule, source };
  throw new FaultRuleError(`the fault rule '${rule}': ${parsed.mistakes.map(({ message }) => message).join('; ')}`);
}
