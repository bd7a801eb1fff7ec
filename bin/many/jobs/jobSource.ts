/** Turns the list or script that a user names into jobs, and finds their mistakes before anything is run. */

import type { Job } from '../../../regress/job.ts';
import { expandList } from '../../../regress/lists/expandList.ts';
import { inFileOrder } from '../../../regress/lists/fileOrder.ts';
import { ListPlaces } from '../../../regress/lists/listPlaces.ts';
import type { JobDescription } from '../../../regress/pool/workerPool.ts';
import { isScript, parseScript } from '../../../regress/script/parseScript.ts';
import { recordScript } from '../../../regress/shell/recordScript.ts';
import { callOf } from '../../calledAs.ts';
import type { RegressCommand } from '../../cli/commands/regressCommand.ts';
import { whyUnreadable } from '../../cli/similarFile.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import { readInputText } from '../../../files/inputFile.ts';
import { argumentProblems, jobProblems } from '../../run/playCommand.ts';
import type { Registries } from '../../registries.ts';
import { replayLine } from '../../run/replay/replayLine.ts';
import { onlyProblems } from '../../conformance/onlyProblems.ts';
import { aboutItsKind } from '../../conformance/aboutItsKind.ts';
import { type JobSource, NO_JOBS } from './askedJobs.ts';
import { JobMistakes, meaninglessFlags } from './jobMistakes.ts';
import { openAll } from './ownFolders.ts';
import { choiceProblems, prepare, prepared, vainExclusions } from './preparedJobs.ts';
import { seedScript } from './scriptSeeds.ts';
import { type ReadPart, type SourcePart, withOwnFamilies } from './severalSources.ts';
import { nearestList } from '../shippedLists.ts';
import { separateLogs, sharedFileProblems } from './sharedFiles.ts';
import { reasonLines, suitedJobs } from './unsuited.ts';
import { unknownPlusargs } from './unknownPlusargs.ts';

/**
 * Reads jobs of all lists and scripts that are named. The runs of a list are checked at once, all of them, so that a mistake
 * costs no night; a script is run as it is, and a line with a mistake is a run that is not judged.
 */
export async function readJobs(
  command: RegressCommand,
  registries: Registries,
  cwd = process.cwd(),
): Promise<JobSource> {
  const parts: SourcePart[] = [];
  for (const name of command.sources) parts.push({ name, ...(await readPart(name, command, registries, cwd)) });
  const { jobs, skipped } = withOwnFamilies(parts);
  const all = parts.flatMap((part) => part.all);
  const behaviours = parts.flatMap((part) => part.behaviours);
  const of = command.sources.join(' and ');
  const isReadable = parts.every((part) => part.isReadable);
  const unnamed = isReadable ? onlyProblems(command.only, behaviours, of) : [];
  const isChoice = isReadable && unnamed.length === 0;
  const choice = isChoice ? choiceProblems(all, jobs.length, command, of) : [];
  const vain = vainExclusions(all, command, of);
  const shared = parts.length > 1 ? sharedFileProblems(jobs) : [];
  const problems = [...parts.flatMap((part) => part.problems), ...unnamed, ...choice, ...shared];
  return {
    jobs,
    skipped,
    behaviours,
    notes: [...(command.strict ? [] : vain), ...parts.flatMap((part) => part.notes)],
    unknown: parts.flatMap((part) => part.unknown),
    wrongLines: parts.flatMap((part) => part.wrongLines),
    folders: parts.flatMap((part) => part.folders),
    testFolders: registries.compiled,
    problems: inFileOrder([...new Set([...problems, ...(command.strict ? vain : [])])]),
  };
}

/** One list or script. */
async function readPart(
  source: string,
  command: RegressCommand,
  registries: Registries,
  cwd: string,
): Promise<ReadPart> {
  const text = tryRead(source);
  const unread = (problem: string): ReadPart => ({ ...NO_JOBS, problems: [problem], all: [], isReadable: false });
  if (typeof text !== 'string') return unread(text.problem);
  if (OTHER_KINDS.test(source)) return unread(neither(source));
  if (isScript(source, text)) return fromScript(source, command, text, registries, cwd);
  if (command.shell) return unread(`--shell: ${source} is a list, which no shell runs; leave it out`);
  return fromList(source, command, registries, cwd);
}

/** Files that talk about runs and are none: what stands in them is not to be executed. */
const OTHER_KINDS = /\.(md|markdown|rst|html?|log|[cm]?[jt]s|jsonl|pcap(ng)?|xml)$/i;

function neither(source: string): string {
  return `${source}: is no list and no script; name a list (.yaml), a script of ./hca_test lines, or a shipped list such as smoke`;
}

