import type { SimTime } from '../kernel/scheduler.ts';
import { ACTION, type Action } from './action.ts';
import { ReportMessage, type ReportPart, type ReportSubject, type TextSink } from './reportMessage.ts';
import { ReportTable } from './reportTable.ts';
import { SEVERITY, type Severity } from './severity.ts';
import { UVM_MEDIUM, UVM_NONE } from './verbosity.ts';

/** Where a reporter hands its messages to, and the clock it stamps them with. */
export interface ReportTarget {
  readonly clock: { readonly now: SimTime };
  /** Whether somebody may look at the text of a message that is not shown. */
  readonly hasCatchers: boolean;
  process(message: ReportMessage): void;
  /** An error or fatal message that settings turn into less than an error, or into nothing. */
  switchedOff(id: string): void;
}

/** Builds the text of a message only if the message is wanted. */
export type MessageText = string | (() => string);

/** Called for messages with the action `callHook`; false suppresses the other actions. */
export type ReportHook = (message: ReportMessage) => boolean;

/** Text of a report that is only counted, where nobody looks at it. */
const UNSHOWN = 'one more of this id, which is only counted';

const DEFAULT_ACTIONS: Readonly<Record<Severity, Action>> = {
  [SEVERITY.info]: ACTION.display,
  [SEVERITY.warning]: ACTION.display,
  [SEVERITY.error]: ACTION.display | ACTION.count,
  [SEVERITY.fatal]: ACTION.display | ACTION.exit,
};

/**
 * The report settings of one component (1800.2 6.4 `uvm_report_handler`): verbosity, severity overrides, actions
 * and files, each by severity, by id, or both.
 * @public
 */
export class Reporter {
  /** Full name printed in its messages. */
  readonly path: string;
  /** Highest verbosity that any id lets through: callers compare with it first and stop there in the common case. */
  threshold = UVM_MEDIUM;
  hook: ReportHook | undefined;

  readonly #target: ReportTarget;
  readonly #verbosity = new ReportTable<number>(UVM_MEDIUM);
  readonly #severity = new ReportTable<Severity | undefined>(undefined);
  readonly #actions = new ReportTable<Action>(ACTION.display);
  readonly #files = new ReportTable<TextSink | undefined>(undefined);

  constructor(path: string, target: ReportTarget) {
    this.path = path;
    this.#target = target;
    for (const [severity, action] of Object.entries(DEFAULT_ACTIONS)) {
      this.#actions.set(Number(severity) as Severity, undefined, action);
    }
  }

  /**
   * Whether a message with this severity, id and verbosity is wanted. Verbosity is for infos: no level is low enough
   * to switch off warnings, errors and fatal messages of verbosity `UVM_NONE`, which is theirs; actions are for that.
   */
  enabled(severity: Severity, id: string, verbosity: number): boolean {
    if (severity !== SEVERITY.info) return verbosity <= Math.max(UVM_NONE, this.#verbosity.get(severity, id));
    return verbosity <= this.threshold && verbosity <= this.#verbosity.get(severity, id);
  }

  /** Reports; a text function is called only if the message passes the verbosity test and has an action. */
  report(
    severity: Severity,
    id: string,
    text: MessageText,
    verbosity: number,
    context = '',
    subject?: ReportSubject,
  ): void {
    if (this.enabled(severity, id, verbosity)) this.#deliver(severity, id, text, verbosity, context, 'all', subject);
  }

  /** A warning or worse, or a part of it: see `ReportPart`. */
  reportPart(part: ReportPart, severity: Severity, id: string, text: MessageText, subject?: ReportSubject): void {
    this.#deliver(severity, id, text, UVM_NONE, '', part, subject);
  }

  /** Level below and at which messages are shown; for one id, one severity, or both when given. Default UVM_MEDIUM. */
  setVerbosity(level: number, id?: string, severity?: Severity): void {
    this.#verbosity.set(severity, id, level);
    this.threshold = Math.max(...this.#verbosity.values());
  }

  /** Reports `from` as `to`, for all ids or one. */
  setSeverityOverride(from: Severity, to: Severity, id?: string): void {
    this.#severity.set(from, id, to);
  }

  /** Replaces what is done with messages of a severity, of an id, or of both. */
  setAction(action: Action, severity?: Severity, id?: string): void {
    if (severity === undefined && id === undefined) {
      for (const s of Object.values(SEVERITY)) this.#actions.set(s, undefined, action);
    } else this.#actions.set(severity, id, action);
  }

  /** Where messages with the action `log` are written, for all, a severity, an id, or both. */
  setFile(file: TextSink, severity?: Severity, id?: string): void {
    this.#files.set(severity, id, file);
  }

  /** Whether a setting for this id, or for a severity and this id, has decided about any message. */
  idUsed(table: 'verbosity' | 'severity' | 'actions', id: string, severity?: Severity): boolean {
    return this.settings[table].idUsed(id, severity);
  }

  /** The tables for `+UVM_DUMP_REPORT_ARGS`. */
  get settings(): {
    readonly verbosity: ReportTable<number>;
    readonly severity: ReportTable<Severity | undefined>;
    readonly actions: ReportTable<Action>;
  } {
    return { verbosity: this.#verbosity, severity: this.#severity, actions: this.#actions };
  }

  #deliver(
    severity: Severity,
    id: string,
    text: MessageText,
    verbosity: number,
    context: string,
    part: ReportPart,
    subject?: ReportSubject,
  ): void {
    const effective = this.#severity.get(severity, id) ?? severity;
    const action = this.#actions.get(effective, id);
    if (severity >= SEVERITY.error && part !== 'text' && (effective < SEVERITY.error || action === ACTION.none)) {
      this.#target.switchedOff(id);
    }
    if (action === ACTION.none) return;
    const file = this.#files.get(effective, id);
    const origin = { path: this.path, context, time: this.#target.clock.now, file, part, subject };
    const built = this.#build(text, action, part);
    const message = new ReportMessage(effective, id, built, verbosity, action, origin);
    if ((action & ACTION.callHook) !== 0 && this.hook?.(message) === false) return;
    this.#target.process(message);
  }

  #build(text: MessageText, action: Action, part: ReportPart): string {
    if (typeof text === 'string') return text;
    const isSeen = part !== 'count' || this.#target.hasCatchers || (action & (ACTION.callHook | ACTION.record)) !== 0;
    return isSeen ? text() : UNSHOWN;
  }
}
