import { expect } from 'chai';
import { DRIVER_FAULTS } from '../../../dut-model/blue-rdma/bugs/driver/driverFaults.ts';
import { JUDGED_BUGS } from '../support/blueRdma/judgedBugs.ts';
import { firstFailure } from '../support/blueRdma/scenarios.ts';

describe('scenarios, of the bugs in the blue-rdma driver,', () => {
  for (const { name, description, parts } of DRIVER_FAULTS.filter((bug) => !JUDGED_BUGS.has(bug.name))) {
    it(`catch ${name}: ${description}`, () => {
      expect(firstFailure({ parts })).to.not.equal(null);
    });
  }
});
