/**
 * Header fields that receivers pass over, and that NICs fill in differently (roce-transport.md 11): each packet must carry what the
 * profile of its NIC declares.
 */

import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { LAST_ACK } from '../../agents/wire/syndromes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import type { Profiles } from '../model/profiles.ts';

const FETCH_ADD = BTH_CLASS.rc | BTH_OP.fetchAdd;

export class DeclaredFields {
  readonly #profiles: Profiles;
  readonly #report: RuleReporter;

  constructor(profiles: Profiles, report: RuleReporter) {
    this.#profiles = profiles;
    this.#report = report;
  }

  /** A sound packet leaves its NIC. */
  check(p: DecodedPacket): void {
    // A CNP has a header of its own (8).
    if (p.opcode === OPCODE_CNP) return;
    const { migrationRequest, ackCredits, fetchAddCompare } = this.#profiles.of(p.host).choices;
    if (p.migration !== (migrationRequest === 1)) {
      const bit = p.migration ? 1 : 0;
      this.#report.broken(RULE.declaredMigration, p, `has the MigReq bit ${bit}; its NIC declares ${migrationRequest}`);
    }
    if ((p.flags & OPCODE.aeth) !== 0 && p.syndrome <= LAST_ACK && p.syndrome !== ackCredits)
      this.#report.broken(RULE.declaredCredits, p, `grants ${p.syndrome} credits; its NIC declares ${ackCredits}`);
    if (p.opcode === FETCH_ADD && (p.compareHi !== 0 || p.compareLo !== fetchAddCompare)) {
      const compare = hexAddress(p.compareHi, p.compareLo);
      const declared = hexAddress(0, fetchAddCompare);
      this.#report.broken(RULE.declaredCompare, p, `has the compare field ${compare}; its NIC declares ${declared}`);
    }
  }
}
