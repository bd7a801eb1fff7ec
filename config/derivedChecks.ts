/**
 * What must hold between parameters: sums, and everything that the run will need from them (ring slots, queue
 * numbers, table entries, area sizes, memory). Found before time 0, each with what to lower.
 */
import { type DeviceLimits, mostRdAtomic } from '../env/deviceLimits.ts';
import type { ProviderCapabilities } from '../env/verbs/capabilities.ts';
import { unpaired } from '../env/pairing.ts';
import { MAX_MESSAGE } from '../rdma/verbs.ts';
import { directExtent } from './scenario/drawn/directLayout.ts';
import { CqPlacement } from './scenario/drawn/cqPlacement.ts';
import { completionsOf } from './scenario/drawn/memoryBudget.ts';
import { checkNumbers, numbersFit } from './numberingChecks.ts';
import { AUTO_REGION_LIMIT, chooseGranularity } from './scenario/drawn/granularity.ts';
import { withWords } from './scenario/drawn/atomicDraws.ts';
import { randomExtent } from './scenario/drawn/randomLayout.ts';
import { counted, countedAre } from '../uvm/report/counted.ts';
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';
import { MAX_RECEIVED, restartProblems } from './restartMemory.ts';
import { argumentText, sgBytes, unitBytes } from './runConfig.ts';
import { whereKnown, withoutValues } from './unreadableValues.ts';

/** Send-queue requests of a queue pair per doorbell, as in the published table. */
export const MAX_REQUESTS = 30;
const PSNS = 2 ** 24;

/** Problems that forbid the run, and notes about what it will do differently from what was typed. */
export interface DerivedFindings {
  readonly problems: string[];
  readonly notes: string[];
}

/** Tells which parameters the user gave: messages name those as they were typed, and the others in parentheses. */
export type IsGiven = (name: ParameterName) => boolean;

/**
 * Checks a complete set of values. `random`: requests are laid out by `test_random`.
 * @param limits of the NIC
 * @param misread parameters whose values could not be read: what depends on them is not judged
 */
export function checkDerived(
  values: ParameterValues,
  random: boolean,
  limits: DeviceLimits,
  isGiven: IsGiven = () => true,
  misread: ReadonlySet<ParameterName> = new Set(),
): DerivedFindings {
  const v = misread.size === 0 ? values : withoutValues(values, misread);
  const shown: Shown = (...names) => argumentsText(v, names, isGiven);
  const checks = [
    checkCapabilities,
    checkQueuePairs,
    checkRequests,
    checkReceives,
    checkDepths,
    checkLists,
    checkInline,
    checkPsn,
    checkReads,
    checkNumbers,
    checkCqEntries,
  ];
  const problems = checks.flatMap((check) => whereKnown(() => check(v, shown, limits)));
  problems.push(...whereKnown(() => checkSizes(v, random, shown, limits)));
  problems.push(...whereKnown(() => checkRestarts(v, random, isGiven)));
  if (problems.length > 0 || misread.size > 0) return { problems, notes: [] };
  const tables = checkTables(v, random, shown, limits);
  return { problems: tables.problems, notes: [...tables.notes, ...noteLeftOut(v), ...noteAlone(v)] };
}

/** True when nothing forbids the run: `checkDerived` would have no problem. */
export function isLegal(v: ParameterValues, random: boolean, limits: DeviceLimits): boolean {
  if (!workFits(v, limits) || v.MAX_RD_ATOMIC > mostRdAtomic(limits)) return false;
  if (!listsFit(v, limits) || !numbersFit(v, limits) || !sizesFit(v, random, limits) || checkDepths(v).length > 0)
    return false;
  const { budget, fits } = chooseGranularity(v, areaBytes(v, random), limits);
  return fits && budget.cqs <= limits.maxCqs && budget.cqEntries <= limits.maxCqEntries;
}

/** The part of that which the numbers of queue pairs and requests decide. */
export function workFits(v: ParameterValues, limits: DeviceLimits): boolean {
  const qps = totalQps(v);
  if (qps < 1 || qps > limits.maxQps || totalRequests(v) > MAX_REQUESTS || v.RECV_WQE_NUM !== v.SEND_WQE_NUM)
    return false;
  return deniedIn(v, limits, WORK_NEEDS).length === 0;
}

/** True when at least one request is posted. */
export function hasWork(v: ParameterValues): boolean {
  return v.DB_NUM > 0 && workOf(v) > 0;
}

