/** What `hca_regress` can do besides playing runs. Each is loaded when it is asked for. */

import type { RegressCommandName } from './cli/commands/regressCommands.ts';
import type { DescriptorOutput } from './cli/syncOutput.ts';
import type { WorkerPrograms } from './many/localPool.ts';
import type { Outputs } from './many/playRegression.ts';
import type { Registries } from './registries.ts';
import type { Registry } from './registry.ts';

/** What specs replace. */
export interface RegressMainOptions extends WorkerPrograms {
  readonly registry?: Registry;
  readonly out?: DescriptorOutput;
  readonly err?: DescriptorOutput;
}

export type OtherCommand = Exclude<RegressCommandName, 'run'>;

/** What commands are given besides their words. */
export interface CommandContext {
  readonly outputs: Outputs;
  readonly options: RegressMainOptions;
  readonly registries: () => Promise<Registries>;
  /** Plays a command line of `hca_regress`. */
  readonly play: (words: readonly string[]) => Promise<number>;
}

/** @param words behind the name @returns the exit code */
type PlayCommand = (words: readonly string[], context: CommandContext) => Promise<number>;

export const OTHER_COMMANDS: Readonly<Record<OtherCommand, PlayCommand>> = {
  atomics: async (words, { outputs }) => (await import('./atomics/ackSweep.ts')).ackSweep(words, outputs),
  bugs: async (words, { outputs: { out, err }, options }) =>
    (await import('./bugs/playBugs.ts')).playBugs(words, out, err, options.registry, options),
  'check-pcap': async (words, { outputs }) => (await import('./capture/checkPcapCommand.ts')).checkPcap(words, outputs),
  chunk: async (words, { registries, outputs, options }) =>
    (await import('./farm/chunkCommand.ts')).chunkCommand(words, registries, outputs, options),
  compare: async (words, { registries, outputs }) =>
    (await import('./compare/compare.ts')).compare(words, registries, outputs),
  conformance: async (words, { options, outputs }) =>
    (await import('./conformance/conformanceCommand.ts')).conformance(words, options, outputs),
  coverage: async (words, { outputs: { out, err }, play }) =>
    (await import('./many/report/coverageReport.ts')).showCoverage(words, out, err, undefined, play),
  exhaust: async (words, { registries, outputs, options }) =>
    (await import('./exhaust/exhaust.ts')).exhaust(words, registries, outputs, options),
  explain: async (words, { options, outputs }) => {
    const { loadRegistry } = await import('./registry.ts');
    const { explain } = await import('./explain/explainCommand.ts');
    return explain(words, async () => options.registry ?? (await loadRegistry()), outputs);
  },
  history: async (words, { outputs }) => (await import('./history/historyCommand.ts')).history(words, outputs),
  known: async (words, { outputs }) => (await import('./known/knownCommand.ts')).known(words, outputs),
  list: async (words, { outputs: { out, err }, options }) =>
    (await import('./many/showLists.ts')).showLists(words, out, err, options.registry),
  loss: async (words, { outputs, play }) => (await import('./loss/lossSweep.ts')).lossSweep(words, play, outputs),
  merge: async (words, { outputs, options }) =>
    (await import('./farm/mergeCommand.ts')).mergeCommand(words, outputs, options.registry),
  report: async (words, { outputs }) => (await import('./many/report/reportCommand.ts')).report(words, outputs),
  shrink: async (words, { outputs, options }) =>
    (await import('./many/shrinkRegression.ts')).shrinkRegression(words, outputs, options),
  watch: async (words, { outputs }) => (await import('./watch/watchCommand.ts')).watchCommand(words, outputs),
  worker: async (words, { outputs, options }) =>
    (await import('./farm/workerCommand.ts')).workerCommand(words, outputs, options),
};
