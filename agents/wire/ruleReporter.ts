import type { DecodedPacket } from './decodedPacket.ts';
import type { WireReportId } from './wireRules.ts';

/** Takes broken rules of the wire, `WIRE_` ids. */
export interface RuleReporter {
  /** @param what is wrong with the packet */
  broken(id: WireReportId, p: DecodedPacket, what: string): void;
  /** Something that no packet shows by itself. */
  brokenAtRest(id: WireReportId, text: () => string): void;
}
