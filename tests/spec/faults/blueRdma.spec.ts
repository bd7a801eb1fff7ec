import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/bugs/blueFaults.ts';
import { DRIVER_FAULTS } from '../../../dut-model/blue-rdma/bugs/driver/driverFaults.ts';
import { SCENARIOS } from '../support/blueRdma/scenarios.ts';

describe('blue-rdma scenarios', () => {
  for (const [name, play] of Object.entries(SCENARIOS)) {
    it(`are passed by the NIC and its driver as they are: ${name}`, () => {
      expect(play({})).to.deep.equal([]);
    });
  }

  it('know each planted bug by a name of its own, and say what it breaks', () => {
    const names = [...BLUE_FAULTS, ...DRIVER_FAULTS].map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    for (const { breaks } of [...BLUE_FAULTS, ...DRIVER_FAULTS]) {
      for (const id of breaks) expect(id).to.match(/^B-0(0[1-9]|[12]\d|30)$/);
    }
  });
});
