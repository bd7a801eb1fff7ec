/**
 * Drives a component tree through the nine common phases (1800.2 9.8).
 *
 * Function phases visit the tree once: `build` and `final` parents first, the others children first. The run phase
 * starts one process for each component that defines `runPhase`; it ends when no objection is left (at once if none
 * was ever raised in its first instant), and whatever still runs is killed. Left out: user-defined phases, domains,
 * schedules and jumps.
 */
import type { DeadlockCause } from '../kernel/deadlock.ts';
import type { ReportSubject } from '../report/reportMessage.ts';
import type { Process } from '../kernel/process.ts';
import { type EventHandler, REGION, type SimTime } from '../kernel/scheduler.ts';
import { logTime } from '../report/reportMessage.ts';
import type { ComponentNode } from './componentNode.ts';
import { COMMON_PHASES, Phase, type PhaseName } from './phase.ts';
import type { RunServices } from './runServices.ts';

/** Largest time-out, and the default: 9200 s of the standard clamped to what a safe integer of ps can hold. */
export const DEFAULT_TIMEOUT: SimTime = Math.min(9200e12, Number.MAX_SAFE_INTEGER);

/** Times that `phaseReadyToEnd` may prolong a phase. */
const MAX_READY_TO_END = 20;
/** Simulated time between two calls of the heartbeat, in ps. */
const HEARTBEAT: SimTime = 100_000_000;

/** Why somebody outside ends a run: the text of a fatal report `RUN_LIMIT`, or a report with an id of its own. */
export type EndReason = string | { readonly id: string; readonly text: string };

/** Reports why somebody outside ends the run. */
export function endFatally(reason: EndReason, fatal: (id: string, text: string) => void): void {
  if (typeof reason === 'string') fatal('RUN_LIMIT', reason);
  else fatal(reason.id, reason.text);
}

/** What the phase runner asks of the root. */
export interface PhaseOwner {
  readonly tops: readonly ComponentNode[];
  readonly timeout: SimTime;
  /** What set it, for messages: a plusarg; '' when nobody has said so. */
  readonly timeoutSource: string;
  /** Called as a phase begins, before any hook. */
  entering(phase: Phase): void;
  /** Called after `connect` and before `end_of_elaboration`. */
  elaborated(): void;
  info(id: string, text: string): void;
  warning(id: string, text: string): void;
  fatal(id: string, text: string, about?: ReportSubject): void;
  /** The report when nothing can happen any more although the phase is objected to. */
  deadlock(): DeadlockCause;
  /** Who waits for what, with the objections. */
  waiting(): string;
  /** Called now and then while simulated time passes; a reason ends the run. */
  heartbeat(): EndReason | undefined;
}

type Hook = Exclude<
  keyof ComponentNode,
  'name' | 'fullName' | 'parent' | 'children' | 'elaborationChecks' | 'runPhase'
>;

const HOOKS: Readonly<Record<Exclude<PhaseName, 'run'>, Hook>> = {
  build: 'buildPhase',
  connect: 'connectPhase',
  end_of_elaboration: 'endOfElaborationPhase',
  start_of_simulation: 'startOfSimulationPhase',
  extract: 'extractPhase',
  check: 'checkPhase',
  report: 'reportPhase',
  final: 'finalPhase',
};

export class PhaseRunner implements EventHandler {
  readonly fullName = 'run.phase';
  readonly phases: ReadonlyMap<PhaseName, Phase>;
  /** Log every start and end of a phase. */
  trace = false;
  readonly #services: RunServices;
  readonly #owner: PhaseOwner;
  readonly #processes: Process[] = [];
  #current: Phase | undefined;
  #readyCalls = 0;

  constructor(services: RunServices, owner: PhaseOwner) {
    this.#services = services;
    this.#owner = owner;
    this.phases = new Map(COMMON_PHASES.map((name) => [name, new Phase(name, services.scheduler)]));
  }

  /** The phase being executed. */
  get current(): Phase | undefined {
    return this.#current;
  }

