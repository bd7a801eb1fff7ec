/** Plays a scenario on several kinds of NIC: the first one's work is recorded, and played on the others. */

import { type ScenarioFile, readScenario } from '../../config/scenario/file/scenarioFile.ts';
import { RANDOM_VERBS_TEST } from '../../config/parameters.ts';
import { hostValues, hostValuesText } from '../../config/hostValues.ts';
import { NIC_KNOB_PREFIX } from '../../config/table/parameterTable.ts';
import { findKnob } from '../../dut-model/nicKnob.ts';
import { commonLimits } from '../../env/deviceLimits.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';
import type { Registry } from '../registry.ts';
import { checkSpec } from '../run/checkSpec.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { runOne } from '../run/runOne.ts';
import type { RunResult, RunSpec } from '../run/runSpec.ts';
import { type SeenWork, WorkObserver } from './observedWork.ts';

/** What came of a scenario on one kind. */
export interface ComparedRun {
  readonly nic: NicEntry;
  /** Why it cannot be played there; '' where it was played. */
  readonly refusal: string;
  readonly result: RunResult | undefined;
  readonly work: SeenWork | undefined;
}

/** Parameters that make a run write files, or play one. */
const FILES: ReadonlySet<string> = new Set(['PCAP', 'DUMP_SCENARIO', 'TRACE', 'SCENARIO']);
/** What a scenario is recorded without, unless it is asked for: what falls on frames falls on others with another NIC. */
const WITHOUT = ['+DRAW_FAULTS=0', '+DRAW_PCIE_FAULTS=0', '+DRAW_KNOBS=0'];
/** Calls that are drawn as time goes on are recorded with their times, and are other work where the NICs have others. */
const TIMED = `the calls of ${RANDOM_VERBS_TEST} are drawn as time goes on, and are other work on a NIC with other times`;
/** Wall-clock time of one run (ms). */
const LIMIT_MS = 120_000;
const NO_END = `no end after ${LIMIT_MS / 1000} s of wall-clock time`;

export class ComparedScenario {
  readonly #spec: RunSpec;
  readonly #registry: Registry;
  readonly #path: string;
  readonly #bytes = ByteStore.create();

  /** @param path where the work of the first kind is recorded */
  constructor({ argv, cwd }: NamedScenario, path: string, registry: Registry) {
    this.#spec = specOf(loadCommand(parseTestCommand(argv, {}, cwd), cwd), '');
    this.#registry = registry;
    this.#path = path;
  }

  /** What keeps a scenario from being compared; '' for nothing. */
  get obstacle(): string {
    return this.#spec.testName === RANDOM_VERBS_TEST ? TIMED : '';
  }

  play([first, ...others]: readonly [NicEntry, ...NicEntry[]]): readonly ComparedRun[] {
    if (this.obstacle !== '') return [first, ...others].map((nic) => unplayed(nic, this.obstacle));
    const recorded = this.#record(first, others);
    if (recorded.work === undefined) return [recorded, ...others.map((nic) => unplayed(nic, 'nothing was recorded'))];
    const file = readScenario(this.#path);
    const [problem] = file.problems;
    if (problem !== undefined) return [recorded, ...others.map((nic) => unplayed(nic, problem))];
    return [recorded, ...others.map((nic) => this.#repeat(nic, file))];
  }

  /** What is drawn, and defaults, keep to what all kinds can do. */
  #record(nic: NicEntry, others: readonly NicEntry[]): ComparedRun {
    const { plusargs, scenarioFile } = this.#spec;
    const named = plusargs.map(nameOf);
    const without = scenarioFile === undefined ? WITHOUT.filter((word) => !named.includes(nameOf(word))) : [];
    const scenario = plusargs.filter((word) => nameOf(word) === 'SCENARIO');
    const words = [...forKind(nic, plusargs), ...without, ...scenario, `+DUMP_SCENARIO=${this.#path}`];
    const limits = commonLimits([nic.limits, ...others.map((other) => other.limits)]);
    const keeping = { ...nic, limits: { ...limits, ports: nic.limits.ports ?? 1 } };
    const nics = this.#registry.nics.map((other) => (other.name === nic.name ? keeping : other));
    return this.#run(nic, { ...this.#spec, plusargs: words }, { ...this.#registry, nics });
  }

  #repeat(nic: NicEntry, file: ScenarioFile): ComparedRun {
    const words = forKind(nic, this.#spec.plusargs);
    return this.#run(nic, {
      ...this.#spec,
      plusargs: [...words, `+SCENARIO=${this.#path}`],
      scenarioFile: fileFor(nic, file),
    });
  }

  #run(nic: NicEntry, asked: RunSpec, registry = this.#registry): ComparedRun {
    const spec = { ...asked, plusargs: [...asked.plusargs, `+DUT=${nic.name}`] };
    const [problem] = checkSpec(spec, registry);
    if (problem !== undefined) return unplayed(nic, problem);
    const observer = new WorkObserver();
    const end = performance.now() + LIMIT_MS;
    const hooks = {
      sink: () => {},
      recorder: observer,
      heartbeat: () => (performance.now() < end ? undefined : NO_END),
      breakOff: { afterMs: LIMIT_MS + 1000, reason: NO_END },
    };
    const result = runOne(spec, registry, hooks, this.#bytes);
    if (result.verdict === 'error') return { ...unplayed(nic, result.message), result };
    return { nic, refusal: '', result, work: observer.work };
  }
}

function unplayed(nic: NicEntry, refusal: string): ComparedRun {
  return { nic, refusal, result: undefined, work: undefined };
}

function nameOf(word: string): string {
  return word.slice(1).split('=')[0] as string;
}

/** Words of a command line without what another kind of NIC would refuse: its knobs and bugs. */
function forKind(nic: NicEntry, plusargs: readonly string[]): readonly string[] {
  return plusargs.flatMap((word) => {
    const name = nameOf(word);
    if (FILES.has(name) || name === 'DUT') return [];
    if (name.startsWith(NIC_KNOB_PREFIX)) return hasKnob(nic, name) ? [word] : [];
    if (name !== 'DUT_FAULT') return [word];
    const bugs = (hostValues(word.slice('+DUT_FAULT='.length)) ?? []).filter(({ value }) =>
      nic.faults.some((fault) => fault.name === value),
    );
    return bugs.length === 0 ? [] : [`+DUT_FAULT=${hostValuesText(bugs)}`];
  });
}

/** A recorded scenario brings the knobs of the NIC that it was recorded with. */
function fileFor(nic: NicEntry, file: ScenarioFile): ScenarioFile {
  const ofKind = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(parameters).filter(([name]) => !name.startsWith(NIC_KNOB_PREFIX) || hasKnob(nic, name)),
    );
  const { scenario, calls } = file;
  return {
    ...file,
    scenario: scenario && { ...scenario, parameters: ofKind(scenario.parameters) },
    calls: calls && { ...calls, parameters: ofKind(calls.parameters) },
  };
}

function hasKnob({ knobs }: NicEntry, name: string): boolean {
  return findKnob(knobs, name.slice(NIC_KNOB_PREFIX.length)) !== undefined;
}
