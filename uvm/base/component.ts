/**
 * The base of everything that stands in the hierarchy (1800.2 13.1 `uvm_component`).
 *
 * A component is made with a name and a parent (another component, or the run for the top), lives as long as the
 * run, and is driven through its phase hooks by the root. It reaches time, randomness, reports, factory and config
 * through `run`; nothing is global. Left out of the standard: recording, print and compare of components, suspend
 * and resume, and the twelve run-time sub-phases.
 */
import type { Proc } from '../kernel/process.ts';
import type { ReportSubject } from '../report/reportMessage.ts';
import type { MessageText, Reporter } from '../report/reporter.ts';
import { SEVERITY } from '../report/severity.ts';
import { UVM_MEDIUM, UVM_NONE } from '../report/verbosity.ts';
import type { Run } from '../run.ts';
import type { ComponentNode, ElaborationCheck } from './componentNode.ts';
import { unreadSettings, visibleSettings } from './configUsage.ts';
import type { Constructor } from './factory.ts';
import { Glob } from './glob.ts';
import type { Phase } from './phase.ts';
import { UvmError } from './uvmError.ts';

/** @public */
export abstract class Component implements ComponentNode {
  readonly name: string;
  /** Names from the top down to this one, joined by dots. */
  readonly fullName: string;
  readonly run: Run;
  /** Null for a top component. */
  readonly parent: Component | null;
  /** Verbosity, actions and overrides of this component's messages. */
  readonly reporter: Reporter;
  readonly #children: Component[] = [];
  readonly #checks: ElaborationCheck[] = [];

  /**
   * @param parent the component that contains this one, or the run for a top component
   * @throws UvmError `CLDEXT` when the parent has a child of that name, `ILLCRT` after the build phase, `COMPNAME`
   *   for an empty name or one with a dot or a blank.
   */
  constructor(name: string, parent: Component | Run) {
    const above = parent instanceof Component ? parent : null;
    const run = parent instanceof Component ? parent.run : parent;
    checkName(name, above);
    if (!run.root.acceptsComponents) throw tooLate(name, above);
    this.name = name;
    this.parent = above;
    this.run = run;
    this.fullName = above === null ? name : `${above.fullName}.${name}`;
    const siblings = above === null ? run.root.tops : above.children;
    if (siblings.some((c) => c.name === name)) throw duplicate(name, above);
    if (above === null) run.root.addTop(this);
    else above.#children.push(this);
    this.reporter = run.reports.reporter(this.fullName);
  }

  /** In the order of creation. */
  get children(): readonly Component[] {
    return this.#children;
  }

  /** What is verified at the end of elaboration; filled by ports. */
  get elaborationChecks(): readonly ElaborationCheck[] {
    return this.#checks;
  }

  /** Makes the children; parents before children. */
  buildPhase(): void {}
  /** Connects ports; children before parents. */
  connectPhase(): void {}
  /** Last adjustments of the structure; connections have been checked. */
  endOfElaborationPhase(): void {}
  /** Banners and start values. */
  startOfSimulationPhase(): void {}
  /** The process of this component in the run phase; not started unless a subclass defines it. */
  runPhase?(phase: Phase): Proc;
  /** Collects what is left over. */
  extractPhase(): void {}
  /** Judges the end state. */
  checkPhase(): void {}
  /** Says what was found. */
  reportPhase(): void {}
  /** Closes files; parents before children. */
  finalPhase(): void {}
  /** Called on every component when a phase begins. */
  phaseStarted(_phase: Phase): void {}
  /** Called when no objection is left; raising one here prolongs the phase, at most 20 times. */
  phaseReadyToEnd(_phase: Phase): void {}
  /** Called when a phase is over. */
  phaseEnded(_phase: Phase): void {}
  /** Called on every component, children first, when the run ends by a fatal error or the quit count. */
  preAbort(): void {}

  /** Reports an info; below the verbosity threshold it costs one comparison, and a text function is not called. */
  info(id: string, message: MessageText, verbosity = UVM_MEDIUM): void {
    if (verbosity > this.reporter.threshold) return;
    this.reporter.report(SEVERITY.info, id, message, verbosity);
  }

  /**
   * Whether infos of this verbosity may be shown, now or later, for any id: for what is worth connecting at the start of
   * simulation only if somebody will see it.
   */
  mayReport(verbosity: number): boolean {
    if (verbosity <= this.reporter.threshold) return true;
    const { verbositySettings } = this.run.root.args;
    return verbositySettings.some(
      (s) =>
        s.level >= verbosity &&
        (s.time !== undefined || s.phase !== undefined) &&
        new Glob(s.component).matches(this.fullName),
    );
  }

  warning(id: string, message: MessageText): void {
    this.reporter.report(SEVERITY.warning, id, message, UVM_NONE);
  }

  /** @param about what it accuses; default: it does not say */
  error(id: string, message: MessageText, about?: ReportSubject): void {
    this.reporter.report(SEVERITY.error, id, message, UVM_NONE, '', about);
  }

  /** An error that is counted as any other but not shown; its text is built only where a catcher or hook sees it. */
  countError(id: string, message: MessageText, about?: ReportSubject): void {
    this.reporter.reportPart('count', SEVERITY.error, id, message, about);
  }

