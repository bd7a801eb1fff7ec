import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { LINK_REPORT_IDS } from '../../../agents/link/linkAgent.ts';
import { LINK_TRACE_IDS } from '../../../agents/wire/linkTrace.ts';
import { WIRE_REPORT_IDS } from '../../../agents/wire/wireRules.ts';
import { DDR_REPORT_IDS } from '../../../agents/ddr/ddrAgent.ts';
import { PCIE_REPORT_IDS } from '../../../agents/pcie/pcieMonitor.ts';
import { HANGU_FAULTS } from '../../../dut-model/hangu/bugs/hanguFaults.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { ENV_REPORT_IDS } from '../../../env/reportIds.ts';
import { BLUE_REPORT_IDS } from '../../../dut-model/blue-rdma/judge/reportIds.ts';
import { ruleTable, wideningTable } from '../../../scoreboard/report/rowTables.ts';
import { SCB, SCB_MEANING } from '../../../scoreboard/report/reportIds.ts';

const PAGE = new URL('../../../docs/checks.md', import.meta.url);

/** What is no error in the column "meaning" says so. */
const NO_ERROR = /\((information|warning)\b/;

/** Ids of the tables that are errors or fatal. */
function errorIds(page: string): string[] {
  const rows = [...page.matchAll(/^\| `([A-Z]+_[A-Z0-9_]+)` \| (.*) \|$/gm)];
  return rows.filter(([, , meaning]) => !NO_ERROR.test(meaning as string)).map(([, id]) => id as string);
}

/** All specs in one text, with what `SCB.<name>` stands for written out. */
function specSources(): string {
  const tests = new URL('../../', import.meta.url);
  const names = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.spec.ts'));
  const text = names.map((name) => readFileSync(new URL(name, tests), 'utf8')).join('\n');
  return text.replace(/\bSCB\.(\w+)/g, (all, name: string) => (SCB as Readonly<Record<string, string>>)[name] ?? all);
}

describe('docs/checks.md', () => {
  const text = readFileSync(PAGE, 'utf8');
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    scoreboard: SCB_MEANING,
    PCIe: PCIE_REPORT_IDS,
    'memory on the card': DDR_REPORT_IDS,
    wire: WIRE_REPORT_IDS,
    link: LINK_REPORT_IDS,
    'link trace': LINK_TRACE_IDS,
    'host software': ENV_REPORT_IDS,
    'blue-rdma': BLUE_REPORT_IDS,
  };

  for (const [name, table] of Object.entries({ rules: ruleTable(), widenings: wideningTable() }))
    it(`has the table of ${name} of the judge; UPDATE_DOCS=1 writes it again`, () => {
      const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
      const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(begin);
      const [, after = ''] = rest.split(end);
      const right = `${before}${begin}\n\n${table}\n\n${end}${after}`;
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, right);
      expect(readFileSync(PAGE, 'utf8')).to.equal(right);
    });

  for (const [name, ids] of Object.entries(tables)) {
    it(`has a row for every report id of the ${name} table, with its meaning`, () => {
      for (const [id, meaning] of Object.entries(ids)) expect(text).to.contain(`| \`${id}\` | ${meaning} |`);
    });
  }

  it('has no error that neither a planted bug shows nor a spec makes somebody report', () => {
    const caught = new Set(NIC_CATALOG.flatMap(({ faults }) => faults.flatMap(({ caughtBy = [] }) => caughtBy)));
    const named = new Set(specSources().match(/\b[A-Z]+_[A-Z0-9_]+\b/g));
    const ids = errorIds(text);
    expect(ids.length).to.be.above(100);
    expect(ids.filter((id) => !caught.has(id) && !named.has(id))).to.deep.equal([]);
  });

  it('names every report id that a planted bug says it is caught by', () => {
    for (const fault of HANGU_FAULTS) {
      for (const id of fault.caughtBy) expect(text, fault.name).to.contain(`| \`${id}\` |`);
    }
  });
});