/** Bytes that a queue pair uses of each of its areas. */
function areaBytes(v: ParameterValues, random: boolean): number {
  if (!random) return directExtent(v);
  return v.ATOMIC_PCT > 0 ? withWords(randomExtent(v)) : randomExtent(v);
}

/** Writes parameters with their values. */
type Shown = (...names: ParameterName[]) => string;

function argumentsText(v: ParameterValues, names: readonly ParameterName[], isGiven: IsGiven): string {
  const typed = names.filter(isGiven).map((name) => `+${name}=${argumentText(name, v[name])}`);
  const rest = names.filter((name) => !isGiven(name)).map((name) => `${name}=${argumentText(name, v[name])}`);
  return [...typed, ...(rest.length > 0 ? [`(${rest.join(' ')})`] : [])].join(' ');
}

/** A parameter that asks for what not every NIC can do, what that is, and the value that does not. */
type Need = readonly [ParameterName, keyof ProviderCapabilities, string, number | boolean];

const WORK_NEEDS: readonly Need[] = [
  ['RC_QP_NUM', 'rc', 'RC queue pairs', 0],
  ['UC_QP_NUM', 'uc', 'UC queue pairs', 0],
  ['UD_QP_NUM', 'ud', 'UD queue pairs', 0],
  ['READ_WQE_NUM', 'rdmaRead', 'READs', 0],
  ['ATOMIC_PCT', 'atomics', 'atomics', 0],
];
/** Those, and such as nothing else depends on. */
export const NEEDS: readonly Need[] = [
  ...WORK_NEEDS,
  ['MAX_INLINE', 'inline', 'inline data', 0],
  ['KEY_TAGS', 'taggedKeys', 'keys with tags', 0],
  ['KEY_PCT', 'memoryWindows', 'keys that requests change', 0],
  ['CQ_INDEX', 'cqOverflow', 'completion queues that may overflow', 0],
  ['CQ_ENTRIES', 'cqOverflow', 'completion queues that may overflow', 0],
  ['SRQ_NUM', 'sharedReceives', 'shared receive queues', 0],
  ['AH_PCT', 'ud', 'UD queue pairs, whose datagrams have address handles', 0],
  ['UNEQUAL_PCT', 'naks', 'refusals that say why, which ends that differ need', 0],
  ['UNSIGNALED_PCT', 'unsignaled', 'requests without a completion', 0],
  ['CQ_EVENT', 'events', 'completion events', false],
  ['IPV6', 'ipv6', 'IPv6', false],
];

function deniedIn(v: ParameterValues, { capabilities }: DeviceLimits, needs: readonly Need[]): Need[] {
  return needs.filter(([name, capability]) => !capabilities[capability] && Number(v[name]) > 0);
}

function checkCapabilities(v: ParameterValues, shown: Shown, limits: DeviceLimits): string[] {
  return deniedIn(v, limits, NEEDS).map(
    ([name, , what, none]) => `${shown(name)}: the NIC has no ${what}; try +${name}=${Number(none)}`,
  );
}

function checkQueuePairs(v: ParameterValues, shown: Shown, { maxQps }: DeviceLimits): string[] {
  const qps = totalQps(v);
  if (qps >= 1 && qps <= maxQps) return [];
  const named = shown('RC_QP_NUM', 'UC_QP_NUM', 'UD_QP_NUM');
  if (qps < 1) return [`${named} make no queue pair: their sum must be 1..${maxQps}; try +RC_QP_NUM=2`];
  return [`${named} make ${qps} queue pairs: their sum must be 1..${maxQps}; lower them by ${qps - maxQps}`];
}

function checkRequests(v: ParameterValues, shown: Shown): string[] {
  const requests = totalRequests(v);
  if (requests <= MAX_REQUESTS) return [];
  return [
    `${shown('WRITE_WQE_NUM', 'READ_WQE_NUM', 'SEND_WQE_NUM')} make ` +
      `${requests} requests per doorbell: their sum must be 0..${MAX_REQUESTS}; lower them by ${requests - MAX_REQUESTS}`,
  ];
}

