/** Plays a scenario of calls: stage by stage, the threads of a stage side by side. */

import { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { HostApiError, isDeviceFatal, UnreadCommandError } from '../../env/verbs/hostErrors.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Cq, Qp } from '../../env/verbs/verbsObjects.ts';
import { delay, joinAll, type Proc, type Process } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { parseTime } from '../../uvm/kernel/time.ts';
import { untilFatal } from '../host/faults/untilFatal.ts';
import { settle } from '../host/settle.ts';
import { type CallStep, type CallThread, isWait, type WaitStep } from '../../config/scenario/calls/callScenario.ts';
import { BoundObjects, hostOf, UnboundName } from './boundObjects.ts';
import { OutstandingWork } from './outstandingWork.ts';
import { playCall } from './playCall.ts';
import type { CallPlay, PlayedCalls } from './playedCalls.ts';

export class CallPlayer implements PlayedCalls {
  readonly objects: BoundObjects;
  readonly work = new OutstandingWork();
  readonly play: CallPlay;
  /** Calls that were left out, and what was wrong with the first. */
  leftOut = 0;
  firstLeftOut = '';
  readonly #qpNames = new Map<string, string>();
  readonly #daemons: Process[] = [];

  constructor(play: CallPlay) {
    this.play = play;
    this.objects = new BoundObjects(play.env.hosts);
  }

  /** All stages. Returns false when the NICs did not come to rest where the scenario waits for that. */
  *run(): Proc<boolean> {
    const { scenario, processes, progress } = this.play;
    let quiet = true;
    for (const [i, { threads }] of scenario.stages.entries()) {
      progress.stage = `stage ${i}`;
      const started = threads.map((thread) => {
        const daemon = thread.daemon === true;
        const process = processes.spawn(thread.name, this.#thread(thread), { daemon });
        if (daemon) this.#daemons.push(process);
        return { process, daemon };
      });
      const results = yield* joinAll(started.filter(({ daemon }) => !daemon).map(({ process }) => process));
      quiet &&= results.every((result) => result !== false);
    }
    return quiet;
  }

  /** Takes down what is there on a host. */
  *closeDevice(api: HostApi): Proc<void> {
    try {
      yield* api.closeDevice();
    } catch (error) {
      // A NIC that is reset while its device is being closed leaves a dead device, which is closed in its turn.
      if (isDeviceFatal(error)) yield* this.closeDevice(api);
      // Without openDevice there is nothing to be closed.
      else if (!(error instanceof HostApiError)) throw error;
    }
  }

  /** Ends what outlives its stage, and leaves the taking of completions to go on. */
  stopDaemons(): void {
    for (const process of this.#daemons) process.kill();
  }

  /** A queue pair has been made. */
  named(name: string | undefined, qp: Qp): void {
    if (name === undefined) return;
    this.#qpNames.set(`${qp.host} ${qp.qpn}`, name);
    this.play.watch?.named(name, qp.host, qp.qpn);
  }

  /** Starts to take the completions of a queue, as late as the scenario says. */
  takeFrom(name: string | undefined, cq: Cq): void {
    const delays = (name === undefined ? undefined : this.play.scenario.laziness[name]) ?? {};
    const times = new Map(Object.entries(delays).map(([batch, time]) => [Number(batch), parseTime(time)]));
    this.play.processes.spawn(`completions of ${name}`, this.#take(cq, times), { daemon: true });
  }

  *#take(cq: Cq, delays: ReadonlyMap<number, number>): Proc<void> {
    const api = this.objects.host(`host${cq.host}`);
    const wc = new WorkCompletion();
    const fatal = yield* untilFatal(this.#takeAll(api, cq, wc, delays));
    if (fatal !== undefined) this.work.forgetHost(cq.host);
  }

  *#takeAll(api: HostApi, cq: Cq, wc: WorkCompletion, delays: ReadonlyMap<number, number>): Proc<void> {
    for (let batch = 0; cq.alive; batch++) {
      yield* api.waitCq(cq);
      const pause = delays.get(batch) ?? 0;
      if (pause > 0) yield* delay(pause);
      while (isAlive(cq) && api.pollCq(cq, wc)) this.#taken(cq.host, wc);
    }
  }

  #taken(host: number, wc: WorkCompletion): void {
    const { progress } = this.play;
    if (wc.isSend) progress.requestsDone++;
    else progress.receivesDone++;
    const name = this.#qpNames.get(`${host} ${wc.qpn}`);
    if (wc.status !== 0) progress.hasFailed(`wrId ${wc.wrId} of ${name ?? `host ${host} QP ${wc.qpn}`}`, wc.status);
    if (name !== undefined) this.work.taken(name, wc.isSend ? 'send' : 'receive', wc.wrId);
  }

  *#thread({ steps }: CallThread): Proc<boolean> {
    let quiet = true;
    for (const step of steps) {
      if (!isWait(step) && step.refused !== undefined) continue;
      this.play.watch?.begun(step, this.play.processes.scheduler.now);
      try {
        if (!isWait(step)) yield* playCall(this, step);
        else if (step.wait === 'quiet') quiet &&= yield* settle(this.play.env, this.play.settle);
        else yield* this.#wait(step);
      } catch (error) {
        // A rule of PCIe of the scenario does to the command what it did: it is given again, where software did so.
        if (!(error instanceof UnreadCommandError)) this.#leaveOut(step, error);
      }
    }
    return quiet;
  }

  *#wait({ wait, time = '', on = '', queue = 'send', id = 0 }: WaitStep): Proc<void> {
    if (wait === 'until') yield* this.#until(parseTime(time));
    else if (wait === 'completion') yield* this.work.waitFor(on, queue, id);
    else if (wait === 'completions') yield* this.work.waitForAll(hostOf(on));
    else if (wait === 'drained') yield* this.objects.host(on).waitDrained(this.objects.qp(on));
    else if (wait === 'event') yield* this.objects.host(on).waitEvent();
    else yield* delay(parseTime(wait));
  }

  *#until(time: SimTime): Proc<void> {
    const { now } = this.play.processes.scheduler;
    if (time > now) yield* delay(time - now);
  }

  /** What software must not do now, or what needs an object that is not there, is left out. */
  #leaveOut(step: CallStep, error: unknown): void {
    if (!(error instanceof HostApiError || error instanceof UnboundName || isDeviceFatal(error))) throw error;
    this.leftOut++;
    const what = isWait(step) ? `wait: ${step.wait}` : step.call;
    if (this.firstLeftOut === '') this.firstLeftOut = `${what} of ${step.on}: ${error.message}`;
    this.play.watch?.leftOut(step, error.message);
  }
}

/** Whether it has not been destroyed meanwhile. */
function isAlive({ alive }: Cq): boolean {
  return alive;
}
