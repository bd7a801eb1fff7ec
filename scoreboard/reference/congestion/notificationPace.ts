/** When a NIC has sent its latest CNP to whom it paces them by: a queue pair, a destination, or all of a port (roce-transport.md 8). */

import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { Profiles } from '../../model/profiles.ts';

/** No CNP has been sent yet. */
const NEVER = Number.NEGATIVE_INFINITY;

export class NotificationPace {
  readonly #profiles: Profiles;
  /** By `FlowTable.connected` of the queue pair that is told. */
  readonly #byQueuePair = new Map<number, SimTime>();
  /** By host that tells, its port, and, where that counts, the host that is told. */
  readonly #byPlace = new Map<string, SimTime>();

  constructor(profiles: Profiles) {
    this.#profiles = profiles;
  }

  /**
   * When the latest CNP was sent, ps, that makes another one wait; -Infinity = none was.
   * @param host whose NIC tells, by `port`; @param told host that is told, of its queue pair `key`
   */
  latest(host: number, port: number, told: number, key: number): SimTime {
    const place = this.#place(host, port, told);
    return (place === undefined ? this.#byQueuePair.get(key) : this.#byPlace.get(place)) ?? NEVER;
  }

  /** A CNP is sent at `now`. */
  notice(host: number, port: number, told: number, key: number, now: SimTime): void {
    const place = this.#place(host, port, told);
    if (place === undefined) this.#byQueuePair.set(key, now);
    else this.#byPlace.set(place, now);
  }

  /** Whether a CNP makes those to queue pairs of `told` wait too. */
  isShared(cnp: DecodedPacket, told: number): boolean {
    const place = this.#place(cnp.host, cnp.port, told);
    return place !== undefined && place === this.#place(cnp.host, cnp.port, cnp.to);
  }

  /** The peer of a queue pair begins anew, and has not told it of anything. */
  begin(key: number): void {
    this.#byQueuePair.delete(key);
  }

  #place(host: number, port: number, told: number): string | undefined {
    const { cnpPacing } = this.#profiles.of(host).choices;
    if (cnpPacing === 'queue pair') return undefined;
    return cnpPacing === 'port' ? `${host}:${port}` : `${host}:${port}:${told}`;
  }
}
