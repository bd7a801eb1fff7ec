/**
 * The channel between the drivers of a run beside the network (blue-rdma.md section 12): reliable and in order, with a
 * latency that is drawn.
 */
import type { EventHandler, Scheduler } from '../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';

/** Where a message goes and comes from: host and queue pair. */
export interface OutOfBandEnds {
  readonly fromHost: number;
  readonly fromQpn: number;
  readonly toHost: number;
  readonly toQpn: number;
}

/** What drivers tell each other. */
export type OutOfBandContent =
  /** A queue pair begins to receive, from this PSN on: what was said of its receives before counts no more. */
  | { readonly kind: 'open'; readonly psn: number }
  /** A queue pair receives nothing any more. */
  | { readonly kind: 'closed' }
  /** A receive was posted: its buffer. */
  | {
      readonly kind: 'receive';
      readonly hi: number;
      readonly lo: number;
      readonly length: number;
      readonly key: number;
    }
  /** The message with this number cannot be answered: `WC_STATUS` of its sender. */
  | ({ readonly kind: 'refused'; readonly msn: number; readonly status: number } & ConnectionPsns)
  /** The next message is longer than the receive that it would take. */
  | ({ readonly kind: 'tooLong' } & ConnectionPsns);

/** The connection that is meant, by the first PSNs of its directions: an earlier one between the same queue pairs had others. */
export interface ConnectionPsns {
  /** Of what the one who tells receives. */
  readonly psn: number;
  /** Of what it sends. */
  readonly sqPsn: number;
}

export type OutOfBandMessage = OutOfBandEnds & OutOfBandContent;

export interface OutOfBandUser {
  outOfBand(message: OutOfBandMessage): void;
}

const MICROSECOND = 1_000_000;

export class OutOfBandChannel implements EventHandler {
  readonly fullName = 'out-of-band channel';
  /** Messages delivered. */
  delivered = 0;
  readonly #scheduler: Scheduler;
  readonly #draws: FastStream;
  readonly #least: number;
  readonly #most: number;
  readonly #users = new Map<number, OutOfBandUser>();
  /** When the last message between two hosts arrives. */
  readonly #lastAt = new Map<string, number>();
  readonly #flying = new Map<number, OutOfBandMessage>();
  #next = 0;

  /** @param least and @param most latency in ps, default 1 to 200 us */
  constructor(scheduler: Scheduler, draws: FastStream, least = MICROSECOND, most = 200 * MICROSECOND) {
    this.#scheduler = scheduler;
    this.#draws = draws;
    this.#least = least;
    this.#most = most;
  }

  /** Messages on their way. */
  get inFlight(): number {
    return this.#flying.size;
  }

  join(host: number, user: OutOfBandUser): void {
    this.#users.set(host, user);
  }

  send(message: OutOfBandMessage): void {
    const pair = `${message.fromHost}>${message.toHost}`;
    const drawn = this.#scheduler.now + this.#draws.range(this.#least, this.#most);
    const at = Math.max(drawn, this.#lastAt.get(pair) ?? 0);
    this.#lastAt.set(pair, at);
    this.#flying.set(this.#next, message);
    this.#scheduler.scheduleAt(at, this, this.#next++);
  }

  fire(n: number): void {
    const message = this.#flying.get(n);
    if (message === undefined) return;
    this.#flying.delete(n);
    this.delivered++;
    this.#users.get(message.toHost)?.outOfBand(message);
  }
}
