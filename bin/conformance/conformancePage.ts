/** docs/conformance.md: all behaviours, the cases that show them, and what came of them on each kind of NIC. */

import { behaviourOfJob } from '../../regress/conformance/behaviourJobs.ts';
import type { Behaviour, BehaviourTable } from '../../regress/conformance/behaviours.ts';
import { caseNamed } from '../../sequences/conformance/cases.ts';
import { currentVersions, projectRoot } from '../versions.ts';
import { dutOf } from './aboutItsKind.ts';
import { type BehaviourVerdict, NOTHING, type PlayedBehaviours, verdictsOf } from './behaviourCounts.ts';

const INTRODUCTION = `# Conformance

This page lists the required behaviours of a NIC, with the case that covers each. It is made from \`conformance/*.yaml\`
and from a regression on each kind of NIC, by

    ./hca_regress run conformance --out out/hangu
    ./hca_regress run conformance +DUT=blue --out out/blue
    ./hca_regress run conformance +DUT=card --out out/card
    ./hca_regress conformance --page docs/conformance.md --results out/hangu --results out/blue --results out/card

    ./hca_regress run conformance --only T-022,G117     # some of them; +DUT=<kind> on another NIC
    ./hca_regress conformance --prove                   # each case with the planted bug that it names: it must fail

A case is a separate run: a short procedure in \`sequences/conformance/cases\` (\`case\`), or an existing sequence or test that covers the
behaviour. It is judged like any other run. It runs on every kind of NIC that has the needed capabilities, and is
reported as skipped on the others, in the summary and in \`junit.xml\`. Where public implementations differ, the column *choice* names
the profile field that declares the behaviour of a kind of NIC: a kind that declares another choice passes as well. A behaviour is
*outside* if no harness of NICs can test it. It *waits for* a capability that no shipped kind has yet.
`;

/** @param played regressions of the list, one for each kind of NIC */
export function conformancePage(tables: readonly BehaviourTable[], played: readonly PlayedBehaviours[]): string {
  const kinds = played.map((each) => ({ name: kindOf(each), verdicts: verdictsOf(tables, each) }));
  const { harness } = currentVersions(projectRoot());
  const version = (name: string): string => `${name} ${harness}`;
  const about = ({ only }: BehaviourTable) => kinds.filter((kind) => only === undefined || kind.name === only);
  const counts = tables.flatMap((table) => {
    const kindsOf = about(table).map(({ name, verdicts }) => ({ nic: version(name), verdicts }));
    // Behaviours of a kind of NIC that does not ship yet.
    if (kindsOf.length === 0)
      kindsOf.push({ nic: `${table.only ?? ''} (not yet)`, verdicts: verdictsOf([table], NOTHING) });
    return kindsOf.map(({ nic, verdicts }) => {
      const { name, behaviours } = table;
      const count = (verdict: BehaviourVerdict): number =>
        behaviours.filter(({ id }) => verdicts.get(id) === verdict).length;
      const cells = (['passed', 'failed', 'skipped', 'outside', 'waits'] as const).map(count);
      return row([name, nic, behaviours.length, ...cells]);
    });
  });
  const summary = [
    row(['behaviours', 'NIC', 'ids', 'passed', 'failed', 'skipped', 'outside', 'waits']),
    '|---|---|---:|---:|---:|---:|---:|---:|',
    ...counts,
  ];
  const sections = tables.map((table) => {
    const { title, origin, behaviours } = table;
    const columns = about(table);
    const heads = [
      'id',
      'what must happen',
      'where it is said',
      'case',
      'proof',
      ...columns.map(({ name }) => version(name)),
    ];
    const lines = behaviours.map((behaviour) =>
      row([...cellsOf(behaviour), ...columns.map(({ verdicts }) => verdicts.get(behaviour.id) ?? '')]),
    );
    return [
      `## ${capital(title)}`,
      '',
      `Origin: ${origin}.`,
      '',
      row(heads),
      row(heads.map(() => '---')),
      ...lines,
    ].join('\n');
  });
  return `${[INTRODUCTION, ...summary].join('\n')}\n\n${sections.join('\n\n')}\n`;
}

/** Cells of a behaviour that depend on no run. */
export function cellsOf({ id, must, clause, shown, choice, proof }: Behaviour): readonly string[] {
  const how =
    shown.by === 'runs'
      ? [...new Set(shown.runs.map(({ what }) => what))].map((what) => `\`${what}\``).join(', ')
      : shown.by === 'outside'
        ? `*outside*: ${shown.reason}`
        : `*waits for* ${shown.reason}`;
  const needs = caseNamed(id)?.needs.capabilities ?? [];
  const needed = shown.by === 'runs' && needs.length > 0 ? `; needs ${needs.join(', ')}` : '';
  const chosen = choice === undefined ? '' : `; choice \`${choice}\``;
  const bug = proof === undefined ? '' : `\`${proof.bug}\``;
  return [id, must, clause, `${how}${needed}${chosen}`, bug];
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The kind of NIC of a regression: that of its runs, or of those that it left out. */
function kindOf({ jobs, skipped }: PlayedBehaviours): string {
  const all = [...jobs, ...skipped.map(({ job }) => job)];
  const plain = all.find(({ id }) => /^[GT]/.test(behaviourOfJob(id)));
  return plain === undefined ? '' : dutOf(plain);
}