  /** Runs all phases; returns early when the report server ends the run. */
  runAll(): void {
    for (const phase of this.phases.values()) {
      if (this.#exiting()) return;
      if (phase.name === 'end_of_elaboration') this.#owner.elaborated();
      this.#enter(phase);
      if (phase.name === 'run') this.#runPhase(phase);
      else this.#functionPhase(HOOKS[phase.name as Exclude<PhaseName, 'run'>], phase.name);
      this.#leave(phase);
    }
  }

  /** Calls `preAbort` on every component, children first, and ends all processes. */
  abort(): void {
    this.#killProcesses();
    visitUp(this.#owner.tops, (c) => c.preAbort());
  }

  /** End of an instant in which the last objection was dropped, or of the first instant of the phase. */
  fire(): void {
    const phase = this.#current;
    if (phase === undefined || phase.state !== 'executing' || phase.objection.total > 0) return;
    phase.state = 'ready_to_end';
    if (this.#readyCalls < MAX_READY_TO_END) {
      this.#readyCalls++;
      visitUp(this.#owner.tops, (c) => c.phaseReadyToEnd(phase));
      if (phase.objection.total > 0) {
        phase.state = 'executing';
        return;
      }
    } else
      this.#owner.warning(
        'PH_READY_TO_END',
        `phaseReadyToEnd prolonged the phase ${MAX_READY_TO_END} times; it ends now`,
      );
    this.#services.scheduler.stop();
  }

  #enter(phase: Phase): void {
    this.#current = phase;
    phase.state = 'executing';
    if (this.trace) this.#owner.info('PH/TRC/STRT', `Phase 'common.${phase.name}' Starting phase`);
    this.#owner.entering(phase);
    visitUp(this.#owner.tops, (c) => c.phaseStarted(phase));
  }

  #leave(phase: Phase): void {
    if (this.#exiting()) return;
    phase.state = 'done';
    visitUp(this.#owner.tops, (c) => c.phaseEnded(phase));
    if (this.trace) this.#owner.info('PH/TRC/DONE', `Phase 'common.${phase.name}' Completed phase`);
  }

  #functionPhase(hook: Hook, name: PhaseName): void {
    const call = (c: ComponentNode): void => {
      if (!this.#exiting()) (c[hook] as () => void).call(c);
    };
    if (name === 'build' || name === 'final') visitDown(this.#owner.tops, call);
    else visitUp(this.#owner.tops, call);
  }

  #runPhase(phase: Phase): void {
    const { scheduler, processes } = this.#services;
    phase.objection.onAllDropped = () => scheduler.schedule(0, this, 0, REGION.check);
    visitUp(this.#owner.tops, (c) => {
      const body = c.runPhase?.(phase);
      if (body !== undefined) this.#processes.push(processes.spawn(`${c.fullName}.run_phase`, body, { parent: null }));
    });
    scheduler.schedule(0, this, 0, REGION.check);
    this.#simulate(phase);
    this.#killProcesses();
  }

  #simulate(phase: Phase): void {
    const { scheduler } = this.#services;
    for (;;) {
      const limit = this.#owner.timeout;
      const next = scheduler.nextTime();
      const reason = scheduler.run(Math.min(limit, Math.max(next, scheduler.now) + HEARTBEAT));
      if (reason === 'stopped') return;
      if (reason === 'empty') {
        const { id, text, about } = this.#owner.deadlock();
        this.#owner.fatal(id, text, about);
        return;
      }
      if (scheduler.now >= limit) {
        this.#timedOut(phase);
        return;
      }
      const wanted = this.#owner.heartbeat();
      if (wanted !== undefined) {
        endFatally(wanted, (id, text) => this.#owner.fatal(id, text));
        return;
      }
    }
  }

  #timedOut(phase: Phase): void {
    const { timeout, timeoutSource } = this.#owner;
    const kind = timeout === DEFAULT_TIMEOUT ? 'Default' : 'Explicit';
    const source = timeoutSource === '' ? '' : ` (${timeoutSource})`;
    const who = phase.objection
      .raised()
      .map((o) => `\n  ${o.path}: ${o.count} objection(s) since ${logTime(o.since)} ${o.description}`);
    this.#owner.fatal(
      'PH_TIMEOUT',
      `${kind} timeout of ${logTime(timeout)} hit${source}, indicating a probable testbench issue${who.join('')}\n` +
        this.#owner.waiting(),
    );
  }

  #killProcesses(): void {
    for (const p of this.#processes.splice(0)) p.kill();
    this.#services.processes.killAll();
  }

  #exiting(): boolean {
    return this.#services.reports.exitReason !== undefined;
  }
}

/** Parents first; children made by a parent's visit are included. */
function visitDown(nodes: readonly ComponentNode[], visit: (node: ComponentNode) => void): void {
  for (const node of nodes) {
    visit(node);
    visitDown(node.children, visit);
  }
}

function visitUp(nodes: readonly ComponentNode[], visit: (node: ComponentNode) => void): void {
  for (const node of nodes) {
    visitUp(node.children, visit);
    visit(node);
  }
}
