/**
 * Draws the link faults of a random test, `+DRAW_FAULTS`: shares of all frames, rules for some of them, or both, and in half
 * of the runs an end. Rates are moderate, so that connections get on; rules are `optional`, because nobody knows beforehand
 * what a drawn run sends. What is drawn stands in the parameters as it would be typed.
 *
 * Everything comes from streams of its own: no other draw of the run moves, and a run that draws no faults is the run that
 * it was without.
 */
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import { MS, US } from '../../uvm/kernel/time.ts';
import type { DraftValues } from '../draftValues.ts';
import { ACK_TIMEOUTS, waitsLong } from './ackTimeouts.ts';
import { drawRule } from './drawFaultRule.ts';
import { DrawnValues } from './drawnValues.ts';
import { optionalRules } from './optionalRules.ts';
import { LINK_FAULTS } from '../table/faultParameters.ts';
import type { ParameterName } from '../table/parameterTable.ts';
import type { RunConfig } from '../runConfig.ts';

/** Shares that may be drawn, %. */
const SHARES = [
  ['LOSS_PCT', [0.3, 1, 3, 8]],
  ['DUP_PCT', [1, 5, 20]],
  ['REORDER_PCT', [1, 5, 15]],
  ['DELAY_PCT', [1, 5, 15]],
  ['CORRUPT_PCT', [0.3, 1, 4]],
  ['ECN_PCT', [2, 15, 60]],
] as const satisfies readonly (readonly [ParameterName, readonly number[]])[];
const KINDS = [
  [4, 'shares'],
  [4, 'rules'],
  [2, 'both'],
] as const;
const SHARE_CHANCE = 0.35;
const BURST_CHANCE = 0.3;
const BURSTS = [3, 8] as const;
const MOST_RULES = 3;
/** Bringing up takes some 150 us: an end lies among the traffic, or behind it. */
const FIRST_END = 150 * US;
const LAST_END = 2 * MS;

/** What is drawn for runs with faults of the link. */
export const FAULTS_DRAWN: readonly ParameterName[] = [
  ...SHARES.map(([name]) => name),
  'LOSS_BURST',
  'NET_FAULT',
  'FAULT_UNTIL',
  'ACK_TIMEOUT',
];

/** Faults of PCIe by which a peer may not be answered. */
const PCIE_ERRORS = ['PCIE_FAULT', 'PCIE_ERROR_PCT'] as const;

/** Whether a run has drawn faults. */
export function hasDrawnFaults({ origin }: Pick<RunConfig, 'origin'>): boolean {
  return [...LINK_FAULTS, ...PCIE_ERRORS].some((name) => origin[name] === 'drawn');
}

/**
 * Draws faults into `draft`, in as many runs as `+DRAW_FAULTS` says; returns the parameters that were drawn. Who gives
 * faults himself has those and no others, unless he gives `+DRAW_FAULTS` too.
 */
export function drawFaults(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
): ParameterName[] {
  const streams = new RandomStreams(seed, testName);
  const stream = (name: string): RandomStream => streams.stream('faults', name);
  const own = isGiven('DRAW_FAULTS') ? false : LINK_FAULTS.some(isGiven);
  if (own) return drawTimer(draft, isGiven, seed, testName);
  if (!stream('DRAW_FAULTS').chance(Number(draft.DRAW_FAULTS))) return [];
  const drawn = new DrawnValues(draft, isGiven);
  const kind = stream('KIND').weighted(KINDS);
  if (kind !== 'rules') drawShares(stream, drawn);
  if (kind !== 'shares')
    drawn.set(
      'NET_FAULT',
      optionalRules(stream('NET_FAULT'), MOST_RULES, (s) => drawRule(s, Number(draft.HOST_NUM))),
    );
  const end = stream('FAULT_UNTIL');
  if (end.chance(0.5)) drawn.set('FAULT_UNTIL', end.range(FIRST_END / US, LAST_END / US) * US);
  if (waitsLong(Number(draft.ACK_TIMEOUT))) drawn.set('ACK_TIMEOUT', stream('ACK_TIMEOUT').pick(ACK_TIMEOUTS));
  return drawn.names;
}

/**
 * For faults that are given: a requester whose ACK timer is off waits for ever for what is lost, so that the timer is not drawn
 * to be off.
 */
export function drawTimer(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
): ParameterName[] {
  if (isGiven('ACK_TIMEOUT') || Number(draft.ACK_TIMEOUT) !== 0) return [];
  draft.ACK_TIMEOUT = new RandomStreams(seed, testName).stream('faults', 'ACK_TIMEOUT').pick(ACK_TIMEOUTS);
  return ['ACK_TIMEOUT'];
}

/** At least one of them. */
function drawShares(stream: (name: string) => RandomStream, drawn: DrawnValues): void {
  const certain = stream('SHARES').range(0, SHARES.length - 1);
  for (const [i, [name, values]] of SHARES.entries()) {
    const own = stream(name);
    if (i === certain || own.chance(SHARE_CHANCE)) drawn.set(name, own.pick(values));
    if (name === 'LOSS_PCT' && own.chance(BURST_CHANCE)) drawn.set('LOSS_BURST', own.pick(BURSTS));
  }
}
