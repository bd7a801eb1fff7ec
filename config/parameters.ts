/**
 * The room of parameters: tables by subject (`table/`, one row a parameter: name, range, default, text), how one is
 * read, drawn and derived, and what is refused before time 0 (`derivedChecks`, `leastDemand`). `bin/run` and tests call it; it
 * knows NIC kinds by their limits only. A parameter is one row; docs/parameters.md is made from the tables.
 *
 * The parameters of a run: one table, and the step from what was typed to a complete configuration.
 *
 *   typed arguments ─► read each ─► scenario file ─► draws of random tests ─► dependent defaults ─► derived checks
 *
 * All mistakes are collected and returned together. Nothing is thrown for what a user typed.
 */
import { type DeviceLimits, NO_LIMITS } from '../env/deviceLimits.ts';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import { pcieRuleText } from '../agents/pcie/faults/rule/pcieLanguage.ts';
import { faultHostProblems } from './faultHosts.ts';
import { type DerivedFindings, checkDerived, nearestPsn, psnProblem } from './derivedChecks.ts';
import { faultPlanOf, type FaultSources } from './faultPlan.ts';
import { injectionsOf } from './injections.ts';
import { pcieFaultPlanOf } from './pcieFaultPlan.ts';
import { restartProblems, turnOfScenario } from './restartMemory.ts';
import type { DraftValues } from './draftValues.ts';
import { shellQuote } from '../uvm/cmdline/shellQuote.ts';
import { drawCorners } from './draws/drawCorners.ts';
import { drawFaults, drawTimer } from './draws/drawFaults.ts';
import { drawKeys } from './draws/drawKeys.ts';
import { drawMemoryDomain } from './draws/drawMemoryDomain.ts';
import { drawPcieFaults } from './draws/drawPcieFaults.ts';
import { memoryDomainProblems } from './memoryDomains.ts';
import { nicResetProblems } from './nicResets.ts';
import { failingPcieProblems } from './failingPcie.ts';
import { drawParameters } from './draws/drawParameters.ts';
import { drawSurroundings } from './draws/drawSurroundings.ts';
import { drawWide } from './draws/drawWide.ts';
import { keepWithin } from './keepWithin.ts';
import { CONSTRAINED } from './leastDemand.ts';
import { parseParameter, rangeText } from './parseParameter.ts';
import {
  NIC_KNOB_PREFIX,
  PARAMETERS,
  type Parameter,
  type ParameterName,
  type ParameterValues,
  QP_NUMBERS,
  defaultOf,
} from './table/parameterTable.ts';
import { type HostKnobs, type RunConfig, type ValueOrigin, argumentText, typedKnobs } from './runConfig.ts';
import { dutProblems, dutsOf, hostsNamed } from './dutNames.ts';
import { hostValues } from './hostValues.ts';
import type { CallScenario } from './scenario/calls/callScenario.ts';
import type { ExplicitScenario } from './scenario/file/explicitScenario.ts';
import { readScenario, type ScenarioFile } from './scenario/file/scenarioFile.ts';
import { worksWithScenario } from './scenario/file/surroundings.ts';
import { plainName } from '../uvm/cmdline/plainName.ts';

/** What is needed of a command line; `Plusargs` of uvm/cmdline is one. */
export interface PlusargSource {
  readonly args: readonly string[];
  has(name: string): boolean;
  value(name: string): string | undefined;
  /** All of a repeated one. */
  values(name: string): string[];
  /** Makes names known for spelling suggestions. */
  declare(names: Iterable<string>): void;
}

/** Result of `resolveParameters`: usable if there are no problems. */
export interface ResolvedParameters {
  readonly config: RunConfig;
  /** True when what was not given is drawn: in `test_random`, without a scenario file, and in `test_random_verbs`. */
  readonly isDrawn: boolean;
  /** Everything that is wrong, one message each: what, where, what is allowed, what to type instead. */
  readonly problems: string[];
  /** Those of them that are about a value by itself, whatever the others are. */
  readonly unreadable: readonly string[];
  /** What the user should know: defaults that were used, draws, work that is left out. */
  readonly notes: string[];
}

/** Names and aliases, for spelling suggestions and completion. */
const PARAMETER_NAMES: readonly string[] = PARAMETERS.flatMap((p: Parameter) => [p.name, ...(p.aliases ?? [])]);

