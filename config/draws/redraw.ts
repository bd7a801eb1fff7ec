import type { DraftValues } from '../draftValues.ts';
import { hasDrawnFaults } from './drawFaults.ts';
import { drawParameters } from './drawParameters.ts';
import { keepWithin } from '../keepWithin.ts';
import { PARAMETERS, type Parameter, type ParameterName, type ParameterValues } from '../table/parameterTable.ts';
import type { RunConfig } from '../runConfig.ts';

/** What the environment is built with: as long as that stands, so do these. */
const GROUPS: readonly Parameter['group'][] = ['PCIe and link', 'device'];
const ALSO: readonly string[] = ['HOST_NUM', 'PROC_NUM', 'PAGE_SCATTER'];
const LASTING: ReadonlySet<string> = new Set(
  (PARAMETERS as readonly Parameter[])
    .filter(({ group, name }) => GROUPS.includes(group) || ALSO.includes(name))
    .map(({ name }) => name),
);

/**
 * The same configuration with other draws, for a system that is set up anew in the same environment: what was drawn is
 * drawn again, apart from hosts, processes, placement of pages, buses and link.
 * @param seed of the draws
 */
export function redrawn(config: RunConfig, seed: number): RunConfig {
  const { origin, testName, limits } = config;
  const draft = { ...config.values } as DraftValues;
  const stays = (name: ParameterName): boolean =>
    LASTING.has(name) || origin[name] === 'given' || origin[name] === 'scenario' || goesWithFaults(name, config);
  drawParameters(draft, stays, seed, testName, limits);
  keepWithin(draft, stays, limits);
  if (!stays('RECV_WQE_NUM')) draft.RECV_WQE_NUM = draft.SEND_WQE_NUM;
  return { ...config, values: draft as unknown as ParameterValues };
}

/** Faults last, and with them the time-out that they ask for. */
function goesWithFaults(name: ParameterName, config: RunConfig): boolean {
  return name === 'ACK_TIMEOUT' && (config.faults.rules.length > 0 || hasDrawnFaults(config));
}
