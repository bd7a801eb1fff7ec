/**
 * Writes down what the software of all hosts asks of its NICs, so that it can be played without whatever asked: who calls
 * what when, and what it has waited for before. Calls are told apart by the processes that make them.
 *
 * What a process has waited for is not known at the host API. It is taken for the completion of a request when one was
 * taken from its queue in that very moment, and for the passing of time otherwise.
 */

import { HostApiError } from '../../env/verbs/hostErrors.ts';
import type { Cq } from '../../env/verbs/verbsObjects.ts';
import type { VisibleCompletion, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import type { Process, ProcessManager } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { InjectedPacket } from '../../agents/link/inject/injectedPacket.ts';
import type { PsnCounter } from '../../env/trace/psnCounter.ts';
import type { LinkFault } from '../host/faults/linkFaults.ts';
import type { CallOf, CallStage, CallStep, FaultPort, WaitStep } from '../../config/scenario/calls/callScenario.ts';
import { packetStep } from './injections.ts';
import { ObjectNames } from './objectNames.ts';
import type { BegunCall } from './recordedCalls.ts';
import { type RecordedStep, type RecordedThread, stagesOf } from './recordedStages.ts';

interface Polled {
  readonly time: SimTime;
  readonly wait: WaitStep;
}

/** Completions of a queue as software takes them. */
interface QueueLog {
  readonly name: string;
  readonly cq: Cq;
  /** When the oldest one that software has not taken became visible; -1 = there is none. */
  since: SimTime;
  taken: boolean;
  batch: number;
  readonly delays: Record<string, string>;
}

export class CallRecorder {
  readonly names = new ObjectNames();
  readonly #processes: ProcessManager;
  readonly #threads: RecordedThread[] = [];
  readonly #current = new Map<Process | null, RecordedThread>();
  readonly #queues = new Map<string, QueueLog>();
  #polled: Polled[] = [];
  #stopped = false;
  readonly #faults = { link: 0, pcie: 0 };

  constructor(processes: ProcessManager) {
    this.#processes = processes;
  }

  /** What has been recorded so far. */
  stages(): CallStage[] {
    return stagesOf(this.#threads);
  }

  /** For how long completions were left in their queues, where they were. */
  laziness(): Record<string, Record<string, string>> {
    const lazy = [...this.#queues.values()].filter(({ delays }) => Object.keys(delays).length > 0);
    return Object.fromEntries(lazy.map(({ name, delays }) => [name, delays]));
  }

  /** What comes from here on belongs to the end of the run. */
  stop(): void {
    this.#stopped = true;
  }

  /** The running process has waited for others: what it does now belongs to another stage. */
  barrier(): void {
    this.#current.delete(this.#processes.current);
  }

  /** The judge was told that nothing moves. */
  quiet(): void {
    if (this.#stopped) return;
    const recorded = this.#add({ wait: 'quiet' });
    recorded.end = this.#now;
  }

  /** A fault rule acts on the link, or on the PCIe ports, from now on. @param text of the rule */
  fault(on: FaultPort, text: string, fault: LinkFault): LinkFault {
    const count = this.#faults[on]++;
    const name = `${on}.fault${count}`;
    const note = (step: CallStep): void => {
      if (!this.#stopped) this.#add(step).end = this.#now;
    };
    note({ call: 'addFault', on, as: name, args: { rule: text } });
    return {
      text: fault.text,
      get matched() {
        return fault.matched;
      },
      get fired() {
        return fault.fired;
      },
      stop: () => {
        note({ call: 'stopFault', on: name });
        fault.stop();
      },
    };
  }

  /** A packet goes to the link that no NIC has sent. */
  injected(packet: InjectedPacket, psns: PsnCounter): void {
    if (this.#stopped) return;
    this.#add({ call: 'inject', on: 'link', args: packetStep(packet, this.names, psns) }).end = this.#now;
  }

  /** A call begins; the step is written down before anything is known of its end. */
  begin({ step }: BegunCall): RecordedStep | undefined {
    return this.#stopped ? undefined : this.#add(step);
  }

  /** A call has returned. */
  end(recorded: RecordedStep | undefined, { made }: BegunCall, result: unknown): void {
    // What is made must have a name, whatever is recorded.
    const found = made?.(result);
    if (recorded === undefined) return;
    if (found !== undefined) recorded.step = withFound(recorded.step as CallOf, found) as CallStep;
    recorded.end = this.#now;
  }

  /** A call has thrown. */
  failed(recorded: RecordedStep | undefined, error: unknown): void {
    if (recorded === undefined) return;
    recorded.end = this.#now;
    if (error instanceof HostApiError && 'call' in recorded.step)
      recorded.step = { ...recorded.step, refused: error.kind } as CallStep;
  }

  /** A completion queue has a name from now on. */
  watch(cq: Cq): void {
    const log = { name: this.names.of(cq), cq, since: -1, taken: false, batch: 0, delays: {} };
    this.#queues.set(`${cq.host} ${cq.cqn}`, log);
  }

  /** A completion has become visible. */
  visible({ host, cqn }: VisibleCompletion): void {
    const log = this.#queues.get(`${host} ${cqn}`);
    if (log !== undefined && log.since < 0) log.since = this.#now;
  }

  /** Software has taken a completion. */
  polled(cq: Cq, wc: WorkCompletion): void {
    const now = this.#now;
    if (this.#polled.length > 0 && (this.#polled[0] as Polled).time !== now) this.#polled = [];
    const on = this.names.qpOf(cq.host, wc.qpn);
    if (on !== undefined) {
      const queue = wc.isSend ? 'send' : 'receive';
      this.#polled.push({ time: now, wait: { wait: 'completion', on, queue, id: wc.wrId } });
    }
    const log = this.#queues.get(`${cq.host} ${cq.cqn}`);
    if (log !== undefined) noteDelay(log, now);
  }

  get #now(): SimTime {
    return this.#processes.scheduler.now;
  }

  #add(step: CallStep): RecordedStep {
    const thread = this.#thread();
    const recorded = { step, begin: this.#now, end: -1, woken: this.#wokenBy(thread) };
    if (step.on !== undefined) thread.objects.add(step.on);
    thread.steps.push(recorded);
    return recorded;
  }

  #wokenBy({ objects }: RecordedThread): WaitStep | undefined {
    const now = this.#polled.filter(({ time }) => time === this.#now);
    return (now.findLast(({ wait }) => objects.has(wait.on as string)) ?? now.at(-1))?.wait;
  }

  #thread(): RecordedThread {
    const process = this.#processes.current;
    const known = this.#current.get(process);
    if (known !== undefined && !isBehindChildren(known)) return known;
    const name = process?.name ?? 'test';
    const thread: RecordedThread = {
      name,
      process,
      daemon: process?.daemon ?? false,
      steps: [],
      children: [],
      objects: new Set(),
    };
    this.#current.set(process, thread);
    this.#threads.push(thread);
    for (let above = process?.parent ?? null; above !== null; above = above.parent) {
      const parent = this.#current.get(above);
      parent?.children.push(thread);
      if (parent !== undefined) break;
    }
    return thread;
  }
}

/** A process that goes on when processes that it has started are over has waited for them. */
function isBehindChildren({ children }: RecordedThread): boolean {
  return children.length > 0 && children.every(({ process }) => process?.ended === true);
}

function withFound(step: CallOf, found: Partial<CallOf>): CallOf {
  const { args, ...others } = step;
  return { ...others, ...found, ...((found.args ?? args) === undefined ? {} : { args: found.args ?? args }) } as CallOf;
}

/** Completions are taken in batches: until the queue is empty. */
function noteDelay(log: QueueLog, now: SimTime): void {
  if (!log.taken && log.since >= 0 && now > log.since) log.delays[log.batch] = formatTime(now - log.since);
  log.taken = true;
  if (log.cq.arrived > 0) return;
  log.batch++;
  log.since = -1;
  log.taken = false;
}
