/**
 * JUnit XML that CI systems read alike.
 *
 * GitLab names suites by `classname`, ignores properties and drops repeated pairs of `classname` and `name`: names
 * carry the seed, and the seed and the line that repeats the run stand in the failure's text and in `system-err`.
 * Jenkins refuses `file` and `line` attributes, so there are none.
 */

import { relative } from 'node:path';
import { isExcused, isFailure, isPass, type Job, type JobResult, type KnownRun, type SkippedJob } from '../job.ts';

/** What the file says besides the results. */
export interface JunitOptions {
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly started: string;
  readonly hostname: string;
  /** Where the document will be: paths in it are relative to this folder. */
  readonly folder: string;
  /** Jobs in the order of the list; those without result are reported as skipped. */
  readonly jobs: readonly Job[];
  readonly results: readonly JobResult[];
  /** Runs that are left out, reported as skipped with the reason. Default: none. */
  readonly skipped?: readonly SkippedJob[];
}

/** The whole document. */
export function junitXml(options: JunitOptions): string {
  const byId = new Map(options.results.map((result) => [result.id, result]));
  const all = [...options.jobs, ...(options.skipped ?? []).map(({ job }) => job)];
  const families = [...new Set(all.map((job) => job.family))];
  const suites = families.map((family) => suite(family, options, byId));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: options.name }, suites)}\n`;
}

/** Escapes text for XML and makes control characters visible, which XML 1.0 forbids even when escaped. */
export function xmlText(text: string): string {
  return text
    .replace(/[&<>"']/g, (c) => ENTITIES[c] as string)
    .replace(FORBIDDEN, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u202a-\u202e\u2066-\u2069]/gu;

function suite(family: string, options: JunitOptions, byId: ReadonlyMap<string, JobResult>): string {
  const jobs = options.jobs.filter((job) => job.family === family);
  const results = jobs.flatMap((job) => byId.get(job.id) ?? []);
  const left = (options.skipped ?? []).filter(({ job }) => job.family === family);
  const attributes = {
    name: family,
    tests: jobs.length + left.length,
    failures: results.filter(isFailure).length,
    errors: results.filter((r) => !isFailure(r) && !isExcused(r)).length,
    skipped: jobs.length - results.length + left.length + results.filter(({ known }) => known !== undefined).length,
    time: seconds(results.reduce((sum, r) => sum + r.wallMs, 0)),
    timestamp: options.started.replace(/\.\d+Z$/, 'Z'),
    hostname: options.hostname,
  };
  return element('testsuite', attributes, [
    ...jobs.map((job) => testcase(job, byId.get(job.id), options.folder)),
    ...left.map(({ job, reason }) => skippedCase(job, reason)),
  ]);
}

function testcase(job: Job, result: JobResult | undefined, folder: string): string {
  if (result === undefined) return skippedCase(job, 'not run: the regression was stopped');
  const log = isPass(result) && result.switchedOff === 0 ? '' : logFrom(folder, result);
  const children = result.known
    ? [
        element('skipped', { message: knownText(result.known) }, []),
        properties(job, result, log, folder),
        ...attachment(log),
      ]
    : isPass(result)
      ? [properties(job, result, log, folder), ...attachment(log)]
      : [...outcome(result), properties(job, result, log, folder), ...attachment(log), repetition(result)];
  return element('testcase', { classname: job.family, name: nameOf(job), time: seconds(result.wallMs) }, children);
}

function knownText({ issues }: KnownRun): string {
  return `known issue: ${issues.join('; ')}`;
}

function skippedCase(job: Job, message: string): string {
  const skipped = element('skipped', { message }, []);
  return element('testcase', { classname: job.family, name: nameOf(job), time: '0.000' }, [skipped]);
}

function nameOf({ id, title }: Job): string {
  return title === '' ? id : `${id} ${title}`;
}

/** A failed check is a `failure`; what kept a run from being judged is an `error`. */
function outcome(result: JobResult): string[] {
  const tag = isFailure(result) ? 'failure' : 'error';
  const message = result.message === '' ? result.status : result.message;
  const accused = result.cause?.accuses.map((text, i) => `${i === 0 ? 'accused' : 'against it'}: ${text}`) ?? [];
  const decides = result.cause?.decides ?? '';
  const text = [message, ...accused, ...(decides === '' ? [] : [`decided by: ${decides}`]), again(result)].join('\n');
  return [element(tag, { message, type: result.signature?.id ?? result.status }, [xmlText(text)])];
}

function repetition(result: JobResult): string {
  return element('system-err', {}, [xmlText(again(result))]);
}

/** What repeats the run, if anything does, and the smallest case of it. */
function again({ seed, replay, cause }: JobResult): string {
  const smaller = cause?.shrunk?.replay ?? '';
  return [
    `seed: ${seed}`,
    ...(replay === '' ? [] : [`replay: ${replay}`]),
    ...(smaller === '' ? [] : [`shrunk: ${smaller}`]),
  ].join('\n');
}

/** The log of a run as seen from a folder; '' = it has none. */
function logFrom(folder: string, { log }: JobResult): string {
  return log === '' ? '' : relative(folder, log);
}

function attachment(log: string): string[] {
  return log === '' ? [] : [element('system-out', {}, [`[[ATTACHMENT|${xmlText(log)}]]`])];
}

function properties(job: Job, result: JobResult, log: string, folder: string): string {
  const values = {
    ...(log === '' ? {} : { attachment: log }),
    test: result.test,
    seed: result.seed,
    transcript: result.transcript,
    where: job.where,
    ...(result.cause === undefined || result.cause.accuses.length === 0
      ? {}
      : { accuses: result.cause.accuses.join('; ') }),
    ...(result.cause === undefined || result.cause.page === '' ? {} : { cause: relative(folder, result.cause.page) }),
    ...(result.cause?.shrunk === undefined ? {} : { shrunk: relative(folder, result.cause.shrunk.scenario) }),
    ...(result.bugEffect === undefined ? {} : { planted_bug: result.bugEffect }),
    attempts: result.attempts,
    errors_switched_off: result.switchedOff,
  };
  return element(
    'properties',
    {},
    Object.entries(values).map(([name, value]) => element('property', { name, value }, [])),
  );
}

function element(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[],
): string {
  const list = Object.entries(attributes).map(([name, value]) => ` ${name}="${xmlText(String(value))}"`);
  if (children.length === 0) return `<${tag}${list.join('')}/>`;
  const isText = !(children[0] as string).startsWith('<');
  const body = isText ? children.join('') : `\n${children.join('\n')}\n`;
  return `<${tag}${list.join('')}>${body}</${tag}>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