/** Queues that overflow need a NIC that is told what software has taken, and a test that does not wait for all that is lost. */
function checkCqEntries(v: ParameterValues, shown: Shown, limits: DeviceLimits): string[] {
  if (v.CQ_ENTRIES === 0) return [];
  const problems: string[] = [];
  if (v.CQ_INDEX === 0)
    problems.push(`${shown('CQ_ENTRIES')}: the NIC must be told what software has taken; try +CQ_INDEX=4`);
  const needed = CqPlacement.of(v, limits.maxProcesses).entries(0, completionsOf(v));
  if (v.UVM_TEST_SEQ === '' && v.CASE === '' && v.CQ_ENTRIES < needed)
    problems.push(
      `${shown('CQ_ENTRIES')}: this test waits for up to ${needed} completions of a queue; use ${needed} or more, or 0`,
    );
  return problems;
}

function checkReceives(v: ParameterValues): string[] {
  if (v.RECV_WQE_NUM === v.SEND_WQE_NUM) return [];
  return [
    `+RECV_WQE_NUM=${v.RECV_WQE_NUM} differs from +SEND_WQE_NUM=${v.SEND_WQE_NUM}: every SEND takes one RECV; ` +
      `leave +RECV_WQE_NUM out or try +RECV_WQE_NUM=${v.SEND_WQE_NUM}`,
  ];
}

/** Receives of a doorbell at most: a WRITE with immediate takes one as well. */
export function receivesOf(v: Pick<ParameterValues, 'RECV_WQE_NUM' | 'WRITE_WQE_NUM' | 'IMM'>): number {
  return v.RECV_WQE_NUM + (v.IMM > 0 ? v.WRITE_WQE_NUM : 0);
}

/** Queues must hold what a doorbell brings, because its work is posted at once. */
function checkDepths(v: ParameterValues): string[] {
  const sends = totalRequests(v);
  const recvs = receivesOf(v);
  const problems: string[] = [];
  if (v.MAX_SEND_WR > 0 && v.MAX_SEND_WR < sends)
    problems.push(
      `+MAX_SEND_WR=${v.MAX_SEND_WR} is less than the ${sends} requests of a doorbell: use ${sends}..32768, or 0`,
    );
  if (v.MAX_RECV_WR > 0 && v.MAX_RECV_WR < recvs)
    problems.push(
      `+MAX_RECV_WR=${v.MAX_RECV_WR} is less than the ${recvs} receives of a doorbell: use ${recvs}..32767, or 0`,
    );
  return problems;
}

/** A UD receive has an entry more than a SEND, for the GRH. */
function listsFit(v: ParameterValues, limits: DeviceLimits): boolean {
  return v.SG_NUM <= mostEntries(v, limits);
}

function checkLists(v: ParameterValues, shown: Shown, limits: DeviceLimits): string[] {
  if (listsFit(v, limits)) return [];
  const { maxSge } = limits;
  const range = `the NIC takes 1..${maxSge}`;
  if (v.SG_NUM > maxSge)
    return [`${shown('SG_NUM')} makes lists of ${v.SG_NUM} entries: ${range}; try +SG_NUM=${mostEntries(v, limits)}`];
  return [
    `${shown('SG_NUM', 'UD_QP_NUM')} give UD receives ${v.SG_NUM + 1} entries, one of them for the GRH: ${range}; ` +
      `try +SG_NUM=${maxSge - 1} or +UD_QP_NUM=0`,
  ];
}

/** Entries of a message's list at most. */
export function mostEntries(v: Pick<ParameterValues, 'UD_QP_NUM'>, { maxSge }: DeviceLimits): number {
  return v.UD_QP_NUM > 0 ? maxSge - 1 : maxSge;
}

function checkInline(v: ParameterValues, shown: Shown, { maxInline }: DeviceLimits): string[] {
  if (v.MAX_INLINE <= maxInline) return [];
  return [`${shown('MAX_INLINE')} is more than the NIC takes: 0..${maxInline}; try +MAX_INLINE=${maxInline}`];
}

function checkReads(v: ParameterValues, shown: Shown, limits: DeviceLimits): string[] {
  const most = mostRdAtomic(limits);
  if (v.MAX_RD_ATOMIC <= most) return [];
  return [`${shown('MAX_RD_ATOMIC')} is more than the NIC takes: 1..${most}; try +MAX_RD_ATOMIC=${most}`];
}

function checkPsn(v: ParameterValues, shown: Shown, limits: DeviceLimits): string[] {
  const text = psnProblem(Number(v.PSN), limits);
  return text === undefined ? [] : [`${shown('PSN')}: ${text}; try +PSN=${nearestPsn(Number(v.PSN), limits)}`];
}

