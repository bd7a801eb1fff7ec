import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/bugs/blueFaults.ts';
import { JUDGED_BUGS } from '../support/blueRdma/judgedBugs.ts';
import { problemsIn, type ScenarioName } from '../support/blueRdma/scenarios.ts';
import { SHOWN_BY } from '../support/blueRdma/shownBy.ts';

describe('scenarios, of the bugs in the blue-rdma NIC,', () => {
  for (const { name, description, blocks } of BLUE_FAULTS.filter((bug) => !JUDGED_BUGS.has(bug.name))) {
    it(`catch ${name}: ${description}`, () => {
      const scenario = SHOWN_BY[name];
      expect(scenario, 'the scenario that shows it, in shownBy.ts').to.be.a('string');
      expect(problemsIn(scenario as ScenarioName, { blocks })).to.not.deep.equal([]);
    });
  }
});
