/** What an exhaustive play has found, and which of the placements that fail are the smallest. */

import type { PlacedRun } from './placedRun.ts';
import { type FaultSpot, type Placement, placementText } from './placement.ts';
import type { UnitFindings } from './unit.ts';

/** Of one scenario. */
export class ScenarioFindings {
  readonly name: string;
  /** Frames of its run without faults. */
  readonly frames: number;
  placements = 0;
  /** Wall-clock time of its runs on all workers, ms. */
  wallMs = 0;
  readonly #hashes = new Set<string>();
  readonly #failures: PlacedRun[] = [];

  constructor(name: string, frames: number) {
    this.name = name;
    this.frames = frames;
  }

  add({ placements, hashes, failures }: UnitFindings, wallMs: number): void {
    this.placements += placements;
    this.wallMs += wallMs;
    for (const hash of hashes) this.#hashes.add(hash);
    this.#failures.push(...failures);
  }

  /** Different transcripts: placements that come to the same are one. */
  get distinct(): number {
    return this.#hashes.size;
  }

  get failures(): readonly PlacedRun[] {
    return this.#failures;
  }

  /** Failures none of whose faults fails by itself, by id of the finding, the earliest first. */
  smallest(): ReadonlyMap<string, readonly PlacedRun[]> {
    const alone = new Set(this.#failures.filter(({ placement }) => placement.length === 1).map(keyOf));
    const least = this.#failures.filter(
      ({ placement }) => placement.length === 1 || !placement.some((spot) => alone.has(placementText([spot]))),
    );
    const groups = new Map<string, PlacedRun[]>();
    for (const run of least.toSorted((a, b) => compare(a.placement, b.placement)))
      groups.set(labelOf(run), [...(groups.get(labelOf(run)) ?? []), run]);
    return groups;
  }
}

/** What a run is filed under: the id of its finding. */
function labelOf({ id, outcome }: PlacedRun): string {
  return id === '' ? outcome : id;
}

function keyOf({ placement }: PlacedRun): string {
  return placementText(placement);
}

/** Fewer faults first, then earlier ones. */
function compare(a: Placement, b: Placement): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [i, spot] of a.entries()) {
    const order = compareSpots(spot, b[i] as FaultSpot);
    if (order !== 0) return order;
  }
  return 0;
}

function compareSpots(a: FaultSpot, b: FaultSpot): number {
  return a.ordinal - b.ordinal || a.host - b.host || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0);
}
