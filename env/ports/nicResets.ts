/**
 * Resets of NICs, as rules of the link ask for them: at its time a NIC is reset at its port, and the software of its host is told. What
 * the NIC had sent by then arrives.
 *
 *   Nic.reset(), or a function-level reset of a NIC with a configuration space ─► software: DEVICE_FATAL ─► accesses on their way to the NIC are lost ─► its own requests end ─► settled
 */

import type { ActiveRule } from '../../agents/link/faults/play/activeRule.ts';
import { resetOf } from '../../agents/link/faults/rule/nicReset.ts';
import type { Nic } from '../../dut-model/nic.ts';
import type { EventHandler, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import { NS, US } from '../../uvm/kernel/time.ts';
import type { HostEnv } from '../hostEnv.ts';

/** How often it is looked whether all that a NIC had sent has arrived (ps). */
const LOOK = 100 * NS;
/** Its peers work on what they have got of it no longer than this, plus what fault rules hold back (ps). */
const REST = 200 * US;

/** What they work with. */
export interface NicResetParts {
  readonly hosts: readonly HostEnv[];
  readonly nics: readonly Nic[];
  readonly scheduler: Scheduler;
  /** No fault begins at or after this time, ps. */
  readonly until: SimTime;
  /** By which fault rules may hold back a frame, ps. */
  readonly longestDelay: SimTime;
  /** Rules are explained: nothing is reset. */
  readonly explain: boolean;
  /** The NIC of a host is about to be reset. */
  readonly resets: (host: number) => void;
}

/** The reset of one host's NIC. */
interface Due {
  readonly rule: ActiveRule;
  readonly host: number;
}

export class NicResets implements EventHandler {
  readonly #parts: NicResetParts;
  readonly #due: Due[] = [];
  /** Hosts of which something may still be under way, and until when it may be with their peers. */
  readonly #settling = new Map<number, SimTime>();

  constructor(parts: NicResetParts) {
    this.#parts = parts;
  }

  /** A rule acts from now on; nothing comes of one that asks for no reset. A time that is over is now. */
  plan(rule: ActiveRule): void {
    const { hosts, scheduler, until } = this.#parts;
    const reset = resetOf(rule.sourced.rule);
    if (reset === null || reset.at >= until) return;
    for (const { host } of hosts) {
      if (!reset.hits(host)) continue;
      this.#due.push({ rule, host });
      scheduler.schedule(Math.max(0, reset.at - scheduler.now), this, this.#due.length - 1);
    }
  }

  /** A reset is due, or it is time to look whether one has settled. */
  fire(event: number): void {
    if (event < 0) this.#look(-1 - event);
    else this.#reset(event);
  }

  #reset(index: number): void {
    const { hosts, nics, scheduler, explain, resets, longestDelay } = this.#parts;
    const { rule, host } = this.#due[index] as Due;
    if (!rule.resets(host) || explain) return;
    const { agent, verbs } = hosts[host] as HostEnv;
    resets(host);
    if (!agent.functionReset()) (nics[host] as Nic).reset();
    const lost = verbs.nicReset(scheduler.now);
    agent.reset();
    if (!lost) return;
    this.#settling.set(host, scheduler.now + REST + longestDelay);
    this.#wait(host);
  }

  #wait(host: number): void {
    this.#parts.scheduler.schedule(LOOK, this, -1 - host);
  }

  #look(host: number): void {
    const { agent, verbs } = this.#parts.hosts[host] as HostEnv;
    const until = this.#settling.get(host);
    if (until === undefined) return;
    if (agent.requestsInFlight > 0 || this.#parts.scheduler.now < until) {
      this.#wait(host);
      return;
    }
    this.#settling.delete(host);
    verbs.deviceSettled();
  }
}
