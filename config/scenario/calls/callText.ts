/** The text of a scenario of calls: YAML, one step a line. JSON readers of YAML aside, any YAML reader takes it. */

import { visibleText } from '../../../uvm/report/visibleText.ts';
import { type CallScenario, type CallStep, type CallThread, CALL_FORMAT } from './callScenario.ts';

/** Comments behind a step: by its place. */
export type StepComments = (stage: number, thread: number, step: number) => string | undefined;

/**
 * @param head lines of a comment in front of it
 * @param comments behind steps
 */
export function callText(scenario: CallScenario, head: readonly string[] = [], comments: StepComments = none): string {
  const { test, seed, hosts, processes, receivesMayRemain, parameters, faults, laziness, stages } = scenario;
  return [
    ...head.map((line) => `# ${inComment(line)}`.trimEnd()),
    `format: ${CALL_FORMAT}`,
    `test: ${flow(test)}`,
    `seed: ${seed}`,
    `hosts: ${hosts}`,
    `processes: ${processes}`,
    `receivesMayRemain: ${receivesMayRemain}`,
    ...record('parameters', parameters),
    ...list('faults', faults.map(flow)),
    ...record('laziness', laziness),
    stages.length === 0 ? 'stages: []' : 'stages:',
    ...stages.flatMap(({ threads }, s) => [
      threads.length === 0 ? '- threads: []' : '- threads:',
      ...threads.flatMap((thread, t) => threadLines(thread, (k) => comments(s, t, k))),
    ]),
    '',
  ].join('\n');
}

/** A comment ends with its line, whatever a text from a record holds. */
function inComment(text: string): string {
  return visibleText(text.replaceAll('\n', '\\n'));
}

/** A value in one line, as YAML's flow style has it. */
function flow(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return fields.length === 0
    ? '{}'
    : `{ ${fields.map(([name, field]) => `${flow(name)}: ${flow(field)}`).join(', ')} }`;
}

/** Texts that need no quotes, and those that would be something else without. */
const PLAIN = /^[A-Za-z_][\w.]*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

function none(): undefined {
  return undefined;
}

function record(name: string, fields: Readonly<Record<string, unknown>>): string[] {
  const lines = Object.entries(fields).map(([field, value]) => `  ${flow(field)}: ${flow(value)}`);
  return lines.length === 0 ? [`${name}: {}`] : [`${name}:`, ...lines];
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [`${name}: []`] : [`${name}:`, ...items.map((item) => `- ${item}`)];
}

function threadLines({ name, daemon, steps }: CallThread, commentOf: (step: number) => string | undefined): string[] {
  return [
    `  - name: ${flow(name)}`,
    ...(daemon === true ? ['    daemon: true'] : []),
    steps.length === 0 ? '    steps: []' : '    steps:',
    ...steps.map((step, k) => `    - ${stepText(step)}${behind(commentOf(k))}`),
  ];
}

function behind(comment: string | undefined): string {
  return comment === undefined ? '' : ` # ${comment}`;
}

/** Arguments stand beside the name of the call. */
function stepText(step: CallStep): string {
  return flow(step);
}
