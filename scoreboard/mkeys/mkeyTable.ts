/**
 * Keys that requests change: windows, and regions that requests register. What such a key opens is known only when the request has
 * been carried out, which a completion tells, or what comes behind it; until then it may open what it did, or what it will.
 */

import { MKEY, type MkeyInfo, mkeyIndex } from '../../agents/verbs/mkeyItems.ts';
import type { MrInfo } from '../../agents/verbs/verbsItems.ts';
import type { QueuePair } from '../model/work.ts';

/** What a key opens. */
export interface Opened {
  readonly info: MrInfo;
  /** Queue pair that alone may use it; -1: any of its domain. */
  readonly qpn: number;
  /** Key of the region that a window is part of; 0 for a region. */
  readonly parent: number;
}

/** A request, or a command, that changes what a key opens, and of which it is not known whether it has been carried out. */
export interface MkeyChange {
  /** Place in the order of posting. */
  readonly order: number;
  /** Queue pair on which it was posted; undefined for a command. */
  readonly queue: QueuePair | undefined;
  readonly next: Opened | null;
  /** Another queue pair changes the key meanwhile: which of them comes last is not known. */
  overlaps: boolean;
}

export class Mkey {
  readonly info: MkeyInfo;
  /** What it may open when all is known that can be: one of these. */
  settled: readonly (Opened | null)[] = [null];
  readonly changes: MkeyChange[] = [];
  /** What the table of regions says, and whether that is certain. */
  readonly listed = new Map<Opened, boolean>();

  constructor(info: MkeyInfo) {
    this.info = info;
  }

  get isWindow(): boolean {
    return this.info.kind !== MKEY.region;
  }

  /** Whether it is known what it opens. */
  get isSure(): boolean {
    return this.changes.length === 0 && this.settled.length === 1;
  }

  /** What it may open at any moment from now on, without further changes; null among it: nothing. */
  get possible(): readonly (Opened | null)[] {
    return [...new Set([...this.settled, ...this.changes.map(({ next }) => next)])];
  }

  /**
   * What a request that is posted on a queue pair now may find. Requests of one queue are carried out in their order: what those in
   * front of it do is done by then.
   */
  before(q: QueuePair): readonly (Opened | null)[] {
    const own = this.changes.every(({ queue }) => queue === q);
    const last = this.changes.at(-1);
    if (own && last !== undefined) return [last.next];
    return this.possible;
  }

  begin(change: Omit<MkeyChange, 'overlaps'>): MkeyChange {
    const others = this.changes.filter(({ queue }) => queue !== change.queue);
    for (const other of others) other.overlaps = true;
    const begun = { ...change, overlaps: others.length > 0 };
    this.changes.push(begun);
    return begun;
  }

  /** A change has been carried out, and with it those in front of it in its queue. */
  done(change: MkeyChange): void {
    const at = this.changes.indexOf(change);
    if (at < 0) return;
    this.settled = change.overlaps ? [...new Set([...this.settled, change.next])] : [change.next];
    for (let i = at; i >= 0; i--) if (this.changes[i]?.queue === change.queue) this.changes.splice(i, 1);
  }

  /** A change has come to nothing. */
  failed(change: MkeyChange): void {
    const at = this.changes.indexOf(change);
    if (at >= 0) this.changes.splice(at, 1);
  }

  /** Nobody will say whether a change has been carried out. */
  lost(change: MkeyChange): void {
    this.failed(change);
    this.settled = [...new Set([...this.settled, change.next])];
  }
}

export class MkeyTable {
  /** By host and index. */
  readonly #mkeys = new Map<number, Mkey>();

  get any(): boolean {
    return this.#mkeys.size > 0;
  }

  add(info: MkeyInfo): Mkey {
    const mkey = new Mkey(info);
    this.#mkeys.set(nameOf(info.host, info.key), mkey);
    return mkey;
  }

  remove({ info: { host, key } }: Mkey): void {
    this.#mkeys.delete(nameOf(host, key));
  }

  /** What has a key of this index. */
  find(host: number, key: number): Mkey | undefined {
    return this.#mkeys.get(nameOf(host, key));
  }

  all(): Iterable<Mkey> {
    return this.#mkeys.values();
  }

  /** Windows of a host that are, or may be, part of the region of a key. @param surely only those of which that is certain */
  windowsOf(host: number, key: number, surely: boolean): readonly Mkey[] {
    const isPart = (opened: Opened | null): boolean => opened !== null && opened.parent === key;
    return [...this.all()].filter((mkey) => {
      if (!mkey.isWindow || mkey.info.host !== host) return false;
      return surely ? mkey.isSure && isPart(mkey.settled[0] as Opened | null) : mkey.possible.some(isPart);
    });
  }
}

/** Hosts are 0 .. 255, indices below 2^24. */
function nameOf(host: number, key: number): number {
  return host * 2 ** 24 + mkeyIndex(key);
}
