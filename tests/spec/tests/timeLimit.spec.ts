import { expect } from 'chai';
import { play } from './harness.ts';

const US = 1_000_000;

describe('the limit of simulated time', () => {
  it('is named with its plusarg when it ends a run, and so is what waits', async () => {
    const { signature, log } = await play('test_direct_param', '+SIM_TIMEOUT=2us');
    expect(signature?.message).to.equal(
      'Explicit timeout of 2000ns hit (+SIM_TIMEOUT), indicating a probable testbench issue',
    );
    expect(log).to.match(/parked processes:\n {2}uvm_test_top\S* waits for /);
  });

  for (const [line, end] of [
    ['+SIM_TIMEOUT=2us', 2 * US],
    ['+UVM_TIMEOUT=3us', 3 * US],
    ['+UVM_TIMEOUT=3us +SIM_TIMEOUT=2us', 2 * US],
    ['+UVM_TIMEOUT=3us,YES +SIM_TIMEOUT=2us', 2 * US],
    ['+UVM_TIMEOUT=2us +SIM_TIMEOUT=3us', 2 * US],
    ['+UVM_TIMEOUT=3us,NO +SIM_TIMEOUT=2us', 3 * US],
  ] as const) {
    it(`is the shorter one that may be set: ${line}`, async () => {
      const { simulatedTimePs, verdict, signature, log } = await play('test_direct_param', line);
      expect([simulatedTimePs, verdict, signature?.id]).to.deep.equal([end, 'error', 'PH_TIMEOUT']);
      expect(/\[SIM_TIMEOUT\] 2us of \+SIM_TIMEOUT, 3us of \+UVM_TIMEOUT: the latter counts/.test(log)).to.equal(
        line.includes(',NO'),
      );
    });
  }
});
