/** The rows of roce-transport.md 11, and what a kind of NIC says to each of them. */

import { expect } from 'chai';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { BLUE_PROFILE } from '../../../dut-model/blue-rdma/driver/kind/profile.ts';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import type { TransportChoices } from '../../../scoreboard/model/transportChoices.ts';
import { MS } from '../../../uvm/kernel/time.ts';

/** Topic of each row, its field, and the column of the model; then what sections 3.8 and 8 leave open. */
const ROWS: readonly (readonly [string, keyof TransportChoices, unknown])[] = [
  ['retry_cnt 7', 'retrySevenIsForEver', false],
  ['RNR code 25', 'rnrCode25', 61.44 * MS],
  ['receive CQE for too-long SEND', 'tooLongReceive', WC_STATUS.locLenErr],
  ['receive CQE for bad receive SGE', 'badReceiveEntry', WC_STATUS.locProtErr],
  ['UD payload > MTU', 'tooLongDatagram', WC_STATUS.locLenErr],
  ['misaligned atomic', 'alignmentBeforeKey', true],
  ['unexpected response opcode', 'unexpectedResponse', WC_STATUS.badRespErr],
  ['sequence NAK after RNR NAK', 'sequenceNakAfterRnr', false],
  ['too many READ/atomic at responder', 'refusesManyReads', true],
  ['MigReq bit', 'migrationRequest', 0],
  ['ACK credit field', 'ackCredits', 31],
  ['ATOMIC compare field for FAA', 'fetchAddCompare', 0],
  ['receive CQE status for a failed remote invalidate', 'failedInvalidate', WC_STATUS.locQpOpErr],
  ['NAK PSN when a READ fails in the middle', 'readNakNamesResponse', true],
  ['address handle of another domain', 'foreignHandle', 'refused'],
  ['fence and LOCAL_INV', 'localInvalidateFenced', true],
  ['status of a LOCAL_INV that fails', 'failedLocalInvalidate', WC_STATUS.locQpOpErr],
  ['NAK for a failed remote invalidate', 'refusedInvalidate', 'silence'],
  ['deregistering a region with windows', 'boundRegion', 'kept'],
  ['binding a window of another domain', 'bindsForeignWindows', false],
  ['type of type 2 windows', 'windowType2', '2B'],
  ['ACK timer, 3.8', 'ackTimer', [1, 4]],
  ['marks that owe a CNP, 8', 'cnpFor', 'all in order'],
  ['CNP pacing, 8', 'cnpPacing', 'queue pair'],
];

describe('what a kind of NIC does where implementations differ', () => {
  it('is one field for each row of the table, and none besides', () => {
    for (const { choices } of [HANGU_PROFILE, BLUE_PROFILE])
      expect(Object.keys(choices)).to.have.members(ROWS.map(([, field]) => field));
  });

  for (const [topic, field, model] of ROWS) {
    it(`is the column of the model for HanGu: ${topic}`, () => {
      expect(HANGU_PROFILE.choices[field]).to.deep.equal(model);
    });
  }
});
