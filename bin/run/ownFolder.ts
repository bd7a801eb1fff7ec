/** Keeps a run whose arguments come from a file of somebody else from writing wherever these say. */

import { basename, join } from 'node:path';
import type { TestCommand } from '../cli/commands/testCommand.ts';

/** The same run, which writes nothing outside of its own folder. @param folder of the run */
export function inOwnFolder(command: TestCommand, folder: string): TestCommand {
  const { dumpScenario, pcap, trace } = command;
  return {
    ...command,
    log: undefined,
    pcap: pcap === undefined ? undefined : '',
    trace: trace === undefined ? undefined : '',
    dumpScenario: dumpScenario === undefined ? undefined : join(folder, `dumped-${basename(dumpScenario)}`),
  };
}