const WQE_NUMBERS = ['WRITE_WQE_NUM', 'READ_WQE_NUM', 'SEND_WQE_NUM'] as const;
/** The tests whose ungiven parameters are drawn; what holds for them holds for those that extend them. */
const RANDOM_TEST = 'test_random';
export const RANDOM_VERBS_TEST = 'test_random_verbs';
/** The test that runs a user sequence instead of a scenario. */
export const SEQUENCE_TEST = 'test_sequence';
/** The one that runs a case of the conformance list in place of a user sequence. */
export const CONFORMANCE_TEST = 'test_conformance';
/** The one that measures as perftest does. */
export const PERF_TEST = 'test_perf';

/** What `resolveParameters` is told besides the command line. */
export interface KnownBefore extends FaultSources {
  /** Parameters that stand in for defaults. Default: none. */
  readonly preset?: Readonly<Record<string, string>>;
  /** The scenario that +SCENARIO names, where it has been read. Default: it is read. */
  readonly scenarioFile?: ScenarioFile | undefined;
  /** What all NICs that a value of `+DUT` names can hold; undefined where there is none. Default: nothing is known of any. */
  readonly limitsOf?: (dut: string) => DeviceLimits | undefined;
}

/**
 * Turns a command line into the configuration of a run. A scenario file that it names is checked; what the file says
 * about the run stands in for defaults, and its topology for the typed one.
 * @param test name of the test; with the names of the tests that it extends, nearest first, where it extends any
 */
export function resolveParameters(
  plusargs: PlusargSource,
  test: string | readonly string[],
  seed: number,
  known: KnownBefore = {},
): ResolvedParameters {
  plusargs.declare(PARAMETER_NAMES);
  const lineage = typeof test === 'string' ? [test] : test;
  const testName = lineage[0] ?? '';
  const file = known.scenarioFile ?? namedScenario(plusargs.value('SCENARIO') ?? '');
  const isPlayed = file.scenario !== null || file.calls !== null;
  const isRandom = lineage.includes(RANDOM_TEST) && !isPlayed;
  const isDrawn = isRandom || (lineage.includes(RANDOM_VERBS_TEST) && !isPlayed);
  const fromFile = { ...known.preset, ...file.scenario?.parameters, ...parametersOf(file.calls) };
  const state = new Resolution(lineage);
  for (const parameter of PARAMETERS) state.read(parameter, plusargs, fromFile);
  state.countHosts();
  const { nicKnobs, hostKnobs } = readKnobs(plusargs, fromFile, state.problems);
  const limits = known.limitsOf?.(String(state.draft.DUT)) ?? NO_LIMITS;
  if (isRandom) state.draw(drawParameters, seed, limits);
  state.fillDependent();
  // These must fit what the others have come to.
  if (isDrawn && !isRandom) state.draw(drawSurroundings, seed, limits);
  if (isDrawn) state.draw(drawWide, seed, limits);
  if (isDrawn) state.draw(known.faultFile === undefined ? drawFaults : drawTimer, seed, limits);
  if (isDrawn && known.faultFile === undefined) state.draw(drawPcieFaults, seed, limits);
  if (isDrawn) state.draw(drawMemoryDomain, seed, limits);
  if (isDrawn && known.faultFile === undefined) state.draw(drawCorners, seed, limits);
  if (isDrawn && known.faultFile === undefined) state.draw(drawKeys, seed, limits);
  state.keepWithin(limits);
  const overridden = isPlayed ? state.overridden() : [];
  if (file.calls !== null) state.adopt(file.calls.hosts, file.calls.processes);
  if (file.scenario !== null) state.adoptScenario(file.scenario);
  const values = state.draft as unknown as ParameterValues;
  const faults = faultPlanOf(values, known);
  const pcieFaults = pcieFaultPlanOf(values, known);
  const faultProblems = known.faultFile?.problems ?? [];
  const isGiven = (name: ParameterName): boolean => state.origin[name] === 'given';
  const derived =
    !isPlayed && file.problems.length === 0 && !(isRandom && state.misread.size > 0)
      ? checkDerived(values, isRandom, limits, isGiven, state.misread)
      : checkScenario(file, values, limits);
  return {
    config: {
      testName,
      seed,
      limits,
      values,
      nicKnobs,
      hostKnobs,
      duts: dutsOf(String(values.DUT), values.HOST_NUM),
      plantedBugs: hostValues(String(values.DUT_FAULT)) ?? [],
      faults,
      pcieFaults,
      injections: injectionsOf(values, known),
      scenario: file.scenario,
      calls: file.calls,
      overridden,
      origin: state.origin,
    },
    isDrawn,
    unreadable: [...file.problems, ...faultProblems, ...state.problems],
    problems: [
      ...file.problems,
      ...faultProblems,
      ...scenarioMisuse(lineage, values, file),
      ...state.problems,
      ...derived.problems,
      ...dutProblems(String(values.DUT), values.HOST_NUM),
      ...hostProblems(hostKnobs, values),
      ...failingPcieProblems(pcieFaults, limits),
      ...nicResetProblems(faults, limits),
      ...memoryDomainProblems(values, isGiven('MEM_DOMAIN'), limits),
      ...faultHostProblems(faults.rules, values.HOST_NUM, ruleText),
      ...faultHostProblems(pcieFaults.rules, values.HOST_NUM, pcieRuleText),
    ],
    notes: [...state.notes(), ...derived.notes],
  };
}

