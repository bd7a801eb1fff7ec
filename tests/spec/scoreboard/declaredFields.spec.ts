/** Header fields in which implementations differ (roce-transport.md 11), held to what a NIC declares. */

import { expect } from 'chai';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import type { RuleReporter } from '../../../agents/wire/ruleReporter.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import { Profiles } from '../../../scoreboard/model/profiles.ts';
import { DeclaredFields } from '../../../scoreboard/reference/declaredFields.ts';
import type { TransportChoices } from '../../../scoreboard/model/transportChoices.ts';

describe('fields that a NIC declares', () => {
  function findings(choices: Partial<TransportChoices>, packet: Partial<DecodedPacket>): string[] {
    const texts: string[] = [];
    const profile = { ...HANGU_PROFILE, choices: { ...HANGU_PROFILE.choices, ...choices } };
    const report = { broken: (_rule: unknown, _packet: unknown, what: string) => texts.push(what) };
    new DeclaredFields(new Profiles(profile), report as unknown as RuleReporter).check(
      Object.assign(new DecodedPacket(), packet),
    );
    return texts;
  }

  it('are the MigReq bit, either way, of all but CNPs', () => {
    const wrong = ['has the MigReq bit 1; its NIC declares 0'];
    expect(findings({}, { migration: true })).to.deep.equal(wrong);
    expect(findings({ migrationRequest: 1 }, { migration: true })).to.deep.equal([]);
    expect(findings({ migrationRequest: 1 }, {})).to.deep.equal(['has the MigReq bit 0; its NIC declares 1']);
    expect(findings({}, { migration: true, opcode: 0x81 })).to.deep.equal([]);
  });

  it('are the credits of acknowledgements, but for NAKs', () => {
    const ack = { opcode: 0x11, flags: OPCODE.response | OPCODE.aeth };
    expect(findings({}, { ...ack, syndrome: 0x1f })).to.deep.equal([]);
    expect(findings({}, { ...ack, syndrome: 0 })).to.deep.equal(['grants 0 credits; its NIC declares 31']);
    expect(findings({ ackCredits: 0 }, { ...ack, syndrome: 0 })).to.deep.equal([]);
    expect(findings({}, { ...ack, syndrome: 0x60 })).to.deep.equal([]);
  });

  it('are the compare field of a FETCH_ADD, and not that of a compare-and-swap', () => {
    expect(findings({}, { opcode: 0x14, compareLo: 5 })).to.deep.equal([
      'has the compare field 0x00000000_00000005; its NIC declares 0x00000000_00000000',
    ]);
    expect(findings({ fetchAddCompare: 5 }, { opcode: 0x14, compareLo: 5 })).to.deep.equal([]);
    expect(findings({}, { opcode: 0x13, compareLo: 5 })).to.deep.equal([]);
  });
});
