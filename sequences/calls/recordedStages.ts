/** Puts recorded threads in order: those that were over when others began belong to an earlier stage. */

import type { Process } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import {
  type CallStage,
  type CallStep,
  type CallThread,
  isWait,
  type WaitStep,
} from '../../config/scenario/calls/callScenario.ts';

/** A step, when it began, and when it was over; -1 for one that is not. */
export interface RecordedStep {
  step: CallStep;
  readonly begin: SimTime;
  end: SimTime;
  /** The completion that was taken when it began, if one was. */
  readonly woken: WaitStep | undefined;
}

/** What a process has done, or a part of it. */
export interface RecordedThread {
  readonly name: string;
  readonly process: Process | null;
  readonly daemon: boolean;
  readonly steps: RecordedStep[];
  /** Threads of processes that it has started meanwhile. */
  readonly children: RecordedThread[];
  /** Names of what it has called. */
  readonly objects: Set<string>;
}

interface Span {
  readonly thread: RecordedThread;
  readonly begin: SimTime;
  readonly end: SimTime;
}

/** The stages of a run, its end left out: how a run ends is not for the scenario to say. */
export function stagesOf(threads: readonly RecordedThread[]): CallStage[] {
  const spans = threads.map(spanOf).filter((span) => span !== undefined);
  spans.sort((a, b) => a.begin - b.begin);
  const groups: { since: SimTime; end: SimTime; spans: Span[] }[] = [];
  for (const span of spans) {
    const last = groups.at(-1);
    const isNext = last === undefined || (span.begin >= last.end && last.spans.some(({ thread }) => !thread.daemon));
    if (isNext) groups.push({ since: last?.end ?? 0, end: 0, spans: [] });
    const group = groups.at(-1) as (typeof groups)[number];
    group.spans.push(span);
    if (!span.thread.daemon) group.end = Math.max(group.end, span.end);
    else group.end = Math.max(group.end, group.since);
  }
  const stages = groups.map(({ since, spans: own }) => ({ threads: own.map(({ thread }) => threadOf(thread, since)) }));
  while (stages.length > 0 && isTakingDown(stages.at(-1) as CallStage)) stages.pop();
  return stages;
}

function spanOf(thread: RecordedThread): Span | undefined {
  const steps = thread.steps.filter(isKept);
  const [first] = steps;
  if (first === undefined) return undefined;
  const ends = steps.map(({ end, step }) => (end >= 0 ? end : isWait(step) ? Number.MAX_SAFE_INTEGER : -1));
  const last = steps.at(-1) as RecordedStep;
  const end = ends.at(-1) === -1 ? Number.MAX_SAFE_INTEGER : Math.max(...ends);
  return { thread, begin: beginOf(first), end: Math.max(end, last.begin) };
}

/** When a thread had come so far: a rest that was waited for began earlier. */
function beginOf({ begin }: RecordedStep): SimTime {
  return begin;
}

/** What nobody waited for to the end. */
function isKept({ step, end }: RecordedStep): boolean {
  return end >= 0 || !isWait(step) || step.wait === 'completions';
}

function threadOf({ name, daemon, steps }: RecordedThread, since: SimTime): CallThread {
  const written: CallStep[] = [];
  let now = since;
  for (const recorded of steps.filter(isKept)) {
    const { step, begin, end, woken } = recorded;
    const gap = begin - now;
    if (gap > 0 && !(isWait(step) && step.wait === 'quiet'))
      written.push(woken ?? { wait: 'until', time: formatTime(begin) });
    written.push(step);
    now = end >= 0 ? end : begin;
  }
  return { name, ...(daemon ? { daemon } : {}), steps: written };
}

const TAKING_DOWN: ReadonlySet<string> = new Set(['destroyQp', 'deregMr', 'destroyCq', 'closeDevice', 'deallocPd']);

/** Nothing but what every run does at its end. */
function isTakingDown({ threads }: CallStage): boolean {
  return threads.every(
    ({ steps, daemon }) =>
      daemon !== true && steps.every((step) => (isWait(step) ? step.wait !== 'event' : TAKING_DOWN.has(step.call))),
  );
}
