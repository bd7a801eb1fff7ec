/** Writes docs/parameters.md from the table, so that the page cannot say anything else than the program does. */
import { rangeText } from './parseParameter.ts';
import { type DrawnBy, drawnBy } from './draws/drawnBy.ts';
import { PARAMETERS, type Parameter, type ParameterName } from './table/parameterTable.ts';

const TESTS = ['test_smoke', 'test_sequence', 'test_random_verbs'] as const;

const HEAD = `# Parameters

Every parameter of a run is a plusarg: \`+NAME=value\`. This page is made from the table in
config/table/parameterTable.ts; \`npm run pages\` writes it again.

- Numbers are decimal, or hexadecimal with \`0x\`. Times carry a unit (\`10us\`); without one they count nanoseconds.
  Switches are given bare, or as \`=0\` and \`=1\`.
- What is not given has its default, so that a partial line works. \`test_random\` draws from the seed instead what is said to
  be drawn by *random*, \`test_random_verbs\` some of what is drawn by *verbs*; *(wide)* is drawn in the runs that reach further
  (\`+DRAW_WIDE\`), *(faults)* in those with faults (\`+DRAW_FAULTS\`, \`+DRAW_PCIE_FAULTS\`), *(corners)* in those with corners
  (\`+DRAW_CORNERS\`), *(keys)* in those whose requests change keys (\`+KEY_PCT\`). The log says what was drawn
  (\`PARAM_DRAWN\`). \`+DRAW_FAULTS=0 +DRAW_WIDE=0\` plays what seeds of before played. Parameters of the published table (marked *table*) are listed in the log when their default is
  used.
- All mistakes of a line are reported at once, before the run starts, each with the range and a value to try.
- What follows from the parameters (ring slots, queue numbers, table entries, areas, memory) is checked too.
- A scenario file (\`+SCENARIO\`) brings its own topology and work; what is typed about them has no effect, and the log
  warns of it (\`SCENARIO_WINS\`). It also brings settings of the surroundings (transport, buses, device), which stand in
  for defaults: over those, what is typed wins.

Not in this table: the standard UVM plusargs (docs/uvm.md), and the knobs of NIC models, \`+NIC_<NAME>=<number>\`.
`;

const TAIL = `
## Rules between parameters

What is said without being an error is a message of the id \`PARAM\` that begins with the name below; filter by that id.

| rule | what happens |
|---|---|
| RC_QP_NUM + UC_QP_NUM + UD_QP_NUM is 1 to 8192 | else an error |
| WRITE_WQE_NUM + READ_WQE_NUM + SEND_WQE_NUM is at most 30 | else an error |
| RECV_WQE_NUM equals SEND_WQE_NUM | else an error; not given, it follows |
| SG_NUM * DATA_CNT * DATA_UNIT is at most 2 GiB | else an error |
| all doorbells of a queue pair fit its 4 GiB area | else an error that says which DATA_CNT fits |
| what arrives at all queue pairs of all hosts is at most 3.5 GiB | else an error that says which DATA_CNT fits |
| regions, pages and completion queues fit the tables of the NIC | else an error that says what to lower |
| READ on UC, READ and WRITE on UD | left out, said as \`UC_SKIPPED\` and \`UD_SKIPPED\` |
| a UD message longer than the MTU | cut at the MTU, said as \`UD_CAPPED\` |
| an odd number of queue pairs of a type on an odd number of hosts | one stays idle, said as \`QP_UNPAIRED\` |
| more processes than queue pairs | said as \`PROC_IDLE\` |
| nothing to post | said as \`NO_WORK\`; a run without checks is not a pass |
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
