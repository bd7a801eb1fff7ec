/** What a run says of objections: who holds a phase up, and each change when they are traced. */
import { logTime } from '../report/reportMessage.ts';
import type { Phase } from './phase.ts';

/** The objections that are raised in a phase, one line each. */
export function raisedObjections(phase: Phase | undefined): string[] {
  const raised = phase?.objection.raised() ?? [];
  return raised.map((o) => {
    const why = o.description === '' ? '' : `: ${o.description}`;
    return `${o.path} raised ${o.count}, last at ${logTime(o.since)}${why}`;
  });
}

/** Has every change of the objections of these phases said from now on. */
export function traceObjections(phases: Iterable<Phase>, say: (text: string) => void): void {
  for (const phase of phases) {
    phase.objection.listener = (change, source, description, count, total) => {
      const why = description === '' ? '' : ` (${description})`;
      say(`Object ${source.fullName} ${change} ${count} objection(s) of '${phase.name}'${why}: total=${total}`);
    };
  }
}
