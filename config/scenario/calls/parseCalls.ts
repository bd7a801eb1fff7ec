/** Reads a scenario of calls, YAML or JSON, and says with line and column what is wrong with it. */

import { createRequire } from 'node:module';
import type { z } from 'zod';
import { YamlText } from '../../../files/yaml.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import type { Found, Path } from '../file/crossChecks.ts';
import { located, ScenarioFileError } from '../file/parseScenario.ts';
import { scenarioMessages } from '../file/scenarioMessage.ts';
import { checkCalls } from './callChecks.ts';
import { CALL_FORMAT, CALLS, type CallName, type CallScenario } from './callScenario.ts';
import { type CallSchemas, callSchemas } from './callSchema.ts';

/** Whether a text says that it is one. */
export function isCallText(text: string): boolean {
  return text.includes(CALL_FORMAT);
}

/**
 * @param file its name, for messages
 * @throws ScenarioFileError with all problems found
 */
export function parseCalls(text: string, file: string): CallScenario {
  const yaml = new YamlText(text);
  if (yaml.mistakes.length > 0)
    throw new ScenarioFileError(
      file,
      yaml.mistakes.map((mistake) => ({ ...mistake, path: '' })),
    );
  const data = yaml.value;
  const found = shapeMistakes(data);
  const all = found.length > 0 ? found : checkCalls(data as CallScenario);
  if (all.length > 0) throw new ScenarioFileError(file, located(yaml, all));
  return data as CallScenario;
}

function shapeMistakes(data: unknown): Found[] {
  const schemas = callSchemas();
  const { file } = schemas;
  const found = mistakesOf(file, data);
  if (found.length > 0) return found;
  const { stages } = data as { stages: { threads: { steps: Record<string, unknown>[] }[] }[] };
  return stages.flatMap(({ threads }, s) =>
    threads.flatMap(({ steps }, t) =>
      steps.flatMap((step, k) => stepMistakes(step, ['stages', s, 'threads', t, 'steps', k], schemas)),
    ),
  );
}

function stepMistakes(step: Record<string, unknown>, path: Path, { wait, calls }: CallSchemas): Found[] {
  if ('wait' in step) return mistakesOf(wait, step, path);
  const name = step['call'];
  if (typeof name === 'string' && Object.hasOwn(calls, name)) return mistakesOf(calls[name as CallName], step, path);
  const message =
    name === undefined
      ? 'a step has a "call" or a "wait"'
      : `there is no call ${JSON.stringify(name)}${didYouMean(String(name), CALLS) || `; allowed: ${CALLS.join(', ')}`}`;
  return [{ path: name === undefined ? path : [...path, 'call'], message }];
}

function mistakesOf(schema: z.ZodType, data: unknown, path: Path = []): Found[] {
  const parsed = schema.safeParse(data);
  if (parsed.success) return [];
  const { z: zod } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const shapes = zod.toJSONSchema(schema);
  return parsed.error.issues
    .flatMap((issue) => scenarioMessages(issue, shapes, data))
    .map((found) => ({ ...found, path: [...path, ...found.path] }));
}
