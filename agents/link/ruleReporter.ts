import type { DecodedPacket } from './decodedPacket.ts';
import type { WireReportId } from './wireRules.ts';

/** Takes a broken rule: a `WIRE_` id, the packet, and what is wrong with it. */
export interface RuleReporter {
  broken(id: WireReportId, p: DecodedPacket, what: string): void;
}