/** A user sequence makes its own work: in its place calls can be played, and no scenario of requests. */
function scenarioMisuse(lineage: readonly string[], { SCENARIO }: ParameterValues, file: NamedScenario): string[] {
  if (!lineage.includes(SEQUENCE_TEST) || file.scenario === null) return [];
  return [
    `+SCENARIO=${SCENARIO} has no meaning in ${SEQUENCE_TEST}, whose work comes from +UVM_TEST_SEQ: leave it out, give a ` +
      'scenario of calls, or use test_direct_param, test_random or test_smoke',
  ];
}

/** Knobs and bugs for hosts that are not there, and a bug that is none. */
function hostProblems(hostKnobs: HostKnobs, { DUT_FAULT, HOST_NUM }: ParameterValues): string[] {
  const bugs = hostValues(DUT_FAULT);
  const there = `the hosts of this run are 0 to ${HOST_NUM - 1}`;
  const isStrange = (host: number | null): host is number => host !== null && host >= HOST_NUM;
  return [
    ...(bugs === undefined ? [`+DUT_FAULT=${DUT_FAULT}: write +DUT_FAULT=<bug>, or +DUT_FAULT=<bug>,host=0`] : []),
    ...(bugs ?? []).flatMap(({ value, host }) =>
      isStrange(host) ? [`+DUT_FAULT=${value},host=${host}: ${there}; name one of them`] : [],
    ),
    ...[...hostKnobs].flatMap(([host, knobs]) =>
      isStrange(host)
        ? Object.entries(typedKnobs({ nicKnobs: {}, hostKnobs: new Map([[host, knobs]]) })).map(
            ([name, text]) => `+${name}=${text}: ${there}; name one of them`,
          )
        : [],
    ),
  ];
}

type NamedScenario = Pick<ScenarioFile, 'scenario' | 'calls' | 'problems'>;

/** What a scenario of calls says about the run; its fault rules are those of the link. */
function parametersOf(calls: CallScenario | null): Readonly<Record<string, string>> {
  if (calls === null) return {};
  return calls.faults.length === 0 ? calls.parameters : { ...calls.parameters, NET_FAULT: calls.faults.join('; ') };
}

/**
 * An explicit scenario brings its own checks, all but how often it can be played; and values that are drawn beside some
 * that could not be read prove nothing.
 */
function checkScenario(
  { scenario }: Pick<ScenarioFile, 'scenario'>,
  { RESTARTS }: ParameterValues,
  limits: DeviceLimits,
): DerivedFindings {
  if (scenario === null) return { problems: [], notes: [] };
  const problems = [...restartProblems(RESTARTS, turnOfScenario(scenario)), ...psnProblems(scenario, limits)];
  return { problems, notes: [] };
}

/** First PSNs that the NIC cannot begin with. */
function psnProblems({ hosts }: ExplicitScenario, limits: DeviceLimits): string[] {
  return hosts.flatMap(({ qps }, host) =>
    qps.flatMap(({ psn }, qp) => {
      const text = psnProblem(psn, limits);
      const advice = `write ${nearestPsn(psn, limits)}`;
      return text === undefined ? [] : [`hosts[${host}].qps[${qp}].psn: ${psn}, but ${text}; ${advice}`];
    }),
  );
}

function namedScenario(path: string): NamedScenario {
  return path === '' ? { scenario: null, calls: null, problems: [] } : readScenario(path);
}

/** Values while they are being settled, and where each comes from. */
class Resolution {
  readonly draft = {} as DraftValues;
  readonly origin = {} as Record<ParameterName, ValueOrigin>;
  readonly problems: string[] = [];
  /** Parameters that others are checked against and that could not be read. */
  readonly misread = new Set<ParameterName>();
  readonly #lineage: readonly string[];
  #drawn: ParameterName[] = [];
  #adopted = false;

