import type { Subject, WrongValue } from '../../rdma/subject.ts';
import type { DecodedPacket } from './decodedPacket.ts';
import type { TransportRule } from './transportRules.ts';

/** Takes broken rules of the transport. */
export interface RuleReporter {
  /** @param what is wrong with the packet @param values that are not the right ones */
  broken(rule: TransportRule, p: DecodedPacket, what: string, ...values: readonly WrongValue[]): void;
  /** Something that no packet shows by itself. @param about what it accuses */
  brokenAtRest(rule: TransportRule, text: () => string, about: Subject): void;
}
