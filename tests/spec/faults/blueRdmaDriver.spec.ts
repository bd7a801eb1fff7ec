import { expect } from 'chai';
import { DRIVER_FAULTS } from '../../../env/providers/blue-rdma/faults/driverFaults.ts';
import { firstFailure } from '../support/blueRdma/scenarios.ts';

describe('scenarios, of the bugs in the blue-rdma driver,', () => {
  for (const { name, description, parts } of DRIVER_FAULTS) {
    it(`catch ${name}: ${description}`, () => {
      expect(firstFailure({ parts })).to.not.equal(null);
    });
  }
});
