/**
 * The report server (1800.2 6.5): every message of a run ends here.
 *
 *   component.info/warning/error/fatal -> Reporter (verbosity, severity override, action) -> ReportServer
 *   (catchers, counts, quit count, sinks, listeners)
 *
 * A component's reporter decides whether a message exists at all and with which severity and action; the server
 * counts, prints and decides when the run ends. Messages below the verbosity threshold never reach it. What is left
 * out of the standard: message elements (`uvm_report_message_element`) and transaction recording.
 */
import type { SimTime } from '../kernel/scheduler.ts';
import { ACTION } from './action.ts';
import { FatalStop } from './fatalStop.ts';
import type { ReportCatcher } from './reportCatcher.ts';
import { Reporter, type ReportTarget } from './reporter.ts';
import { formatMessage, type ReportMessage, type TextSink } from './reportMessage.ts';
import { summaryText } from './reportSummary.ts';
import { SEVERITY, type Severity } from './severity.ts';

/** Why the server asked for the end of the run. */
export type ExitReason = 'fatal' | 'quit-count' | 'exit-action';

/** Counts of messages that catchers changed or dropped, by the severity they came with. */
export interface CatcherCounts {
  readonly demoted: readonly number[];
  readonly caught: readonly number[];
}

/** @public */
export class ReportServer implements ReportTarget {
  readonly clock: { readonly now: SimTime };
  /** Where displayed messages go. */
  sink: TextSink;
  /** Turns a message into its line; replace to change the format of a run. */
  format: (message: ReportMessage) => string = formatMessage;
  /** Called once, when an action, a fatal message or the quit count ends the run. */
  onExit: (reason: ExitReason) => void = () => {};
  /** Set when the run has been told to end. */
  exitReason: ExitReason | undefined;

  readonly #reporters = new Map<string, Reporter>();
  readonly #catchers: ReportCatcher[] = [];
  readonly #listeners: ((message: ReportMessage) => void)[] = [];
  readonly #recorders: ((message: ReportMessage) => void)[] = [];
  readonly #created: ((reporter: Reporter) => void)[] = [];
  readonly #bySeverity = [0, 0, 0, 0];
  readonly #byId = new Map<string, number>();
  readonly #switchedOff = new Map<string, number>();
  readonly #demoted = [0, 0, 0, 0];
  readonly #caught = [0, 0, 0, 0];
  #quitCount = 0;
  #maxQuit = 0;
  #maxQuitLocked = false;

  constructor(clock: { readonly now: SimTime }, sink: TextSink) {
    this.clock = clock;
    this.sink = sink;
  }

  /** Errors counted (`UVM_COUNT`) so far. */
  get quitCount(): number {
    return this.#quitCount;
  }

  /** Counted errors after which the run ends; 0 = unlimited. */
  get maxQuitCount(): number {
    return this.#maxQuit;
  }

