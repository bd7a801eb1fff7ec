import { expect } from 'chai';
import { main as hcaRegress } from '../../../../bin/hcaRegress.ts';
import { readChecks } from '../../../../bin/explain/checkTable.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import { SCB_MEANING } from '../../../../scoreboard/report/reportIds.ts';
import { WIRE_REPORT_IDS } from '../../../../agents/wire/wireRules.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

describe('hca_regress explain', () => {
  async function explained(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await hcaRegress(['explain', ...argv], { registry: await loadRegistry(), out, err });
    return { code, out: out.text, err: err.text };
  }

  it('says what a check of the transport means, with rules, clauses, widenings and planted bugs', async () => {
    const { code, out } = await explained('wire_retry');
    expect(code).to.equal(0);
    expect(out).to.contain(`WIRE_RETRY: ${WIRE_REPORT_IDS.WIRE_RETRY}`);
    expect(out).to.match(/is retransmitted more than retry_cnt times without an answer \(3\.8, retryLimit\)/);
    expect(out).to.match(/may have been counted before the latest answer was processed \(3\.8, lateProgress\)/);
    expect(out).to.match(/planted bugs that it finds \(\d+\):\n.*\n.*hca_test .*\+DUT_FAULT=/);
  });

  it('knows every check of the scoreboard and of the wire, and those of sequences and of the kernel', () => {
    const checks = readChecks();
    for (const id of [
      ...Object.keys(SCB_MEANING),
      ...Object.keys(WIRE_REPORT_IDS),
      'SEQ_STATUS',
      'HCA_EQE',
      'BLUE_RETRY',
    ])
      expect(checks.has(id), id).to.equal(true);
    expect(checks.get('SCB_DATA')?.room).to.equal('Scoreboard (scoreboard/report/reportIds.ts)');
  });

  it('shows as many planted bugs as are asked for, and says how many there are', async () => {
    const { out } = await explained('SCB_DATA', '--bugs', '1');
    expect(out.match(/\+DUT_FAULT=/g)).to.have.length(1);
    expect(out).to.match(/and \d+ more; --bugs \d+ shows them all/);
  });

  it('names the nearest check where there is none, and asks for one where none is given', async () => {
    const wrong = await explained('SCB_STATE');
    expect(wrong.code).to.equal(2);
    expect(wrong.err).to.contain('SCB_STATE (command line): no check; did you mean SCB_STATUS');
    const none = await explained();
    expect([none.code, none.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && err.includes('needs the id'),
    );
  });
});
