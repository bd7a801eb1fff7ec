import type { Subject } from '../../rdma/subject.ts';
import type { DecodedPacket } from './decodedPacket.ts';
import type { TransportRule } from './transportRules.ts';

/** Takes broken rules of the transport. */
export interface RuleReporter {
  /** @param what is wrong with the packet */
  broken(rule: TransportRule, p: DecodedPacket, what: string): void;
  /** Something that no packet shows by itself. @param about what it accuses */
  brokenAtRest(rule: TransportRule, text: () => string, about: Subject): void;
}
