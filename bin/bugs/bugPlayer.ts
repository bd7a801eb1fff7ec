/** Plays planted bugs in a worker process. The arguments of a job are those of `hca_regress bugs`, its title is the bug or test. */

import { type Job, NOTHING_PLAYED } from '../../regress/job.ts';
import type { Measured, PlayedJob, Player } from '../../regress/pool/player.ts';
import { parseBugsCommand } from '../cli/commands/bugsCommand.ts';
import { loadRegistry } from '../registry.ts';
import { type AskedBugs, askedBugs, BugTrials, type PlayedBug } from './bugTrials.ts';

/** What a job asks for: the name of a bug, or of a test that is played without any. */
export const BUG_FAMILY = 'bug';
export const TEST_FAMILY = 'test';

/** Called by the worker process. What it finds of a job is a `PlayedBug`. */
export async function createPlayer(): Promise<Player> {
  const registry = await loadRegistry();
  let opened: Opened | undefined;
  return {
    async play({ argv, family, title }: Job): Promise<PlayedJob & Measured> {
      const command = parseBugsCommand(argv);
      if (opened === undefined) {
        const problems: string[] = [];
        const asked = await askedBugs(command, registry, problems);
        if (asked === undefined) throw new Error(problems.join('; '));
        opened = { asked, trials: new BugTrials(asked, registry, command) };
      }
      const finding = family === TEST_FAMILY ? alarmsOf(title, opened) : played(title, opened);
      return { ...NOTHING_PLAYED, test: title, seed: 0, replay: '', status: 'passed', finding };
    },
  };
}

interface Opened {
  readonly asked: AskedBugs;
  readonly trials: BugTrials;
}

function alarmsOf(name: string, { asked, trials }: Opened): PlayedBug {
  const test = asked.tests?.find((each) => each.name === name);
  if (test === undefined) throw new Error(`there is no test ${name}: the list has changed`);
  return { alarms: trials.alarmsOf(test), row: undefined, runs: 0 };
}

function played(name: string, { asked, trials }: Opened): PlayedBug {
  const bug = asked.bugs.find((each) => each.name === name);
  if (bug === undefined) throw new Error(`there is no bug ${name}`);
  return trials.play(bug);
}
