/** Knobs of the NIC model in constrained-random runs. */

import type { NicKnobs } from '../../dut-model/nic.ts';
import { findKnob, type NicKnob } from '../../dut-model/nicKnob.ts';
import type { ResolvedParameters } from '../../config/parameters.ts';
import { hasCorners } from '../../config/draws/drawCorners.ts';
import { knobsOfHost, type RunConfig, typedKnobs } from '../../config/runConfig.ts';
import { shellQuote } from '../../uvm/cmdline/shellQuote.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { nicNamed } from '../nicEntry.ts';

/** Runs that draw knobs at all: users verify the model as it is first of all. */
const RUNS = 0.5;
/** Knobs of such a run that leave their default. */
const SHARE = 0.25;

/** Where what was not given is drawn, adds drawn knobs of the NICs, and a note that shows them as they would be typed. */
export function withDrawnKnobs(resolved: ResolvedParameters, nics: readonly NicEntry[]): ResolvedParameters {
  const { config, isDrawn } = resolved;
  if (!isDrawn || !config.values.DRAW_KNOBS) return resolved;
  const kinds = config.duts.map((name) => nicNamed(nics, name));
  const [usual] = kinds;
  if (usual === undefined) return resolved;
  if (kinds.every((kind) => kind === usual)) {
    const given = { ...config.nicKnobs, ...Object.assign({}, ...config.hostKnobs.values()) };
    const drawn = drawKnobs(usual.knobs, given, config, '');
    return withKnobs(resolved, { nicKnobs: drawn, hostKnobs: new Map() });
  }
  const byHost = kinds.map((kind, host): [number, NicKnobs] => [
    host,
    drawKnobs(kind?.knobs ?? [], knobsOfHost(config, host), config, ` of host ${host}`),
  ]);
  return withKnobs(resolved, {
    nicKnobs: {},
    hostKnobs: new Map(byHost.filter(([, knobs]) => Object.keys(knobs).length > 0)),
  });
}

/** Knobs besides those that were given. */
function withKnobs(resolved: ResolvedParameters, drawn: Pick<RunConfig, 'nicKnobs' | 'hostKnobs'>): ResolvedParameters {
  const typed = Object.entries(typedKnobs(drawn)).map(([name, value]) => shellQuote(`+${name}=${value}`));
  if (typed.length === 0) return resolved;
  const { config, notes } = resolved;
  const nicKnobs = { ...config.nicKnobs, ...drawn.nicKnobs };
  const hosts = new Set([...config.hostKnobs.keys(), ...drawn.hostKnobs.keys()]);
  const ofHost = (host: number): NicKnobs => ({ ...config.hostKnobs.get(host), ...drawn.hostKnobs.get(host) });
  const hostKnobs = new Map([...hosts].sort((a, b) => a - b).map((host) => [host, ofHost(host)]));
  return {
    ...resolved,
    config: { ...config, nicKnobs, hostKnobs },
    notes: [...notes, `KNOBS_DRAWN: ${typed.join(' ')}`],
  };
}

/**
 * Corners of knobs that were not given. Each knob has a stream of its own, so that giving one leaves the others as
 * they are.
 * @param given values by name, spelled in any way
 * @param whose in names of streams: of NICs that are not all alike each has its own
 * @returns values by name in lower case
 */
function drawKnobs(
  knobs: readonly NicKnob[],
  given: NicKnobs,
  { seed, testName, values }: Pick<RunConfig, 'seed' | 'testName' | 'values'>,
  whose: string,
): NicKnobs {
  const streams = new RandomStreams(seed, testName);
  const typed = new Set(Object.keys(given).map((name) => findKnob(knobs, name)));
  const draw = (stream: string, valuesOf: (knob: NicKnob) => readonly number[] | undefined): Record<string, number> => {
    const drawn: Record<string, number> = {};
    for (const knob of knobs) {
      const values = valuesOf(knob) ?? [];
      const own = streams.stream(stream, `NIC_${knob.name}${whose}`);
      if (values.length > 0 && !typed.has(knob) && own.chance(SHARE)) drawn[knob.name.toLowerCase()] = own.pick(values);
    }
    return drawn;
  };
  // In runs with corners: few knobs, each at a value that is hard for the NIC.
  if (hasCorners(values, seed, testName))
    return draw('corners', ({ corners, hardest }) => hardest ?? corners?.slice(0, 1));
  // In runs whose requests change keys: choices about keys, and small caches of them.
  const drawn = values.KEY_PCT > 0 ? draw('keys', ({ ofKeys }) => ofKeys) : {};
  if (!streams.stream('parameters', `NIC${whose}`).chance(RUNS)) return drawn;
  return { ...drawn, ...draw('parameters', ({ corners }) => corners) };
}
