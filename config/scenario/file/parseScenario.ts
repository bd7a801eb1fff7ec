/** Reads an explicit scenario and says, with line and column, what is wrong with it. */
import { createRequire } from 'node:module';
import type { z } from 'zod';
import { DataError } from '../../../files/dataError.ts';
import { parseJson } from '../../../files/json.ts';
import { pathText } from '../../../files/plainData.ts';
import { YamlText } from '../../../files/yaml.ts';
import { type Found, crossChecks } from './crossChecks.ts';
import type { ExplicitScenario } from './explicitScenario.ts';
import { findJsonMistake } from './jsonSyntax.ts';
import { scenarioMessages } from './scenarioMessage.ts';
import { scenarioSchema } from './scenarioSchema.ts';

/** Problems that a message spells out; `problems` has all. */
const MOST_LINES = 25;

/** One mistake in a file. */
export interface ScenarioProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  /** Where in the data, for example `hosts[0].qps[2].psn`. */
  readonly path: string;
  readonly message: string;
}

/** A scenario file cannot be played. The message lists every problem as `file:line:column: path: what`. */
export class ScenarioFileError extends Error {
  readonly file: string;
  readonly problems: readonly ScenarioProblem[];

  constructor(file: string, problems: readonly ScenarioProblem[]) {
    const lines = problems
      .slice(0, MOST_LINES)
      .map((p) => `${file}:${p.line}:${p.column}: ${p.path === '' ? '' : `${p.path}: `}${p.message}`);
    if (problems.length > MOST_LINES) lines.push(`and ${problems.length - MOST_LINES} more`);
    super(lines.join('\n'));
    this.file = file;
    this.problems = problems;
  }
}

/**
 * Parses and checks the text of a scenario file.
 * @param file its name, for messages
 * @throws ScenarioFileError with all problems found
 */
export function parseScenario(text: string, file: string): ExplicitScenario {
  let data: unknown;
  try {
    data = parseJson(text);
  } catch (error) {
    throw new ScenarioFileError(file, error instanceof DataError ? unplain(text) : syntaxProblems(text));
  }
  const schema = scenarioSchema();
  const parsed = schema.safeParse(data);
  const found = parsed.success ? crossChecks(parsed.data) : misshapen(parsed.error.issues, schema, data);
  if (found.length > 0 || !parsed.success) throw new ScenarioFileError(file, located(new YamlText(text), found));
  return parsed.data;
}

/** What is JSON and yet no data. */
function unplain(text: string): ScenarioProblem[] {
  return new YamlText(text).mistakes.map((mistake) => ({ ...mistake, path: '' }));
}

function misshapen(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, data: unknown): Found[] {
  const { z: zod } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const shapes = zod.toJSONSchema(schema);
  return issues.flatMap((issue) => scenarioMessages(issue, shapes, data));
}

/** Finds the places in the text. Only needed when something is wrong: the parser that keeps them takes its time. */
export function located(text: YamlText, found: readonly Found[]): ScenarioProblem[] {
  return found.map(({ path, message }) => ({ ...text.placeOf(path), path: pathText(path), message }));
}

function syntaxProblems(text: string): ScenarioProblem[] {
  const mistake = findJsonMistake(text) ?? { at: 0, message: 'see JSON.org' };
  const before = text.slice(0, mistake.at).split('\n');
  const column = (before.at(-1) as string).length + 1;
  return [{ line: before.length, column, path: '', message: `this is not JSON: ${mistake.message}` }];
}
