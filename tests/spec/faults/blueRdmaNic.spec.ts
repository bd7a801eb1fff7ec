import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/faults/blueFaults.ts';
import { firstFailure } from '../support/blueRdma/scenarios.ts';

describe('scenarios, of the bugs in the blue-rdma NIC,', () => {
  for (const { name, description, blocks } of BLUE_FAULTS) {
    it(`catch ${name}: ${description}`, () => {
      expect(firstFailure({ blocks })).to.not.equal(null);
    });
  }
});
