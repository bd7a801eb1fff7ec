/** `hca_regress shrink <folder>`: the smallest run of each signature of a regression is shrunk. */

import { dirname, join } from 'node:path';
import { JournalError, readJournal } from '../../regress/readJournal.ts';
import { failureGroups } from '../../regress/report/failureGroups.ts';
import { statOf } from '../../files/statOf.ts';
import { regressProgram } from '../calledAs.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { checkFlags, type FlagTable } from '../cli/flagTable.ts';
import { parseFlags } from '../cli/parseFlags.ts';
import { commandLineTokens } from '../cli/token.ts';
import { folderOf } from '../player.ts';
import { linkProblems } from './storedRuns.ts';
import { Registries } from '../registries.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { shrinkRecord } from '../shrink/shrinkCommand.ts';

const SHRINK_FLAGS = {
  'shrink-runs': { group: 'How:', type: 'string', describe: 'Runs for each failure at most (default 2000)' },
  'shrink-seconds': { group: 'How:', type: 'string', describe: 'Seconds for each failure at most (default 600)' },
  help: { group: 'How:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

/** @param argv words behind `shrink` @returns the exit code */
export async function shrinkRegression(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  registry?: Registry,
): Promise<number> {
  const checked = checkFlags(commandLineTokens(argv), SHRINK_FLAGS);
  const flags = parseFlags(checked.words, SHRINK_FLAGS);
  if (flags['help'] === true) {
    out.line(await helpText(`Usage: ${regressProgram()} shrink <folder> [flags]`, SHRINK_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const [folder, ...more] = checked.positionals.map(({ text }) => text);
  const found = folder === undefined ? 'shrink: needs the folder of a regression' : journalIn(folder);
  const stray = more.map((word) => `${word} (command line): stands alone; one folder at a time`);
  const limits = (['shrink-runs', 'shrink-seconds'] as const).flatMap((name) =>
    flags[name] === undefined ? [] : [`--${name}`, String(flags[name])],
  );
  const typed = parseTestCommand(limits);
  const problems = [...checked.problems, ...stray, ...typed.problems, ...(typeof found === 'string' ? [found] : [])];
  if (typeof found === 'string' || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const results = [...found.results.values()];
  const byId = new Map(results.map((result) => [result.id, result]));
  const registries = new Registries(registry ?? (await loadRegistry()), (line) => err.line(`rnic-verify: ${line}`));
  const links = linkProblems(
    `shrink ${folder}`,
    dirname(found.path),
    results.map(({ id }) => id),
  );
  if (links.length > 0) {
    err.line(problemReport(regressProgram(), links));
    return EXIT.usage;
  }
  let code: number = EXIT.passed;
  const groups = failureGroups(results).filter(({ smallest }) => byId.get(smallest)?.status === 'failed');
  if (groups.length === 0) out.line(`${folder}: no run has failed, so there is nothing to shrink`);
  for (const { smallest, id, count } of groups) {
    // Where a result says that its record is, may be anywhere.
    const record = join(folderOf({ id: smallest }, dirname(found.path)), 'run.json');
    out.line(`[${id}] ${count} run${count === 1 ? '' : 's'}, smallest ${smallest}`);
    if (statOf(record)?.isFile() !== true) {
      err.line(`${regressProgram()}: ${smallest} has kept no record, ${record}; play it again with --keep failures`);
      code = Math.max(code, EXIT.usage);
    } else code = Math.max(code, await shrinkRecord(record, typed, { registries, out, err }));
  }
  return code;
}

const EPILOGUE = 'Shrinks the run that fails earliest of each signature, into shrunk.yaml beside its record.';

function journalIn(folder: string): ReturnType<typeof readJournal> | string {
  try {
    return readJournal(folder);
  } catch (error) {
    if (error instanceof JournalError) return `shrink ${folder}: ${error.message}`;
    throw error;
  }
}
