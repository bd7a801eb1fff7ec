import type { SimTime } from '../kernel/scheduler.ts';
import type { Action } from './action.ts';
import { type Severity, severityName } from './severity.ts';

/** A line-wise text output: the log, a file, an array in a spec. @public */
export type TextSink = (text: string) => void;

/**
 * Which part of a report is carried out. `count`: it counts as any other, but its text is not displayed or logged, and
 * need not have been built. `text`: a line about reports that were counted before; nothing counts it.
 */
export type ReportPart = 'all' | 'count' | 'text';

/**
 * What a report is about, in terms of whoever uses this kernel: what it accuses first (message elements of 1800.2 6.2.4, of
 * objects only).
 */
export type ReportSubject = readonly object[];

/** One report on its way through overrides and catchers to its actions (1800.2 6.2 `uvm_report_message`). @public */
export class ReportMessage {
  severity: Severity;
  id: string;
  text: string;
  verbosity: number;
  action: Action;
  /** Full name of the component, or `reporter` for the run itself. */
  readonly path: string;
  /** What within the component speaks, e.g. the name of a sequence; empty if the component itself. */
  readonly context: string;
  readonly time: SimTime;
  /** Where `UVM_LOG` writes to, or undefined. */
  file: TextSink | undefined;
  readonly part: ReportPart;
  /** Undefined where the report does not say. */
  readonly subject: ReportSubject | undefined;

  constructor(
    severity: Severity,
    id: string,
    text: string,
    verbosity: number,
    action: Action,
    origin: {
      path: string;
      context: string;
      time: SimTime;
      file: TextSink | undefined;
      part?: ReportPart;
      subject?: ReportSubject | undefined;
    },
  ) {
    this.severity = severity;
    this.id = id;
    this.text = text;
    this.verbosity = verbosity;
    this.action = action;
    this.path = origin.path;
    this.context = origin.context;
    this.time = origin.time;
    this.file = origin.file;
    this.part = origin.part ?? 'all';
    this.subject = origin.subject;
  }
}

/** The line of the standard: `SEVERITY @ time: path[@@context] [ID] text`; time in ns with up to three decimals. */
export function formatMessage(m: ReportMessage): string {
  const context = m.context === '' ? '' : `@@${m.context}`;
  return `${severityName(m.severity)} @ ${logTime(m.time)}: ${m.path}${context} [${m.id}] ${m.text}`;
}

/** Simulated time as printed in a log: nanoseconds, without trailing zeros, e.g. `1250.5ns`. */
export function logTime(ps: SimTime): string {
  const whole = Math.floor(ps / 1000);
  const rest = ps % 1000;
  if (rest === 0) return `${whole}ns`;
  return `${whole}.${String(rest).padStart(3, '0').replace(/0+$/, '')}ns`;
}
