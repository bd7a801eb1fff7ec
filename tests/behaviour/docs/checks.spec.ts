import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { LINK_REPORT_IDS } from '../../../agents/link/linkAgent.ts';
import { LINK_TRACE_IDS } from '../../../agents/link/linkTrace.ts';
import { WIRE_REPORT_IDS } from '../../../agents/link/wireRules.ts';
import { PCIE_REPORT_IDS } from '../../../agents/pcie/pcieMonitor.ts';
import { HANGU_FAULTS } from '../../../dut-model/faults/hanguFaults.ts';
import { ENV_REPORT_IDS } from '../../../env/reportIds.ts';
import { SCB_MEANING } from '../../../scoreboard/reportIds.ts';

describe('docs/checks.md', () => {
  const text = readFileSync(new URL('../../../docs/checks.md', import.meta.url), 'utf8');
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    scoreboard: SCB_MEANING,
    PCIe: PCIE_REPORT_IDS,
    wire: WIRE_REPORT_IDS,
    link: LINK_REPORT_IDS,
    'link trace': LINK_TRACE_IDS,
    'host software': ENV_REPORT_IDS,
  };

  for (const [name, ids] of Object.entries(tables)) {
    it(`has a row for every report id of the ${name} table, with its meaning`, () => {
      for (const [id, meaning] of Object.entries(ids)) expect(text).to.contain(`| \`${id}\` | ${meaning} |`);
    });
  }

  it('names every report id that a planted bug says it is caught by', () => {
    for (const fault of HANGU_FAULTS) {
      for (const id of fault.caughtBy) expect(text, fault.name).to.contain(`| \`${id}\` |`);
    }
  });
});
