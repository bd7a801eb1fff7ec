/** Packets that a file, a scenario or an argument asks for, which no NIC has sent: each leaves at its time. */

import type { QpEntry } from '../../agents/link/faults/frame/qpDirectory.ts';
import { type Injection, injectionText, type SourcedInjection } from '../../agents/link/inject/injectRule.ts';
import type { InjectedPacket } from '../../agents/link/inject/injectedPacket.ts';
import { packetOf } from '../../agents/link/inject/packetOfRule.ts';
import type { EventHandler, Scheduler } from '../../uvm/kernel/scheduler.ts';

/** What became of one. */
export interface InjectionOutcome {
  readonly text: string;
  readonly source: string;
  /** Packets that were sent. */
  readonly sent: number;
}

/** What they work with. */
export interface InjectionParts {
  readonly rules: readonly SourcedInjection[];
  readonly scheduler: Scheduler;
  /** Queue pairs of a host, by number, in the order in which they were made. */
  readonly qpsOf: (host: number) => Iterable<QpEntry>;
  readonly inject: (packet: InjectedPacket) => void;
}

export class PlannedInjections implements EventHandler {
  readonly #parts: InjectionParts;
  readonly #sent: number[];
  /** Why the last one of each rule could not be sent; '' for no reason. */
  readonly #problems: string[];

  constructor(parts: InjectionParts) {
    this.#parts = parts;
    this.#sent = parts.rules.map(() => 0);
    this.#problems = parts.rules.map(() => '');
  }

  /** The run begins. */
  start(): void {
    const { rules, scheduler } = this.#parts;
    for (const [i, { rule }] of rules.entries())
      scheduler.schedule(rule.action.at - scheduler.now, this, i * MOST_TIMES);
  }

  /** A packet is due. @param event its rule and how many of it came before */
  fire(event: number): void {
    const { rules, scheduler, inject } = this.#parts;
    const i = Math.floor(event / MOST_TIMES);
    const { action } = (rules[i] as SourcedInjection).rule;
    const packet = packetOf(action, this.#target(action));
    if (typeof packet === 'string') this.#problems[i] = packet;
    else {
      inject(packet);
      this.#sent[i] = (this.#sent[i] as number) + 1;
    }
    if ((event % MOST_TIMES) + 1 < action.times) scheduler.schedule(action.every, this, event + 1);
  }

  /** What must have been sent and was not, in words. */
  get problems(): string[] {
    return this.#parts.rules.flatMap(({ rule, source }, i) => {
      if (rule.optional || (this.#sent[i] as number) > 0) return [];
      const why = this.#problems[i] === '' ? 'the run was over before' : this.#problems[i];
      return [`'${injectionText(rule)}' (${source}) was not sent: ${why}; write optional if it need not be`];
    });
  }

  outcome(): readonly InjectionOutcome[] {
    return this.#parts.rules.map(({ rule, source }, i) => ({
      text: injectionText(rule),
      source,
      sent: this.#sent[i] as number,
    }));
  }

  #target({ to, qp, qpn }: Injection): QpEntry | undefined {
    for (const entry of this.#parts.qpsOf(to)) if (entry.qpn === qpn || entry.ordinal === qp) return entry;
    return undefined;
  }
}

/** Times of one rule, at most: its event says which rule and which time. */
const MOST_TIMES = 10_000;
