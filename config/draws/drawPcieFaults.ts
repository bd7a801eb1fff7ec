/**
 * Draws the PCIe faults of a random test, `+DRAW_PCIE_FAULTS`: shares of all requests, rules for some of them, or both, of late
 * answers and of failing ones. As those of the link: moderate, `optional`, and from streams of their own. What commands read is
 * left alone: software ends without.
 */
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { DraftValues } from '../draftValues.ts';
import type { ParameterName } from '../table/parameterTable.ts';
import { PCIE_FAULTS } from '../table/faultParameters.ts';
import { ACK_TIMEOUTS, waitsLong } from './ackTimeouts.ts';
import { DrawnValues } from './drawnValues.ts';
import { optionalRules } from './optionalRules.ts';

/** Runs that draw faults of PCIe, for one that draws faults of the link. */
const SHARE_OF_FAULTS = 0.3;
/** What is drawn for them. */
export const PCIE_FAULTS_DRAWN: readonly ParameterName[] = [...PCIE_FAULTS, 'ACK_TIMEOUT'];

const KINDS = [
  [3, 'late'],
  [3, 'errors'],
  [3, 'rules'],
  [2, 'all'],
] as const;
const DELAYS = [1, 5, 20] as const;
const ERRORS = [0.2, 0.5, 2] as const;
const MOST_RULES = 3;

/** Draws PCIe faults into `draft`; returns the parameters that were drawn. Who gives such faults himself has no others. */
export function drawPcieFaults(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
): ParameterName[] {
  const streams = new RandomStreams(seed, testName);
  const stream = (name: string): RandomStream => streams.stream('faults', name);
  const own = isGiven('DRAW_PCIE_FAULTS');
  const chance = own ? Number(draft.DRAW_PCIE_FAULTS) : SHARE_OF_FAULTS * Number(draft.DRAW_FAULTS);
  if (chance === 0 || (!own && PCIE_FAULTS.some(isGiven)) || !stream('DRAW_PCIE_FAULTS').chance(chance)) return [];
  const drawn = new DrawnValues(draft, isGiven);
  const kind = stream('PCIE_KIND').weighted(KINDS);
  if (kind === 'late' || kind === 'all') drawn.set('PCIE_DELAY_PCT', stream('PCIE_DELAY_PCT').pick(DELAYS));
  if (kind === 'errors' || kind === 'all') drawn.set('PCIE_ERROR_PCT', stream('PCIE_ERROR_PCT').pick(ERRORS));
  if (kind === 'rules' || kind === 'all')
    drawn.set(
      'PCIE_FAULT',
      optionalRules(stream('PCIE_FAULT'), MOST_RULES, (s) => drawRule(s, Number(draft.HOST_NUM))),
    );
  if (kind !== 'late' && waitsLong(Number(draft.ACK_TIMEOUT)))
    drawn.set('ACK_TIMEOUT', stream('PCIE_ACK_TIMEOUT').pick(ACK_TIMEOUTS));
  return drawn.names;
}

function drawRule(stream: RandomStream, hosts: number): string {
  const host = stream.chance(0.4) ? ` host=${stream.range(0, hosts - 1)}` : '';
  return `${drawAction(stream)}${host}${rareness(stream)}`;
}

function drawAction(stream: RandomStream): string {
  const failing = stream.pick(['ur', 'ca', 'poison', 'lose']);
  const area = stream.weighted([
    [4, 'data'],
    [3, 'queue'],
    [2, 'data,queue'],
  ]);
  return stream.weighted([
    [6, `${failing} area=${area}`],
    [1, 'poison kind=write area=data'],
    [1, `delay by=${stream.pick(['2us', '1us..20us', 'exponential(5us)'])}`],
    [1, `reorder by=${stream.pick(['1us', '1us..10us'])}`],
    [1, 'split'],
    [1, `back_pressure by=${stream.pick(['1us', '5us', '1us..20us'])}`],
  ]);
}

function rareness(stream: RandomStream): string {
  const nth = stream.range(1, 12);
  return stream.weighted([
    [4, ` nth=${nth}`],
    [2, ` nth=${nth}..${nth + stream.range(1, 3)}`],
    [2, ` every=${stream.range(20, 80)}`],
    [2, ` probability=${stream.pick([0.5, 1, 3])}%`],
  ]);
}