  /** A line about errors that have been counted, shown as an error but counted by nothing. */
  errorNote(id: string, message: MessageText): void {
    this.reporter.reportPart('text', SEVERITY.error, id, message);
  }

  /** Reports a fatal error, which ends the run. @throws FatalStop unless overridden to something that does not end. */
  fatal(id: string, message: MessageText, about?: ReportSubject): void {
    this.reporter.report(SEVERITY.fatal, id, message, UVM_NONE, '', about);
  }

  /**
   * Makes a child component through the factory, so that overrides apply.
   * @param more what its constructor takes after name and parent
   */
  create<T extends object, A extends readonly unknown[] = readonly []>(
    type: string | Constructor<T, A>,
    name: string,
    ...more: A
  ): T {
    return this.run.factory.create<T, A>(type, name, this, ...more);
  }

  /** Makes an object (sequence, item) through the factory in the context of this component. */
  createObject<T extends object>(type: string | Constructor<T>, name: string): T {
    return this.run.factory.createObject<T>(type, name, this);
  }

  /** The configuration `field` that applies to this component, or to `inst` below it; undefined if never set. */
  config<T>(field: string, inst = ''): T | undefined {
    return this.run.config.get<T>(this, inst, field);
  }

  /**
   * Lists the settings that apply to this component as an info `CFGPRT`: value, who set it, whether another comes first.
   * @param recurse also those of everything below, a message each
   * @param audit with how often each was read
   */
  printConfig(recurse = false, audit = false): void {
    const lines = visibleSettings(this.run.config, this.fullName, audit);
    const list = lines.map((line) => `\n  ${line}`).join('');
    this.info('CFGPRT', `visible settings:${list === '' ? ' none' : list}`, UVM_NONE);
    if (recurse) for (const child of this.#children) child.printConfig(true, audit);
  }

  /**
   * Lists the settings of the configuration database that nobody has read so far, each with the reason, as an info
   * `CFGNRD`; says nothing when there are none. To be called when everybody has asked, in a late phase.
   * @param recurse those of this component and everything below; of a component without parent: all there are. false =
   *   those that this component has set, or that apply to it
   * @returns how many there are
   */
  checkConfigUsage(recurse = true): number {
    const below = this.findAll('*').map((c) => c.fullName);
    const all: string[] = [];
    this.run.root.visit((c) => all.push(c.fullName));
    const whole = recurse && this.parent === null;
    const lines = unreadSettings(this.run.config, recurse ? below : [this.fullName], all, whole);
    const list = lines.map((line) => `\n  ${line}`).join('');
    if (lines.length > 0) this.info('CFGNRD', `settings that nobody has read:${list}`, UVM_NONE);
    return lines.length;
  }

  /** The component at a path relative to this one (`a.b`), or from the top with a leading dot; undefined if none. */
  lookup(path: string): Component | undefined {
    if (path.startsWith('.')) return this.run.root.find(path.slice(1)) as Component | undefined;
    let at: Component | undefined = this;
    for (const name of path.split('.')) at = at?.children.find((c) => c.name === name);
    return at;
  }

  /** All components below this one, this one first, whose full name matches the pattern. */
  findAll(pattern: string): Component[] {
    const glob = new Glob(pattern);
    const found: Component[] = [];
    this.visit((c) => {
      if (glob.matches(c.fullName)) found.push(c);
    });
    return found;
  }

  /** Calls `visitor` for this component and everything below, parents first. */
  visit(visitor: (component: Component) => void): void {
    visitor(this);
    for (const child of this.#children) child.visit(visitor);
  }

  /** Sets the verbosity of this component and everything below, for all ids or one. */
  setVerbosityHier(level: number, id?: string): void {
    this.visit((c) => c.reporter.setVerbosity(level, id));
  }

  /** The tree from here down as indented text, one component and its type a line. */
  topology(indent = ''): string {
    const line = `${indent}${this.name} (${this.constructor.name})`;
    return [line, ...this.#children.map((c) => c.topology(`${indent}  `))].join('\n');
  }

  /** Registers something to be resolved and verified at the end of elaboration; for ports. */
  addElaborationCheck(check: ElaborationCheck): void {
    this.#checks.push(check);
  }
}

function checkName(name: string, parent: Component | null): void {
  if (/^[^\s.]+$/.test(name)) return;
  throw new UvmError(
    'COMPNAME',
    `the component name '${name}' under '${pathOf(parent)}' is empty or contains a dot or a blank; ` +
      'the path is built from the names, so give a plain one',
  );
}

function duplicate(name: string, parent: Component | null): UvmError {
  return new UvmError(
    'CLDEXT',
    `cannot set '${name}' as a child of '${pathOf(parent)}', which already has a child by that name; choose another`,
  );
}

function tooLate(name: string, parent: Component | null): UvmError {
  return new UvmError(
    'ILLCRT',
    `it is illegal to create the component '${name}' under '${pathOf(parent)}' after the build phase; ` +
      'create it in buildPhase',
  );
}

function pathOf(parent: Component | null): string {
  return parent === null ? 'uvm_root' : parent.fullName;
}
