/** A scenario file, read once: what is checked, what is played and what the record names must be the same bytes. */
import { resolve } from 'node:path';
import { whyUnread } from '../../../files/dataError.ts';
import { readInput } from '../../../files/inputFile.ts';
import type { CallScenario } from '../calls/callScenario.ts';
import { isCallText, parseCalls } from '../calls/parseCalls.ts';
import type { ExplicitScenario } from './explicitScenario.ts';
import { parseScenario, ScenarioFileError } from './parseScenario.ts';

/** What was found in a file when it was read; what happens to the file afterwards does not matter. */
export interface ScenarioFile {
  /** As it was named. */
  readonly path: string;
  /** Of its bytes; '' when it could not be read. */
  readonly sha256: string;
  /** Null when it cannot be played, and when it is one of calls. */
  readonly scenario: ExplicitScenario | null;
  /** A scenario of calls (`rnic-verify scenario 2`); null for the other form. */
  readonly calls: CallScenario | null;
  /** Everything that is wrong with it, to be shown. */
  readonly problems: readonly string[];
}

/**
 * Reads and checks a scenario file.
 * @param path as it was named, also in messages
 * @param cwd folder for a relative path
 */
export function readScenario(path: string, cwd = '.'): ScenarioFile {
  let sha256 = '';
  try {
    const bytes = readInput(resolve(cwd, path));
    // Not imported: few runs play a file, and loading cryptography costs every start 2 ms.
    sha256 = process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
    const text = bytes.toString('utf8');
    const isCalls = isCallText(text);
    const scenario = isCalls ? null : parseScenario(text, path);
    return { path, sha256, scenario, calls: isCalls ? parseCalls(text, path) : null, problems: [] };
  } catch (error) {
    const problem = `the scenario ${path} cannot be ${scenarioMistakes(error as Error)}`;
    return { path, sha256, scenario: null, calls: null, problems: [problem] };
  }
}

function scenarioMistakes(error: Error): string {
  if (error instanceof ScenarioFileError) return `played:\n${error.message.replace(/^/gm, '  ')}`;
  const isMissing = 'code' in error && error.code === 'ENOENT';
  return `read: ${isMissing ? 'there is no such file' : (whyUnread(error) ?? error.message)}; --dump-scenario writes one`;
}
