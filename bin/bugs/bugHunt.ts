/**
 * Plays planted bugs in this process, one after another with one byte store, each with the stimulus that its entry
 * names, and stops each run as soon as it is known which check finds it.
 *
 *   BugHunt.play(bug) -> runOne -> Sighting
 *
 * Who wants the same for another stimulus gives other arguments; who wants to know how checks do in other surroundings
 * gives another registry, and the plusargs that choose from it.
 */

import { fileURLToPath } from 'node:url';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { withoutSeed } from '../cli/seed.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { bugStimulus } from '../nicEntry.ts';
import type { Registry } from '../registry.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { runOne } from '../run/runOne.ts';
import type { RunHooks, RunResult } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';

/** What came of one bug. */
export interface Sighting {
  readonly bug: FaultEntry;
  /** Id of the first finding; '' when there was none. */
  readonly first: string;
  /** Id of the first finding that the entry names, as far as the run went; '' when there was none. */
  readonly named: string;
  /** Simulated time of the first finding, ps; 0 when there was none. */
  readonly time: number;
  /** What ended a run that is not judged, by its id or in words; '' for others. */
  readonly failure: string;
  /** Ids of all findings, each once, in the order in which they came first; with `until: 'end'` those of the whole run. */
  readonly ids: readonly string[];
  /** Counters of the run, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Hash over all that crossed the ports of the NICs: of a run without findings it tells whether the bug has acted. */
  readonly transcript: string;
}

export interface HuntOptions {
  readonly registry: Registry;
  /** Arguments for every run, before those of the stimulus. Default none. */
  readonly more?: readonly string[];
  /** Root seed of the runs. Default 1. */
  readonly seed?: number;
  /**
   * What ends a run: its first finding (default), the first one that the entry of the bug names, or nothing but its end,
   * or so many findings that further ones tell nothing new.
   */
  readonly until?: 'first' | 'named' | 'end';
}

/** The log of a run has each finding in a line of this form. */
const FINDING = /^UVM_(?:ERROR|FATAL) @.*?\[([A-Z_0-9]+)\]/gm;
/** Findings that end a run. */
const QUIT_COUNTS = { first: 1, named: 0, end: 500 } as const;

export class BugHunt {
  readonly #nic: NicEntry;
  readonly #options: HuntOptions;
  readonly #bytes = ByteStore.create();
  readonly #clean = new Map<string, Sighting>();

  constructor(nic: NicEntry, options: HuntOptions) {
    this.#nic = nic;
    this.#options = options;
  }

  /**
   * @param stimulus arguments of `hca_test`; default: those of the bug's entry
   * @param recorder keeps what happens; default: nobody does
   */
  play(
    bug: FaultEntry,
    stimulus: readonly string[] = bugStimulus(this.#nic, bug),
    recorder?: RunHooks['recorder'],
  ): Sighting {
    return this.#run(bug, [...stimulus, `+DUT_FAULT=${bug.name}`], recorder);
  }

  /** The same stimulus without the bug, once for all bugs that share it: a finding there is a false alarm. */
  playClean(bug: FaultEntry, stimulus: readonly string[] = bugStimulus(this.#nic, bug)): Sighting {
    const key = stimulus.join(' ');
    const known = this.#clean.get(key) ?? this.#run(bug, stimulus);
    this.#clean.set(key, known);
    return { ...known, bug };
  }

  #run(bug: FaultEntry, stimulus: readonly string[], recorder?: RunHooks['recorder']): Sighting {
    const { registry, more = [], seed = 1, until = 'first' } = this.#options;
    const quit = QUIT_COUNTS[until];
    const ends = quit === 0 ? [] : [`+UVM_MAX_QUIT_COUNT=${quit}`];
    const ownSeed = withoutSeed(stimulus).length < stimulus.length ? [] : ['--seed', String(seed)];
    const argv = [...more, ...ends, ...stimulus, `+DUT=${this.#nic.name}`, ...ownSeed];
    const root = fileURLToPath(projectRoot());
    const command = loadCommand(parseTestCommand(argv, {}, root), root);
    if (command.problems.length > 0) throw new Error(`${bug.name}: ${command.problems.join('; ')}`);
    const ids: string[] = [];
    const isNamed = (id: string): boolean => bug.caughtBy?.includes(id) ?? true;
    const hooks = { ...hooksOf(ids, until, isNamed), ...(recorder === undefined ? {} : { recorder }) };
    const result = runOne(specOf(command, ''), registry, hooks, this.#bytes);
    return sightingOf(bug, ids, isNamed, result);
  }
}

function hooksOf(ids: string[], until: HuntOptions['until'], isNamed: (id: string) => boolean) {
  let seen = false;
  return {
    sink: (text: string): void => {
      for (const match of text.matchAll(FINDING)) ids.push(match[1] as string);
      seen ||= ids.some(isNamed);
    },
    heartbeat: (): string | undefined => (until === 'named' && seen ? 'found' : undefined),
  };
}

/** A run that a limit or an exception ended is not judged; the fatal message of that is no finding. */
function sightingOf(
  bug: FaultEntry,
  ids: readonly string[],
  isNamed: (id: string) => boolean,
  { verdict, signature, message, transcript, counts }: RunResult,
): Sighting {
  const isJudged = verdict !== 'error' && verdict !== 'vacuous';
  const first = isJudged ? (ids[0] ?? '') : '';
  const named = isJudged ? (ids.find(isNamed) ?? '') : '';
  return {
    bug,
    first,
    named,
    time: first === '' ? 0 : (signature?.time ?? 0),
    failure: isJudged ? '' : (signature?.id ?? message),
    ids: isJudged ? [...new Set(ids)] : [],
    counts,
    transcript: transcript.hash,
  };
}
