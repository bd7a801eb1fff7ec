import type { DecodedPacket } from './decodedPacket.ts';

/** Takes a broken rule: a `WIRE_` id, the packet, and what is wrong with it. */
export interface RuleReporter {
  broken(id: string, p: DecodedPacket, what: string): void;
}
