/**
 * Which planted bugs single faults at every frame find: each bug with every scenario in turn, until the first finding.
 *
 *   bug x scenario x placement ─► PlacedRun ─► BugPlacement
 */

import { Glob } from '../../uvm/base/glob.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { FaultEntry } from '../../env/nicKind.ts';
import type { Registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { type FaultKind, type Placement, placementText, singles } from './placement.ts';
import { type PlacedRun, PlacedScenario } from './placedRun.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';

/** What came of a bug. */
export interface BugPlacement {
  readonly bug: string;
  /** Scenario of the first finding; '' where there was none. */
  readonly scenario: string;
  /** Its faults; empty: the bug shows without any. */
  readonly placement: Placement;
  /** Id of the finding. */
  readonly id: string;
  /** Runs with the bug. */
  readonly runs: number;
}

/** A scenario with what it needs to be played. */
interface Ground {
  readonly scenario: NamedScenario;
  readonly registry: Registry;
}

/** Bugs of a NIC whose names one of the patterns (with commas between them) meets. */
export function bugsNamed(faults: readonly FaultEntry[], patterns: string): readonly FaultEntry[] {
  const globs = patterns.split(',').map((text) => new Glob(text.trim()));
  return faults.filter(({ name }) => globs.some((glob) => glob.matches(name)));
}

/** Scenarios in the order of the list, with the registry of each. */
export async function groundsOf(scenarios: readonly NamedScenario[], registries: Registries): Promise<Ground[]> {
  const grounds: Ground[] = [];
  for (const scenario of scenarios) {
    const testPath = scenario.argv.find((word) => word.startsWith('+TEST_PATH='))?.slice('+TEST_PATH='.length);
    const { registry } = await registries.open(testPath, scenario.cwd);
    grounds.push({ scenario, registry });
  }
  return grounds;
}

/** Looks for bugs one after another; the byte store is shared by all runs. */
export class BugPlacements {
  readonly #grounds: readonly Ground[];
  readonly #kinds: readonly FaultKind[];
  readonly #bytes = ByteStore.create();

  constructor(grounds: readonly Ground[], kinds: readonly FaultKind[]) {
    this.#grounds = grounds;
    this.#kinds = kinds;
  }

  find({ name }: FaultEntry): BugPlacement {
    let runs = 0;
    for (const { scenario, registry } of this.#grounds) {
      const placed = new PlacedScenario([...scenario.argv, `+DUT_FAULT=${name}`], scenario.cwd, registry, this.#bytes);
      const found = (run: PlacedRun): BugPlacement => ({
        ...{ bug: name, scenario: scenario.name, placement: run.placement, id: run.id, runs },
      });
      const { frames, ...clean } = placed.play([]);
      runs++;
      if (clean.outcome === 'failed') return found(clean);
      for (const spot of singles(frames, this.#kinds)) {
        const run = placed.play([spot]);
        runs++;
        if (run.outcome === 'failed') return found(run);
      }
    }
    return { bug: name, scenario: '', placement: [], id: '', runs };
  }
}

/** A row of the table: bug, what found it and where, runs. */
export function bugRow({ bug, scenario, placement, id, runs }: BugPlacement): string {
  const where = placement.length === 0 ? 'no fault' : `'${placementText(placement)}'`;
  const said = scenario === '' ? 'not found' : `${id} in ${scenario} with ${where}`;
  return `${bug}: ${said}, ${runs} runs`;
}
