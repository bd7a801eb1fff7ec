/** Reads an explicit scenario and says, with line and column, what is wrong with it. */
import { createRequire } from 'node:module';
import type { z } from 'zod';
import { type Found, type Path, crossChecks } from './crossChecks.ts';
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
    data = JSON.parse(text);
  } catch {
    throw new ScenarioFileError(file, syntaxProblems(text));
  }
  const schema = scenarioSchema();
  const parsed = schema.safeParse(data);
  const found = parsed.success
    ? [...unheard(data), ...crossChecks(parsed.data)]
    : misshapen(parsed.error.issues, schema, data);
  if (found.length > 0 || !parsed.success) throw new ScenarioFileError(file, located(text, found));
  return parsed.data;
}

/** The validator passes over this name of a parameter in silence. */
function unheard(data: unknown): Found[] {
  const { parameters } = data as ExplicitScenario;
  const path = ['parameters', '__proto__'];
  return Object.hasOwn(parameters, '__proto__') ? [{ path, message: 'there is no such parameter' }] : [];
}

function misshapen(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, data: unknown): Found[] {
  const { z: zod } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const shapes = zod.toJSONSchema(schema);
  return issues.flatMap((issue) => scenarioMessages(issue, shapes, data));
}

/** Finds the places in the text. Only needed when something is wrong, so the position-keeping parser is loaded then. */
export function located(text: string, found: readonly Found[]): ScenarioProblem[] {
  const { LineCounter, parseDocument, isNode } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return found.map(({ path, message }) => {
    let node: unknown;
    for (let depth = path.length; depth >= 0 && !isNode(node); depth--)
      node = document.getIn(path.slice(0, depth), true);
    const { line, col } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0);
    return { line, column: col, path: pathText(path), message };
  });
}

function syntaxProblems(text: string): ScenarioProblem[] {
  const mistake = findJsonMistake(text) ?? { at: 0, message: 'see JSON.org' };
  const before = text.slice(0, mistake.at).split('\n');
  const column = (before.at(-1) as string).length + 1;
  return [{ line: before.length, column, path: '', message: `this is not JSON: ${mistake.message}` }];
}

function pathText(path: Path): string {
  return path.map((p, i) => (typeof p === 'number' ? `[${p}]` : i === 0 ? p : `.${p}`)).join('');
}
