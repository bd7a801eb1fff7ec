import { expect } from 'chai';
import { redrawn } from '../../../config/draws/redraw.ts';
import type { RunConfig } from '../../../config/runConfig.ts';
import { configOf } from './testConfig.ts';

const LASTING = ['HOST_NUM', 'PROC_NUM', 'PAGE_SCATTER', 'PCIE_MPS', 'PCIE_TAGS', 'LINK_GBPS'] as const;

function random(line: string, seed: number): RunConfig {
  return configOf(line, 'test_random', seed);
}

describe('redrawn', () => {
  it('draws everything anew but what the environment is built with', () => {
    const changed = new Set<string>();
    for (let seed = 1; seed <= 30; seed++) {
      const before = random('', seed);
      const { values } = redrawn(before, seed + 1000);
      for (const name of LASTING) expect(values[name]).to.equal(before.values[name]);
      for (const [name, value] of Object.entries(values))
        if (value !== before.values[name as keyof typeof values]) changed.add(name);
    }
    expect([...changed]).to.include.members(['RC_QP_NUM', 'SHARED_CQ', 'MTU', 'SEND_WQE_NUM', 'CQ_EVENT', 'IPV6']);
  });

  it('leaves what was given as it is, and draws the same of the same seed', () => {
    const before = random('+RC_QP_NUM=5 +MTU=512', 3);
    const after = redrawn(before, 7);
    expect(after.values).to.include({ RC_QP_NUM: 5, MTU: 512 });
    expect(redrawn(before, 7)).to.deep.equal(after);
  });

  it('has as many receives as SENDs, unless their number was given', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { values } = redrawn(random('', seed), seed);
      expect(values.RECV_WQE_NUM).to.equal(values.SEND_WQE_NUM);
    }
  });
});