/** What is wrong with a first PSN; undefined for nothing, and for one that is drawn. */
export function psnProblem(psn: number, { psnGranularity = 1 }: DeviceLimits): string | undefined {
  return Number.isNaN(psn) || psn % psnGranularity === 0
    ? undefined
    : `the NIC begins at multiples of ${psnGranularity} only`;
}

/** The first PSN that a NIC can begin with, nearest to another. */
export function nearestPsn(psn: number, { psnGranularity = 1 }: DeviceLimits): number {
  const nearest = Math.round(psn / psnGranularity) * psnGranularity;
  return nearest >= PSNS ? nearest - psnGranularity : nearest;
}

function checkSizes(v: ParameterValues, random: boolean, shown: Shown, limits: DeviceLimits): string[] {
  if (sizesFit(v, random, limits)) return [];
  const problems: string[] = [];
  const typed = shown('SG_NUM', 'DATA_CNT', 'DATA_UNIT');
  const advice = lowerData(v, random, limits);
  const message = v.SG_NUM * sgBytes(v);
  if (message > MAX_MESSAGE) {
    problems.push(`${typed} make a message of ${message} bytes: allowed 0..${MAX_MESSAGE}; ${advice}`);
  }
  const area = areaBytes(v, random);
  if (area > limits.areaBytes) {
    problems.push(
      `${typed} with ${v.DB_NUM} doorbells of ${totalRequests(v)} requests need ${area} bytes per queue pair: its ` +
        `source area holds 0..${limits.areaBytes}; ${advice}, or lower DB_NUM or the request counts`,
    );
  }
  const received = receivedBytes(v);
  if (problems.length === 0 && received > MAX_RECEIVED) {
    problems.push(
      `${typed} on ${totalQps(v)} queue pairs of ${v.HOST_NUM} hosts deliver ${received} bytes: memory holds ` +
        `0..${MAX_RECEIVED}; ${advice}, or lower the number of queue pairs`,
    );
  }
  return problems;
}

function checkRestarts(v: ParameterValues, isRandom: boolean, isGiven: IsGiven): string[] {
  if (v.RESTARTS === 0) return [];
  const drawn = isRandom && !isGiven('DATA_CNT');
  return restartProblems(v.RESTARTS, { received: drawn ? 0 : receivedBytes(v), isRandom });
}

/** True when messages, areas and memory are large enough for the data. */
export function sizesFit(v: ParameterValues, random: boolean, { areaBytes: most }: DeviceLimits): boolean {
  return v.SG_NUM * sgBytes(v) <= MAX_MESSAGE && areaBytes(v, random) <= most && receivedBytes(v) <= MAX_RECEIVED;
}

function checkTables(v: ParameterValues, random: boolean, shown: Shown, limits: DeviceLimits): DerivedFindings {
  const problems: string[] = [];
  const { granularity, budget, fits } = chooseGranularity(v, areaBytes(v, random), limits);
  if (!fits) {
    const advice =
      v.MR_GRANULARITY === 'auto' || v.MR_GRANULARITY === 'qp'
        ? 'lower DATA_CNT or the number of queue pairs'
        : 'try +MR_GRANULARITY=auto';
    problems.push(
      `+MR_GRANULARITY=${v.MR_GRANULARITY} needs ${budget.regions} regions and ${budget.pages} pages per host: the NIC ` +
        `has 0..${limits.maxRegions} and 0..${limits.maxPages}; ${advice}`,
    );
  }
  if (budget.cqs > limits.maxCqs) {
    problems.push(
      `${shown('SPLIT_CQ')} with ${totalQps(v)} queue pairs needs ${budget.cqs} completion queues: the NIC has ` +
        `1..${limits.maxCqs}; try +SPLIT_CQ=0 or +SHARED_CQ=2`,
    );
  }
  if (budget.cqEntries > limits.maxCqEntries) {
    const most = Math.floor(limits.maxCqEntries / Math.max(1, completionsOf(v)));
    const advice = most > 0 ? `try +SHARED_CQ=${most}` : 'lower MAX_SEND_WR or MAX_RECV_WR';
    problems.push(
      `${shown('SHARED_CQ', 'MAX_SEND_WR', 'MAX_RECV_WR')} need a completion queue of ${budget.cqEntries} entries: allowed ` +
        `1..${limits.maxCqEntries}; ${advice}`,
    );
  }
  const limit = v.MR_GRANULARITY === 'auto' ? `, up to ${AUTO_REGION_LIMIT} of them` : '';
  const note = `MR_GRANULARITY: one region per ${GRANULARITY_NAMES[granularity]}${limit}; ${budget.dataRegions} data regions per host at most`;
  return { problems, notes: [note] };
}

