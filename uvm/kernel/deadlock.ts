import type { Process, ProcessManager } from './process.ts';
import type { SimTime } from './eventHandler.ts';
import type { ReportSubject } from '../report/reportMessage.ts';
import type { DeltaLimitError } from './schedulerErrors.ts';
import { formatTime } from './time.ts';

/** Gives lines for one section of the report: queue levels, objections, last progress of each QP. */
export type DeadlockDescriber = () => readonly string[];

/** What is behind a deadlock or an endless instant, found by who knows more than the kernel. @public */
export interface DeadlockCause {
  /** Id of the fatal report, in place of `DEADLOCK` or `DELTA_LIMIT`. */
  readonly id: string;
  /** Ends the first line of a deadlock report, or begins that of an endless instant. */
  readonly text: string;
  /** What it accuses; default: it does not say. */
  readonly about?: ReportSubject;
}

/** Entries of a section that are listed one by one unless a run asks for all; the rest is counted. */
const LISTED = 20;

const HOW_TO_LIST_ALL = '+UVM_VERBOSITY=UVM_HIGH lists all';

/**
 * Explains why a run is stuck: nothing is scheduled any more, but somebody still objects to its end.
 *
 * Names every parked process with its path, what it waits for and since when, those that matter most and those that wait
 * longest first, then the sections that other parts have registered. Left out are those that are idle, as a driver is
 * without an item.
 * @public
 */
export class DeadlockReport {
  readonly #processes: ProcessManager;
  readonly #sections = new Map<string, DeadlockDescriber[]>();
  #progressTime: SimTime = -1;
  #progressText = '';
  /** Asked for the cause when nothing can happen any more; undefined = not known. */
  findCause: () => DeadlockCause | undefined = () => undefined;

  /** How much a parked process has to do with what is stuck: those with the lowest number are listed first. */
  rank: (process: Process) => number = (process) => (process.daemon ? 1 : 0);
  /** Entries of a section that are listed. */
  listed = LISTED;

  /** Asked for the cause when an instant does not end; undefined = not known. */
  findLoop: (error: DeltaLimitError) => DeadlockCause | undefined = () => undefined;

  constructor(processes: ProcessManager) {
    this.#processes = processes;
  }

  /** Adds lines to the section `title`. Sections appear in the order in which they were first named. */
  register(title: string, describe: DeadlockDescriber): void {
    const describers = this.#sections.get(title);
    if (describers === undefined) this.#sections.set(title, [describe]);
    else describers.push(describe);
  }

  /** Notes useful progress; the report names the last. Pass a constant text: this may be called often. */
  progress(what: string): void {
    this.#progressTime = this.#processes.scheduler.now;
    this.#progressText = what;
  }

  /** The report with its id: that of the cause, or `DEADLOCK`. */
  report(): DeadlockCause {
    const cause = this.findCause();
    return { id: cause?.id ?? 'DEADLOCK', text: this.text(cause?.text), ...aboutOf(cause) };
  }

  /** What is reported when an instant does not end, with its id: that of the cause, or `DELTA_LIMIT`. */
  loop(error: DeltaLimitError): DeadlockCause {
    const cause = this.findLoop(error);
    const text = cause === undefined ? error.message : `${cause.text}; ${error.message}`;
    return { id: cause?.id ?? 'DELTA_LIMIT', text, ...aboutOf(cause) };
  }

  /** The report as text, one line each, no final line feed. */
  text(cause = 'no event is scheduled'): string {
    return `deadlock at ${formatTime(this.#processes.scheduler.now)}: ${cause}\n${this.waiting()}`;
  }

  /** Who waits for what and since when, with the registered sections: also for runs that end by a limit. */
  waiting(): string {
    const lines: string[] = [];
    if (this.#progressTime >= 0)
      lines.push(`last progress: ${this.#progressText} at ${formatTime(this.#progressTime)}`);
    addSection(lines, 'parked processes', this.#parked());
    for (const [title, describers] of this.#sections) {
      addSection(
        lines,
        title,
        describers.flatMap((describe) => describe()),
      );
    }
    return lines.join('\n');
  }

  #parked(): string[] {
    const ranked = this.#processes
      .parked()
      .filter((process) => process.waitsOn?.idle !== true)
      .map((process) => ({ process, rank: this.rank(process) }));
    ranked.sort((a, b) => a.rank - b.rank || a.process.since - b.process.since);
    const lines = ranked.map(
      ({ process: p }) =>
        `${p.fullName}${p.daemon ? ' (daemon)' : ''} waits for ${p.waitsFor} since ${formatTime(p.since)}`,
    );
    return this.first(lines);
  }

  /** The entries of a section that are listed, and how many are left out. */
  first(lines: readonly string[]): string[] {
    if (lines.length <= this.listed) return [...lines];
    return [...lines.slice(0, this.listed), `... and ${lines.length - this.listed} more; ${HOW_TO_LIST_ALL}`];
  }
}

function addSection(lines: string[], title: string, entries: readonly string[]): void {
  lines.push(`${title}:${entries.length === 0 ? ' none' : ''}`);
  for (const entry of entries) lines.push(`  ${entry}`);
}

function aboutOf(cause: DeadlockCause | undefined): Pick<DeadlockCause, 'about'> {
  return cause?.about === undefined ? {} : { about: cause.about };
}
