/** Knobs of the NIC model in constrained-random runs. */

import type { NicKnobs } from '../../dut-model/nic.ts';
import { findKnob, type NicKnob } from '../../dut-model/nicKnob.ts';
import type { ResolvedParameters } from '../../config/parameters.ts';
import { typedKnobs } from '../../config/runConfig.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { nicNamed } from '../nicEntry.ts';

/** Runs that draw knobs at all: users verify the model as it is first of all. */
const RUNS = 0.5;
/** Knobs of such a run that leave their default. */
const SHARE = 0.25;

/** Where what was not given is drawn, adds drawn knobs of the NIC, and a note that shows them as they would be typed. */
export function withDrawnKnobs(resolved: ResolvedParameters, nics: readonly NicEntry[]): ResolvedParameters {
  const { config, isDrawn, notes } = resolved;
  const { values, seed, testName } = config;
  const nic = nicNamed(nics, values.DUT);
  if (!isDrawn || !values.DRAW_KNOBS || nic === undefined) return resolved;
  const drawn = drawKnobs(nic.knobs, config.nicKnobs, seed, testName);
  const typed = Object.entries(typedKnobs(drawn)).map(([name, value]) => `+${name}=${value}`);
  if (typed.length === 0) return resolved;
  const nicKnobs = { ...config.nicKnobs, ...drawn };
  return { ...resolved, config: { ...config, nicKnobs }, notes: [...notes, `KNOBS_DRAWN: ${typed.join(' ')}`] };
}

/**
 * Corners of knobs that were not given. Each knob has a stream of its own, so that giving one leaves the others as
 * they are.
 * @param given values by name, spelled in any way
 * @returns values by name in lower case
 */
function drawKnobs(knobs: readonly NicKnob[], given: NicKnobs, seed: number, testName: string): NicKnobs {
  const streams = new RandomStreams(seed, testName);
  if (!streams.stream('parameters', 'NIC').chance(RUNS)) return {};
  const typed = new Set(Object.keys(given).map((name) => findKnob(knobs, name)));
  const drawn: Record<string, number> = {};
  for (const knob of knobs) {
    const { name, corners = [] } = knob;
    const stream = streams.stream('parameters', `NIC_${name}`);
    if (corners.length > 0 && !typed.has(knob) && stream.chance(SHARE))
      drawn[name.toLowerCase()] = stream.pick(corners);
  }
  return drawn;
}