const GRANULARITY_NAMES = { sg: 'scatter/gather entry', request: 'request', qp: 'area of a queue pair' } as const;

/** What services cannot do is left out, and said. */
function noteLeftOut(v: ParameterValues): string[] {
  const notes: string[] = [];
  const ud = v.UD_QP_NUM > 0;
  if (v.UC_QP_NUM > 0 && v.READ_WQE_NUM > 0) {
    notes.push(
      `UC_SKIPPED: UC has no READ; ${countedAre(v.READ_WQE_NUM, 'READ')} left out per doorbell on ${counted(v.UC_QP_NUM, 'UC queue pair')}`,
    );
  }
  if (ud && v.READ_WQE_NUM + v.WRITE_WQE_NUM > 0) {
    notes.push(
      `UD_SKIPPED: UD has SEND only; left out per doorbell on ${counted(v.UD_QP_NUM, 'UD queue pair')}: ` +
        `${counted(v.WRITE_WQE_NUM, 'WRITE')}, ${counted(v.READ_WQE_NUM, 'READ')}`,
    );
  }
  if (ud && v.SEND_WQE_NUM > 0 && v.SG_NUM * sgBytes(v) > v.MTU) {
    notes.push(`UD_CAPPED: a UD message is one packet; ${v.SG_NUM * sgBytes(v)} bytes are cut to ${v.MTU}`);
  }
  if (!hasWork(v)) notes.push('NO_WORK: these parameters post no request; a run without checks is not a pass');
  if (v.PROC_NUM > totalQps(v)) {
    notes.push(`PROC_IDLE: ${v.PROC_NUM - totalQps(v)} of ${v.PROC_NUM} processes have no queue pair`);
  }
  return notes;
}

/** Odd numbers on an odd number of hosts leave one queue pair without a peer. */
function noteAlone(v: ParameterValues): string[] {
  const counts = { RC: v.RC_QP_NUM, UC: v.UC_QP_NUM, UD: v.UD_QP_NUM };
  return Object.entries(counts).flatMap(([type, n]) => {
    const alone = unpaired(v.HOST_NUM, n);
    if (alone === null) return [];
    const last = `the last of host ${alone.host} stays idle`;
    return [`QP_UNPAIRED: ${n} ${type} queue pairs on ${v.HOST_NUM} hosts cannot all be joined; ${last}`];
  });
}

function totalQps(v: ParameterValues): number {
  return v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM;
}

function totalRequests(v: ParameterValues): number {
  return v.WRITE_WQE_NUM + v.READ_WQE_NUM + v.SEND_WQE_NUM;
}

/** Requests that a doorbell of one queue pair of each service carries, weighted with their numbers. */
function workOf(v: ParameterValues): number {
  const { RC_QP_NUM: rc, UC_QP_NUM: uc, UD_QP_NUM: ud } = v;
  return rc * totalRequests(v) + uc * (v.WRITE_WQE_NUM + v.SEND_WQE_NUM) + ud * v.SEND_WQE_NUM;
}

function receivedBytes(v: ParameterValues): number {
  const launching = v.ONE_SIDE_LAUNCH ? 1 : v.HOST_NUM;
  const message = v.SG_NUM * sgBytes(v);
  const datagrams = v.UD_QP_NUM * v.SEND_WQE_NUM * Math.min(message, v.MTU);
  const rest = (workOf(v) - v.UD_QP_NUM * v.SEND_WQE_NUM) * message;
  return launching * v.DB_NUM * (datagrams + rest);
}

/** The most data per entry that fits, as it would be typed. */
function lowerData(v: ParameterValues, random: boolean, limits: DeviceLimits): string {
  let fits = 0;
  for (let step = 2 ** 32; step >= 1; step /= 2) {
    if (sizesFit({ ...v, DATA_CNT: fits + step, DATA_UNIT: 'B' }, random, limits)) fits += step;
  }
  const unit = (['GB', 'MB', 'KB'] as const).find(
    (u) => unitBytes(u) <= unitBytes(v.DATA_UNIT) && fits >= unitBytes(u),
  );
  const count = Math.floor(fits / unitBytes(unit ?? 'B'));
  return `try +DATA_CNT=${count}${(unit ?? 'B') === v.DATA_UNIT ? '' : ` +DATA_UNIT=${unit ?? 'B'}`}`;
}
