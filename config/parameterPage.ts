/** Writes docs/parameters.md from the table, so that the page cannot say anything else than the program does. */
import { rangeText } from './parseParameter.ts';
import { type DrawnBy, drawnBy } from './draws/drawnBy.ts';
import { PARAMETERS, type Parameter, type ParameterName } from './table/parameterTable.ts';

const TESTS = ['test_smoke', 'test_sequence', 'test_random_verbs'] as const;

const HEAD = `# Parameters

Every parameter of a run is a plusarg: \`+NAME=value\`. \`npm run pages\` makes this page from the table in
config/table/parameterTable.ts.

- Numbers are decimal, or hexadecimal with \`0x\`. Times have a unit (\`10us\`); without one they are nanoseconds.
  Switches are given bare, or as \`=0\` and \`=1\`.
- A parameter that is not given has its default. \`test_random\` draws parameters that are marked *random* from the seed
  instead, and \`test_random_verbs\` some of those that are marked *verbs*. *(wide)* ones are drawn in runs with wider draws
  (\`+DRAW_WIDE\`), *(faults)* ones in runs with faults (\`+DRAW_FAULTS\`, \`+DRAW_PCIE_FAULTS\`), *(corners)* ones in runs with corners
  (\`+DRAW_CORNERS\`), *(keys)* ones in runs whose requests change keys (\`+KEY_PCT\`). The log shows drawn values
  (\`PARAM_DRAWN\`). \`+DRAW_FAULTS=0 +DRAW_WIDE=0\` reproduces the draws of earlier versions.
- The log lists parameters of the published table (marked *table*) whose default is used.
- All mistakes of a line are reported at once, before the run starts, each with the range and a value to try.
- Derived values (ring slots, queue numbers, table entries, areas, memory) are checked too.
- A scenario file (\`+SCENARIO\`) has its own topology and work. Plusargs about these have no effect, and the log
  warns of them (\`SCENARIO_WINS\`). The file also has settings of transport, buses and device, which replace the
  defaults. Plusargs override these settings.

Not in this table: the standard UVM plusargs (docs/uvm.md), and the knobs of NIC models, \`+NIC_<NAME>=<number>\`.
`;

const TAIL = `
## Rules between parameters

Consequences that are no errors are messages with the id \`PARAM\` that begin with the name below.

| rule | otherwise |
|---|---|
| RC_QP_NUM + UC_QP_NUM + UD_QP_NUM is 1 to 8192 | an error |
| WRITE_WQE_NUM + READ_WQE_NUM + SEND_WQE_NUM is at most 30 | an error |
| RECV_WQE_NUM equals SEND_WQE_NUM, which is its default | an error |
| SG_NUM * DATA_CNT * DATA_UNIT is at most 2 GiB | an error |
| all doorbells of a queue pair fit its 4 GiB area | an error that says which DATA_CNT fits |
| received data of all queue pairs of all hosts are at most 3.5 GiB | an error that says which DATA_CNT fits |
| regions, pages and completion queues fit the tables of the NIC | an error that says what to lower |
| no READ on UC, no READ and WRITE on UD | left out, with \`UC_SKIPPED\` and \`UD_SKIPPED\` |
| no UD message is longer than the MTU | cut at the MTU, with \`UD_CAPPED\` |
| no odd number of queue pairs of a type on an odd number of hosts | one stays idle, with \`QP_UNPAIRED\` |
| no more processes than queue pairs | \`PROC_IDLE\` |
| there are requests to post | \`NO_WORK\`; a run without checks is not a pass |
`;

/** The text of docs/parameters.md. */
export function parameterPage(): string {
  const rows: readonly Parameter[] = PARAMETERS;
  const byTests = drawnBy();
  const groups = [...new Set(rows.map((p) => p.group))];
  const sections = groups.map((group) =>
    section(
      group,
      rows.filter((p) => p.group === group),
      byTests,
    ),
  );
  return `${HEAD}${sections.join('')}${TAIL}`;
}

function section(group: string, rows: readonly Parameter[], byTests: DrawnBy): string {
  const title = `${(group[0] as string).toUpperCase()}${group.slice(1)}`;
  const head = `\n## ${title}\n\n| plusarg | values | default | drawn by | |\n|---|---|---|---|---|\n`;
  return head + rows.map((p) => row(p, byTests)).join('');
}

function row(p: Parameter, byTests: DrawnBy): string {
  const names = [p.name, ...(p.aliases ?? [])].map((n) => `\`+${n}\``).join(' ');
  const text = p.published ? `${p.doc} (*table*)` : p.doc;
  const drawn = byTests(p.name as ParameterName).join(', ');
  return `| ${names} | ${cell(values(p))} | ${cell(defaults(p))} | ${drawn} | ${cell(text)} |\n`;
}

function values(p: Parameter): string {
  return p.unit === undefined || p.kind === 'time' ? rangeText(p) : `${rangeText(p)} ${p.unit}`;
}

function defaults(p: Parameter): string {
  const own = TESTS.filter((test) => p.per?.[test] !== undefined).map((test) => `${test}: ${p.per?.[test]}`);
  return [p.default, ...own].filter((d) => d !== '').join('; ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
