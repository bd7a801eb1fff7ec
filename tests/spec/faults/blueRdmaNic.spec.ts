import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/bugs/blueFaults.ts';
import { JUDGED_BUGS } from '../support/blueRdma/judgedBugs.ts';
import { firstFailure } from '../support/blueRdma/scenarios.ts';

describe('scenarios, of the bugs in the blue-rdma NIC,', () => {
  for (const { name, description, blocks } of BLUE_FAULTS.filter((bug) => !JUDGED_BUGS.has(bug.name))) {
    it(`catch ${name}: ${description}`, () => {
      expect(firstFailure({ blocks })).to.not.equal(null);
    });
  }
});