async function fromScript(
  source: string,
  command: RegressCommand,
  text: string,
  registries: Registries,
  cwd: string,
): Promise<ReadPart> {
  const script = await readScript(source, command, text, cwd);
  const isEmpty = script.jobs.length + script.problems.length + command.problems.length === 0;
  const seeded = seedScript(script.jobs, command);
  const { jobs: chosen, notes } = separateLogs(prepare(seeded.jobs, command));
  const unread = await openAll(chosen, registries, command);
  const { jobs, notes: lacks, skipped } = suitedJobs(chosen, command.plusargs, registries);
  const empty = isEmpty ? [`${source}: no line calls hca_test`] : [];
  const places = new ListPlaces();
  const unknown = unknownPlusargs(jobs, registries, command.plusargs, places);
  const mistakes = new JobMistakes(registries, command.plusargs, places);
  if (command.dryRun) mistakes.look(jobs, jobProblems);
  return {
    jobs,
    notes: [...script.notes, ...seeded.notes, ...notes, ...unread, ...lacks],
    problems: [...empty, ...script.problems, ...unknown.problems],
    unknown: unknown.warnings,
    wrongLines: mistakes.lines,
    folders: script.folders,
    testFolders: registries.compiled,
    skipped,
    behaviours: [],
    all: seeded.jobs,
    isReadable: !isEmpty,
  };
}

/** Nothing is executed unless it is asked for, and the rest of the command has no mistakes. */
async function readScript(
  source: string,
  command: RegressCommand,
  text: string,
  cwd: string,
): Promise<Pick<JobSource, 'jobs' | 'notes' | 'problems' | 'folders'>> {
  if (!command.shell) return { ...parseScript(source, text, { cwd }), notes: [] };
  // Who is told of other mistakes must not find that the script has run all the same.
  if (command.problems.length > 0) return { ...NO_JOBS };
  return { ...(await recordScript(source, { cwd, env: process.env })), folders: [] };
}

async function fromList(
  source: string,
  command: RegressCommand,
  registries: Registries,
  cwd: string,
): Promise<ReadPart> {
  const { reseed, reseedMultiplier, fixedSeed } = command;
  const places = new ListPlaces();
  const sequences = registries.of(undefined, cwd).registry.sequences.map(({ name }) => name);
  const seeds = { baseSeed: command.seed, reseed, reseedMultiplier, fixedSeed };
  const list = expandList(source, { ...seeds, cwd, places, sequences });
  const asked = prepare(list.jobs, command);
  const { about: chosen, others } = aboutItsKind(asked, list.behaviours, registries.of(undefined, cwd).registry.nics);
  const loose = list.loose.map((job) => prepared(job, command));
  const unread = await openAll([...chosen, ...loose], registries, command);
  const isForAny = ({ id }: Job): boolean => list.behaviours.length > 0 || list.found.has(id);
  const { jobs, notes: lacks, skipped } = suitedJobs(chosen, command.plusargs, registries, isForAny);
  const notes = [...unread, ...reasonLines(others), ...lacks];
  const mistakes = new JobMistakes(registries, command.plusargs, places);
  mistakes.look(jobs, jobProblems);
  mistakes.look(loose, argumentProblems);
  const unknown = unknownPlusargs([...jobs, ...loose], registries, command.plusargs, places);
  const problems = [
    ...list.problems,
    ...mistakes.lines,
    ...unknown.problems,
    ...meaninglessFlags([...jobs, ...loose], places),
    ...sharedFileProblems(jobs),
  ];
  const { compiled: testFolders } = registries;
  return {
    ...NO_JOBS,
    jobs,
    notes,
    testFolders,
    skipped: [...others, ...skipped],
    behaviours: list.behaviours,
    unknown: unknown.warnings,
    problems,
    all: list.jobs,
    isReadable: list.problems.length === 0,
  };
}

/** What the arguments of a job say, for a job that ended without a word. */
export function describeJob(job: Job): JobDescription {
  const command = parseTestCommand(job.argv, process.env, job.cwd);
  return { test: command.testName, seed: command.seed, replay: replayLine(command, callOf(job, process.cwd())) };
}

function tryRead(path: string): string | { problem: string } {
  try {
    return readInputText(path);
  } catch (error) {
    const reason = whyUnreadable(path, error);
    const shipped = reason.includes('?') ? undefined : nearestList(path);
    const meant = shipped === undefined ? '' : `; did you mean the shipped list ${shipped}?`;
    return { problem: `${path}: cannot be read; ${reason}${meant}` };
  }
}