  constructor(lineage: readonly string[]) {
    this.#lineage = lineage;
  }

  read(parameter: Parameter, plusargs: PlusargSource, fromScenario: Readonly<Record<string, string>>): void {
    const name = parameter.name as ParameterName;
    const typed = this.#typed(parameter, plusargs);
    const text = typed?.text ?? fromScenario[name];
    this.origin[name] = typed !== undefined ? 'given' : text !== undefined ? 'scenario' : 'default';
    const where = typed?.where ?? `"${name}": "${text}" of the scenario`;
    const { value, problem = emptyProblem(parameter, typed) } = parseParameter(
      parameter,
      text ?? defaultOf(parameter, this.#lineage),
      where,
    );
    this.draft[name] = value;
    if (problem === undefined) return;
    this.problems.push(...problem.split('\n'));
    if (CONSTRAINED.has(name)) this.misread.add(name);
  }

  /** Where a kind of NIC is given for each host by its number, that says how many hosts there are. */
  countHosts(): void {
    const hosts = hostsNamed(String(this.draft.DUT));
    const row = (PARAMETERS as readonly Parameter[]).find(({ name }) => name === 'HOST_NUM');
    if (hosts < (row?.min ?? 0) || hosts > (row?.max ?? 0) || !this.#isDefault(['HOST_NUM'])) return;
    this.draft.HOST_NUM = hosts;
    this.origin.HOST_NUM = 'given';
  }

  draw(draw: typeof drawParameters, seed: number, limits: DeviceLimits): void {
    const given = (name: ParameterName): boolean => !['default', 'drawn'].includes(this.origin[name]);
    const drawn = draw(this.draft, given, seed, this.#lineage[0] ?? '', limits);
    this.#drawn = [...new Set([...this.#drawn, ...drawn])];
    for (const name of drawn) this.origin[name] = 'drawn';
  }

  /** Defaults that depend on what else was given: partial command lines must work. */
  fillDependent(): void {
    const { draft } = this;
    if (this.#isDefault(QP_NUMBERS) && sum(draft, QP_NUMBERS) === 0) draft.RC_QP_NUM = 2;
    if (this.#isDefault(WQE_NUMBERS) && sum(draft, WQE_NUMBERS) === 0) draft.SEND_WQE_NUM = 1;
    if (this.origin.RECV_WQE_NUM === 'default') draft.RECV_WQE_NUM = draft.SEND_WQE_NUM;
  }

  /** Defaults and draws are no more than the NIC can do. */
  keepWithin(limits: DeviceLimits): void {
    keepWithin(this.draft, (name) => this.origin[name] === 'given' || this.origin[name] === 'scenario', limits);
  }

  /** What was typed although an explicit scenario decides it. */
  overridden(): string[] {
    const rows: readonly Parameter[] = PARAMETERS;
    const vain = rows.filter((p) => this.origin[p.name as ParameterName] === 'given' && !worksWithScenario(p));
    return vain.map(({ name }) => `+${name}=${argumentText(name, this.draft[name as ParameterName])}`);
  }

  /** The topology of an explicit scenario replaces what was typed. */
  adoptScenario({ hosts, processes, doorbells }: ExplicitScenario): void {
    this.adopt(hosts.length, processes);
    this.draft.DB_NUM = doorbells;
    this.origin.DB_NUM = 'scenario';
  }

  /** The same of any file. */
  adopt(hosts: number, processes: number): void {
    this.#adopted = true;
    this.draft.HOST_NUM = hosts;
    this.draft.PROC_NUM = processes;
    for (const name of ['HOST_NUM', 'PROC_NUM'] as const) this.origin[name] = 'scenario';
  }

  notes(): string[] {
    const shown = (name: ParameterName): string => `${name}=${this.draft[name]}`;
    const rows: readonly Parameter[] = PARAMETERS;
    const needed = rows.filter((p) => p.published && (!this.#adopted || worksWithScenario(p)));
    const defaulted = needed.filter((p) => this.origin[p.name as ParameterName] === 'default');
    const notes: string[] = [];
    if (defaulted.length > 0) {
      notes.push(
        `PARAM_DEFAULTED: not given, default used: ${defaulted.map((p) => shown(p.name as ParameterName)).join(' ')}`,
      );
    }
    const typed = (name: ParameterName): string => shellQuote(`+${name}=${argumentText(name, this.draft[name])}`);
    if (this.#drawn.length > 0) notes.push(`PARAM_DRAWN: ${this.#drawn.map(typed).join(' ')}`);
    return notes;
  }

  /** The first spelling that was typed; different values under two spellings are a problem. */
  #typed(parameter: Parameter, plusargs: PlusargSource): { text: string; where: string } | undefined {
    const spellings = [parameter.name, ...(parameter.aliases ?? [])];
    const textOf = (s: string): string | undefined =>
      parameter.repeats === true ? allOf(plusargs.values(s)) : plusargs.value(s);
    const found = spellings.filter((s) => plusargs.has(s)).map((s) => typedAs(s, textOf(s)));
    const first = found[0];
    const other = found.find((f) => f.text !== first?.text);
    if (first !== undefined && other !== undefined) {
      this.problems.push(
        `${first.where} and ${other.where} are the same parameter with different values; ` +
          `allowed ${rangeText(parameter)}, given once: leave out ${other.where}`,
      );
    }
    return first;
  }

  #isDefault(names: readonly ParameterName[]): boolean {
    return names.every((name) => this.origin[name] === 'default');
  }
}

/** Nothing where there must be something: a name, or what stands behind the `=` of a switch. */
function emptyProblem(p: Parameter, typed: { text: string; where: string } | undefined): string | undefined {
  if (typed === undefined || typed.text !== '') return undefined;
  if (p.names !== undefined)
    return `${typed.where} names no ${p.names}: write +${p.name}=<${p.names}>, or leave it out`;
  if (p.kind !== 'switch' || !typed.where.endsWith('=')) return undefined;
  return `${typed.where} has no value: write +${p.name}, +${p.name}=1 or +${p.name}=0, or leave it out`;
}

/** Of an argument that may be repeated. */
function allOf(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join('; ');
}

function typedAs(name: string, value: string | undefined): { text: string; where: string } {
  return { text: value ?? '', where: value === undefined ? `+${name}` : `+${name}=${value}` };
}

function sum(draft: DraftValues, names: readonly ParameterName[]): number {
  return names.reduce((total, name) => total + Number(draft[name]), 0);
}

/** Knobs go to the model unread, apart from being numbers. */
function readKnobs(
  plusargs: PlusargSource,
  preset: Readonly<Record<string, string>>,
  problems: string[],
): Pick<RunConfig, 'nicKnobs' | 'hostKnobs'> {
  const knobs = new KnobValues();
  for (const [name, text] of Object.entries(preset)) {
    if (!name.startsWith(NIC_KNOB_PREFIX)) continue;
    for (const { value, host } of hostValues(text) ?? []) knobs.set(name, Number(value), host);
  }
  const typed = new Map<string, { readonly name: string; readonly arg: string; readonly value: number }>();
  for (const arg of plusargs.args) {
    const [, name, text = '1'] = /^\+(NIC_\w+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    plusargs.has(name);
    for (const item of hostValues(text) ?? [{ value: '', host: null }]) {
      const key = `${plainName(name)} ${item.host}`;
      const value = Number(item.value);
      const first = typed.get(key);
      // Of one that is given twice under the same name the first counts, as for all plusargs.
      if (first?.name === name) continue;
      typed.set(key, first ?? { name, arg, value });
      if (first !== undefined && first.value !== value)
        problems.push(`${first.arg} and ${arg} are the same knob with different values: leave one of them out`);
      else if (Number.isFinite(value) && item.value !== '') knobs.set(name, value, item.host);
      else
        problems.push(
          `${arg} is not a number: knobs of a NIC model allow any number; try +${name}=1, or for one host +${name}=1,host=0`,
        );
    }
  }
  return knobs;
}

/** Knobs while they are read. */
class KnobValues {
  readonly #all = new Map<string, number>();
  readonly #byHost = new Map<number, Map<string, number>>();

  /** @param name as it is typed @param host null for all */
  set(name: string, value: number, host: number | null): void {
    const knob = name.slice(NIC_KNOB_PREFIX.length).toLowerCase();
    if (host === null) this.#all.set(knob, value);
    else this.#byHost.set(host, (this.#byHost.get(host) ?? new Map<string, number>()).set(knob, value));
  }

  get nicKnobs(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#all);
  }

  get hostKnobs(): HostKnobs {
    return new Map([...this.#byHost].map(([host, knobs]) => [host, Object.fromEntries(knobs)]));
  }
}
