/**
 * Applies the report plusargs to the reporters of a run: `+UVM_VERBOSITY`, `+uvm_set_verbosity`, `+uvm_set_action`,
 * `+uvm_set_severity`.
 *
 * A component gets what is in effect when it is created; what belongs to a later phase or time reaches all existing
 * components then. Each setting remembers which components it reached, for `+UVM_DUMP_REPORT_ARGS` and the warnings
 * at the end of the run.
 */
import { Glob } from '../base/glob.ts';
import type { PhaseName } from '../base/phase.ts';
import type { EventHandler, Scheduler } from '../kernel/scheduler.ts';
import { actionNames } from '../report/action.ts';
import type { Reporter } from '../report/reporter.ts';
import type { ReportServer } from '../report/reportServer.ts';
import { SEVERITIES, severityName } from '../report/severity.ts';
import { verbosityName } from '../report/verbosity.ts';
import { didYouMean } from './nearest.ts';
import type { UvmArguments } from './uvmArguments.ts';

/** Path of the reporter that speaks for the run itself. */
export const ROOT_REPORTER = 'reporter';

interface Applied {
  readonly arg: string;
  readonly component: string;
  readonly glob: Glob;
  readonly apply: (reporter: Reporter) => void;
  readonly phase: PhaseName | undefined;
  readonly time: number | undefined;
  readonly components: string[];
  /** Set for one id: that id, and whether the setting has decided about a message of this reporter. */
  readonly id: string | undefined;
  readonly used: (reporter: Reporter) => boolean;
  readonly reporters: Reporter[];
  active: boolean;
}

/** A setting that reached nothing, and why. */
export interface UnusedSetting {
  readonly arg: string;
  readonly reason: string;
}

/** Id of the warnings about settings and plusargs without effect. */
export const UNUSED_ID = 'CMDLINE_UNUSED';

export class ReportSettings implements EventHandler {
  readonly fullName = 'report settings';
  readonly #reports: ReportServer;
  readonly #settings: Applied[];

  /** Attaches to all present and future reporters of the server. */
  constructor(args: UvmArguments, reports: ReportServer, scheduler: Scheduler) {
    this.#reports = reports;
    this.#settings = [...verbosities(args), ...actions(args), ...severities(args)];
    this.#settings.forEach((s, i) => {
      if (s.time !== undefined && s.time > scheduler.now) scheduler.scheduleAt(s.time, this, i);
      else if (s.phase === undefined || s.phase === 'build') s.active = true;
    });
    reports.forEachReporter((reporter) => {
      if (args.verbosity !== undefined) reporter.setVerbosity(args.verbosity);
      for (const s of this.#settings) if (s.active) reach(s, reporter);
    });
  }

  /** Time of a setting has come. */
  fire(index: number): void {
    this.#activate(this.#settings[index] as Applied);
  }

  /** Puts the settings of a phase into effect. */
  enterPhase(phase: PhaseName): void {
    for (const s of this.#settings) if (s.phase === phase && !s.active) this.#activate(s);
  }

  /** Settings that reached no component, or that are for an id without any message, with the reason. */
  unused(paths: readonly string[]): UnusedSetting[] {
    const ids = [...this.#reports.idCounts().keys()];
    return this.#settings.flatMap((s) => {
      const { arg, id } = s;
      const idle = id === undefined ? s.components.length === 0 : !s.reporters.some(s.used);
      if (!idle) return [];
      if (s.components.length === 0 || id === undefined) return [{ arg, reason: reasonOf(s, paths) }];
      // What is unused is said last: a setting for that has met nothing so far, and rightly.
      if (id === UNUSED_ID) return [];
      return [{ arg, reason: `it has met no message with the id '${id}'${didYouMean(id, ids)}` }];
    });
  }

  /** One line for each setting with the components that used it. */
  usage(): string[] {
    return this.#settings.map((s) => `${s.arg}: ${s.components.length === 0 ? 'unused' : s.components.join(', ')}`);
  }

  #activate(setting: Applied): void {
    setting.active = true;
    for (const reporter of this.#reports.reporters()) reach(setting, reporter);
  }
}

/** Report settings of one reporter as text; empty when it has only defaults. For `+UVM_DUMP_REPORT_ARGS`. */
export function describeReporter(reporter: Reporter): string {
  const { verbosity, severity, actions: actionTable } = reporter.settings;
  const parts = [`verbosity ${verbosityName(verbosity.fallback)}`];
  for (const [key, level] of verbosity.entries(severityName)) parts.push(`[${key}] ${verbosityName(level)}`);
  for (const [key, to] of severity.entries(severityName))
    if (to !== undefined) parts.push(`${key} -> ${severityName(to)}`);
  for (const [key, action] of actionTable.entries(severityName)) parts.push(`${key} ${actionNames(action)}`);
  return `${reporter.path}: ${parts.join('; ')}`;
}

function reach(setting: Applied, reporter: Reporter): void {
  if (!setting.glob.matches(reporter.path)) return;
  setting.apply(reporter);
  setting.reporters.push(reporter);
  if (reporter.path !== ROOT_REPORTER || setting.component === ROOT_REPORTER) setting.components.push(reporter.path);
}

function reasonOf(setting: Applied, paths: readonly string[]): string {
  if (setting.active) return `no component matches '${setting.component}'${didYouMean(setting.component, paths)}`;
  if (setting.time !== undefined) return 'its time was not reached';
  return `the phase '${setting.phase}' was never entered`;
}

function entry(
  setting: { readonly arg: string; readonly component: string; readonly id: string | undefined },
  apply: (reporter: Reporter) => void,
  used: (reporter: Reporter, id: string) => boolean,
  when: { readonly phase?: PhaseName | undefined; readonly time?: number | undefined } = {},
): Applied {
  const { arg, component, id } = setting;
  const { phase, time } = when;
  return {
    arg,
    component,
    glob: new Glob(component),
    apply,
    phase,
    time,
    components: [],
    id,
    used: (reporter) => id !== undefined && used(reporter, id),
    reporters: [],
    active: false,
  };
}

function verbosities(args: UvmArguments): Applied[] {
  return args.verbositySettings.map((s) =>
    entry(
      s,
      (r) => r.setVerbosity(s.level, s.id),
      (r, id) => r.idUsed('verbosity', id),
      s,
    ),
  );
}

function actions(args: UvmArguments): Applied[] {
  return args.actionSettings.map((s) =>
    entry(
      s,
      (r) => r.setAction(s.action, s.severity, s.id),
      (r, id) => r.idUsed('actions', id, s.severity),
    ),
  );
}

function severities(args: UvmArguments): Applied[] {
  return args.severitySettings.map((s) => {
    const sources = s.from === undefined ? SEVERITIES : [s.from];
    return entry(
      s,
      (r) => {
        for (const from of sources) r.setSeverityOverride(from, s.to, s.id);
      },
      (r, id) => sources.some((from) => r.idUsed('severity', id, from)),
    );
  });
}
