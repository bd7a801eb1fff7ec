/** A request of a NIC as rules see it. */

import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import { TLP_KIND, type Tlp } from '../../pcieItems.ts';
import { AccessPlace, type HeldEntries, type HeldKind, type PlaceFinder } from '../place/accessPlace.ts';
import type { RequestKind } from '../rule/pcieRule.ts';

/** One for all requests: valid until the next look. */
export class RequestView {
  host = 0;
  /** Ordinal among all requests of its host's NIC, from 1. */
  ordinal = 0;
  time: SimTime = 0;
  kind: RequestKind = 'read';
  hi = 0;
  lo = 0;
  length = 0;
  readonly place = new AccessPlace();

  readonly #finderOf: (host: number) => PlaceFinder;
  readonly #sent: number[] = [];

  constructor(finderOf: (host: number) => PlaceFinder) {
    this.#finderOf = finderOf;
  }

  /** What the translation entries are for that it asks for; undefined of other areas, and where nobody says. */
  get held(): HeldEntries | undefined {
    if (this.place.area !== 'translation') return undefined;
    return this.#finderOf(this.host).held?.(this.hi, this.lo, this.length);
  }

  /** Whether it asks for translation entries, all of which are for one of `kinds`. */
  holdsOnly(kinds: readonly HeldKind[]): boolean {
    const { held } = this;
    if (held === undefined) return false;
    const found: readonly (readonly [HeldKind, boolean])[] = [
      ['data', held.keys.length > 0],
      ['queue', held.queues.length > 0],
      ['cq', held.cqns.length > 0],
      ['event', held.events],
    ];
    return found.some(([, is]) => is) && found.every(([kind, is]) => !is || kinds.includes(kind));
  }

  /** The next request of a host's NIC. */
  look(host: number, tlp: Tlp, time: SimTime): void {
    this.host = host;
    this.ordinal = (this.#sent[host] ?? 0) + 1;
    this.#sent[host] = this.ordinal;
    this.time = time;
    this.hi = tlp.hi;
    this.lo = tlp.lo;
    this.length = tlp.length;
    this.place.clear();
    if (tlp.interrupt) {
      this.kind = 'msix';
      this.place.area = 'msix';
      return;
    }
    this.kind = tlp.kind === TLP_KIND.memWrite ? 'write' : 'read';
    this.#finderOf(host).find(tlp.hi, tlp.lo, tlp.length, this.place);
  }
}