  /** Sets the limit of counted errors; once set as not overridable, later calls are ignored (1800.2 6.5.1.5). */
  setMaxQuitCount(count: number, overridable = true): void {
    if (this.#maxQuitLocked) return;
    this.#maxQuit = count;
    this.#maxQuitLocked = !overridable;
  }

  /** Messages executed so far with a severity. */
  severityCount(severity: Severity): number {
    return this.#bySeverity[severity] as number;
  }

  /** Messages executed so far with an id. */
  idCount(id: string): number {
    return this.#byId.get(id) ?? 0;
  }

  /** All ids seen with their counts. */
  idCounts(): ReadonlyMap<string, number> {
    return this.#byId;
  }

  /** Errors and fatal messages that report settings switched off or lowered, by id: a pass says nothing about them. */
  switchedOffCounts(): ReadonlyMap<string, number> {
    return this.#switchedOff;
  }

  switchedOff(id: string): void {
    this.#switchedOff.set(id, (this.#switchedOff.get(id) ?? 0) + 1);
  }

  get catcherCounts(): CatcherCounts {
    return { demoted: this.#demoted, caught: this.#caught };
  }

  /** The reporter of a path; made on first use. */
  reporter(path: string): Reporter {
    let reporter = this.#reporters.get(path);
    if (reporter === undefined) {
      reporter = new Reporter(path, this);
      this.#reporters.set(path, reporter);
      for (const created of this.#created) created(reporter);
    }
    return reporter;
  }

  /** All reporters made so far. */
  reporters(): Iterable<Reporter> {
    return this.#reporters.values();
  }

  /** Calls `listener` for each existing and future reporter: how command-line settings reach components. */
  forEachReporter(listener: (reporter: Reporter) => void): void {
    for (const reporter of this.#reporters.values()) listener(reporter);
    this.#created.push(listener);
  }

  get hasCatchers(): boolean {
    return this.#catchers.length > 0;
  }

  addCatcher(catcher: ReportCatcher): void {
    this.#catchers.push(catcher);
  }

  removeCatcher(catcher: ReportCatcher): void {
    const at = this.#catchers.indexOf(catcher);
    if (at >= 0) this.#catchers.splice(at, 1);
  }

  /** Calls `listener` for every message that is executed, after overrides and catchers. */
  onMessage(listener: (message: ReportMessage) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `recorder` for every message with the action `record`. */
  onRecord(recorder: (message: ReportMessage) => void): void {
    this.#recorders.push(recorder);
  }

  /**
   * Passes a message through the catchers and executes its actions.
   * @throws FatalStop after a fatal message whose action ends the run.
   */
  process(message: ReportMessage): void {
    if (this.#catchers.length > 0 && !this.#passCatchers(message)) return;
    if (message.action === ACTION.none) return;
    if (message.part !== 'text') this.#tally(message);
    this.#write(message);
    if (message.part === 'text') return;
    for (const listener of this.#listeners) listener(message);
    if ((message.action & ACTION.count) !== 0) this.#count();
    if ((message.action & (ACTION.exit | ACTION.stop)) !== 0) this.#exit(message);
  }

  /** Report summary of the end of the run (1800.2 6.5.1.11). */
  summary(): string {
    return summaryText(this);
  }

  #tally(message: ReportMessage): void {
    this.#bySeverity[message.severity] = (this.#bySeverity[message.severity] as number) + 1;
    this.#byId.set(message.id, (this.#byId.get(message.id) ?? 0) + 1);
  }

  #passCatchers(message: ReportMessage): boolean {
    const before = message.severity;
    const one = message.part === 'text' ? 0 : 1;
    for (const catcher of this.#catchers) {
      if (catcher.catch(message) === 'caught') {
        this.#caught[before] = (this.#caught[before] as number) + one;
        return false;
      }
    }
    if (message.severity < before) this.#demoted[before] = (this.#demoted[before] as number) + one;
    return true;
  }

  #write(message: ReportMessage): void {
    const action = message.action;
    const isShown = message.part !== 'count';
    const display = isShown && (action & ACTION.display) !== 0;
    const log = isShown && (action & ACTION.log) !== 0 && message.file !== undefined;
    if (display || log) {
      const line = this.format(message);
      if (display) this.sink(line);
      if (log) message.file?.(line);
    }
    if ((action & ACTION.record) !== 0) for (const recorder of this.#recorders) recorder(message);
  }

  #count(): void {
    // What else is reported in the instant that reached the limit is printed, but the run is over.
    if (this.exitReason === 'quit-count') return;
    this.#quitCount++;
    if (this.#maxQuit > 0 && this.#quitCount >= this.#maxQuit) this.#end('quit-count');
  }

  #exit(message: ReportMessage): void {
    const fatal = message.severity === SEVERITY.fatal;
    this.#end(fatal ? 'fatal' : 'exit-action');
    if (fatal) throw new FatalStop(message.id, message.text);
  }

  #end(reason: ExitReason): void {
    if (this.exitReason !== undefined) return;
    this.exitReason = reason;
    this.onExit(reason);
  }
}
