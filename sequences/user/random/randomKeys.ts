/**
 * Windows and fast-registered regions of a side, changed at random while its peer uses them: binds and registrations, right and wrong
 * ones, invalidations of either side, keys that are out of date. What becomes of all that is left to the scoreboard.
 */

import { reregMr } from '../../../env/verbs/reregister.ts';
import type { FastMr, Mr, Mw, MwType } from '../../../env/verbs/verbsObjects.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { nextKey } from '../../../env/verbs/mkeys/keyTags.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import {
  BINDABLE,
  bindable,
  bindWindow,
  invalidate,
  type KeyOptions,
  registerFast,
  sendInvalidating,
  WINDOW_ACCESS,
} from '../keys/keyRequests.ts';
import type { QpSide } from '../qpSide.ts';
import { RegisteredBuffer } from '../memory/registeredBuffer.ts';

const BYTES = 20_000;
const LONGEST = 6000;
const WORD = 8;
const WINDOWS = 4;
const FAST = 2;
/** Fewer than all memory has. */
const PAGES = 4;
/** Ranges by key that are remembered: the last ones may be open. */
const KNOWN = 12;
/** How often a change of a key is wrong, and how often a key is one of before. */
const WRONG = 0.08;
const OLD = 0.08;
/** What may be wrong with a bind. */
const BIND_FAULTS = [
  ...(['front', 'rear', 'behind', 'region', 'window', 'type', 'empty'] as const),
  ...(['bindless', 'unwritable', 'foreign'] as const),
] as const;
const { localWrite, remoteRead, remoteWrite, mwBind } = ACCESS;
const PLAIN = localWrite | remoteRead | remoteWrite;

/** Regions that are not for windows, or not for all: without that right, without local write, of another domain. */
type OddRegion = 'bindless' | 'unwritable' | 'foreign';

/** What `RandomKeys` has registered. */
interface Regions {
  readonly bindable: RegisteredBuffer;
  readonly plain: RegisteredBuffer;
  readonly odd: Readonly<Record<OddRegion, RegisteredBuffer>>;
}

/** Windows of type 2 that sides have bound, for other connections to try. */
export class OpenRanges {
  readonly #ranges: { readonly side: QpSide; readonly range: RegisteredBuffer }[] = [];

  add(side: QpSide, range: RegisteredBuffer): void {
    if (range.length < WORD) return;
    this.#ranges.push({ side, range });
    if (this.#ranges.length > KNOWN) this.#ranges.shift();
  }

  /** One of another queue pair of the same host and domain; undefined where there is none. */
  of({ host, qp }: QpSide, random: RandomStream): RegisteredBuffer | undefined {
    const others = this.#ranges.filter(({ side }) => side.host === host && side.qp !== qp && side.qp.pd === qp.pd);
    return others.length === 0 ? undefined : random.pick(others).range;
  }
}

/** A window or region with the queue pair that has changed it last. */
interface Changed<T> {
  readonly object: T;
  /** Posted and not known to be done: changes of one key are made one after the other. */
  latest: RegisteredBuffer | null;
}

export class RandomKeys {
  /** Percent of requests that are about keys. */
  readonly percent: number;
  readonly #side: QpSide;
  readonly #peer: QpSide;
  readonly #random: RandomStream;
  #region: RegisteredBuffer;
  /** A region that is registered anew at any moment. */
  #plain: RegisteredBuffer;
  #isReregistering = false;
  readonly #odd: Regions['odd'];
  readonly #others: OpenRanges;
  readonly #windows: Changed<Mw>[];
  readonly #fast: Changed<FastMr>[];
  /** Ranges that were opened to the peer, the latest last. */
  readonly #ranges: RegisteredBuffer[] = [];

  private constructor(
    [side, peer]: readonly [QpSide, QpSide],
    random: RandomStream,
    percent: number,
    regions: Regions,
    [windows, fast]: readonly [readonly Mw[], readonly FastMr[]],
    others: OpenRanges,
  ) {
    this.#side = side;
    this.#peer = peer;
    this.#random = random;
    this.percent = percent;
    this.#region = regions.bindable;
    this.#plain = regions.plain;
    this.#odd = regions.odd;
    this.#others = others;
    this.#windows = windows.map((object) => ({ object, latest: null }));
    this.#fast = fast.map((object) => ({ object, latest: null }));
  }

  /** Makes what is needed; undefined where the connection, or its NIC, has no such keys. */
  static *of(
    [side, peer]: readonly [QpSide, QpSide],
    random: RandomStream,
    percent: number,
    others: OpenRanges,
  ): Proc<RandomKeys | undefined> {
    const { api, qp } = side;
    const { memoryWindows, fastRegistration, naks } = api.capabilities;
    if (qp.type !== QP_TYPE.rc || !memoryWindows || !fastRegistration || !naks) return undefined;
    const windows: Mw[] = [];
    const fast: FastMr[] = [];
    for (let i = 0; i < WINDOWS; i++) windows.push(yield* api.allocMw(qp.pd, (1 + (i % 2)) as MwType));
    for (let i = 0; i < FAST; i++) fast.push(yield* api.allocMr(qp.pd, PAGES));
    const region = yield* bindable(side, yield* side.words(BYTES));
    const odd = {
      bindless: yield* bindable(side, region, PLAIN),
      unwritable: yield* bindable(side, region, remoteRead | mwBind),
      foreign: yield* bindable(side, region, BINDABLE, api.allocPd(qp.process)),
    };
    const regions = { bindable: region, plain: yield* side.sink(BYTES), odd };
    return new RandomKeys([side, peer], random, percent, regions, [windows, fast], others);
  }

  /** Whether the next request is about a key. */
  isNext(): boolean {
    return this.#random.chance(this.percent / 100);
  }

  /**
   * Posts a request of the side that owns the keys, or of its peer, as far as there is room.
   * @param signaled whether the next request asks for a completion
   */
  *post(signaled: () => boolean): Proc<void> {
    const random = this.#random;
    const options = { fence: random.chance(0.2), signaled: signaled() };
    const action = random.weighted<(options: KeyOptions) => Proc<void>>([
      [6, (o) => this.#bind(o)],
      [3, (o) => this.#register(o)],
      [3, (o) => this.#invalidate(o)],
      [3, () => this.#invalidateFromAfar()],
      [12, () => this.#use()],
      [1, () => this.#replaceWindow()],
      [1, () => this.#replaceRegion()],
      [2, () => this.#reregister()],
      [2, (o) => this.#ownUse(o)],
      [1, () => this.#useOfOthers()],
      [1, () => this.#empty()],
    ]);
    yield* action(options);
  }

  *#bind(options: KeyOptions): Proc<void> {
    if (!hasRoom(this.#side)) return;
    const random = this.#random;
    const window = random.pick(this.#windows);
    const wrong = random.chance(WRONG) ? random.pick(BIND_FAULTS) : null;
    // A window of type 2 must be free: most often it is made so first.
    if (window.object.type === 2 && window.latest !== null && random.chance(0.95)) {
      yield* this.#close(window, options);
      if (!hasRoom(this.#side)) return;
    }
    const region = this.#toBind(wrong);
    const access = random.chance(0.7) ? WINDOW_ACCESS : random.range(0, WINDOW_ACCESS) & WINDOW_ACCESS;
    const type = wrong === 'type' ? ((3 - window.object.type) as MwType) : window.object.type;
    const zeroBased = window.object.type === 2 && type === 2 && random.chance(0.2);
    const bound = yield* bindWindow(this.#side, window.object, region, { ...options, access, type, zeroBased });
    window.latest = bound;
    this.#remember(bound);
    if (window.object.type === 2 && !zeroBased) this.#others.add(this.#side, bound);
  }

  /** Part of a region that a window is bound to. @param wrong what is wrong with it; null, or what is wrong elsewhere, for a right one */
  #toBind(wrong: (typeof BIND_FAULTS)[number] | null): RegisteredBuffer {
    const random = this.#random;
    const part = this.#part(this.#region, BYTES);
    const by = random.pick([1, 1, 8, 4096]);
    switch (wrong) {
      case 'front':
        return this.#region.part(0, part.length).moved(-by);
      case 'rear':
        return this.#region.part(BYTES - part.length, part.length).moved(by);
      case 'behind':
        return part.moved(BYTES);
      case 'region':
        return part.withKey(nextKey(part.key));
      case 'window':
        return part.withKey((random.pick(this.#windows).latest ?? part).key);
      case 'empty':
        return part.part(0, 0);
      case 'bindless':
      case 'unwritable':
      case 'foreign':
        return part.withKey(this.#odd[wrong].key);
      case 'type':
      case null:
        return part;
    }
  }

  *#register(options: KeyOptions): Proc<void> {
    if (!hasRoom(this.#side)) return;
    const random = this.#random;
    const fast = random.pick(this.#fast);
    if (fast.latest !== null && random.chance(0.92)) {
      yield* this.#close(fast, options);
      if (!hasRoom(this.#side)) return;
    }
    const isLong = random.chance(WRONG);
    const part = isLong
      ? this.#region.part(0, BYTES - random.range(0, 8))
      : this.#part(this.#region, (PAGES - 1) * 4096);
    const access = random.chance(0.7) ? BINDABLE : ACCESS.localWrite | (random.range(0, WINDOW_ACCESS) & WINDOW_ACCESS);
    fast.latest = yield* registerFast(this.#side, fast.object, part, { ...options, access });
    this.#remember(fast.latest);
  }

  *#close(changed: Changed<Mw | FastMr>, options: KeyOptions): Proc<void> {
    if (!hasRoom(this.#side)) return;
    yield* invalidate(this.#side, changed.object, options);
    changed.latest = null;
  }

  *#invalidate(options: KeyOptions): Proc<void> {
    if (!hasRoom(this.#side)) return;
    const random = this.#random;
    const open = [...this.#windows.filter(({ object }) => object.type === 2), ...this.#fast].filter(
      ({ latest }) => latest !== null,
    );
    if (open.length === 0 || random.chance(OLD)) {
      const old = this.#ranges[0];
      if (old !== undefined && random.chance(0.5)) yield* invalidate(this.#side, old, options);
      return;
    }
    yield* this.#close(random.pick(open), options);
  }

  *#invalidateFromAfar(): Proc<void> {
    const random = this.#random;
    if (!hasRoom(this.#peer)) return;
    const open = [...this.#windows.filter(({ object }) => object.type === 2), ...this.#fast].filter(
      ({ latest }) => latest !== null,
    );
    const changed = open.length === 0 ? undefined : random.pick(open);
    const old = this.#ranges[0];
    const wrong = random.weighted([
      [2, old],
      [1, this.#region],
      [1, this.#odd.bindless],
      [5, undefined],
    ]);
    const key = changed !== undefined && !random.chance(OLD) ? changed.object : wrong;
    if (key === undefined) return;
    const data = random.chance(0.3) ? null : yield* this.#source();
    yield* sendInvalidating(this.#peer, data, key, { fence: random.chance(0.2) });
    if (changed !== undefined && key === changed.object) changed.latest = null;
  }

  /** The peer uses a range: most often the latest ones. */
  *#use(): Proc<void> {
    const random = this.#random;
    const { length } = this.#ranges;
    if (length === 0 || !hasRoom(this.#peer)) return;
    const recent = random.chance(OLD) ? 0 : Math.max(0, length - 3);
    const range = this.#ranges[random.range(recent, length - 1)] as RegisteredBuffer;
    if (range.length < WORD) return;
    const part = random.chance(0.02) ? range.moved(random.pick([-1, 1])) : this.#part(range, LONGEST).unchecked();
    const target = part.length > LONGEST ? new RegisteredBuffer(part.hi, part.lo, LONGEST, part.key) : part;
    const options = { fence: random.chance(0.1) };
    const kind = random.range(0, 4);
    if (kind <= 1) yield* this.#peer.read(yield* this.#sink(target.length), target, options);
    else if (kind <= 3) yield* this.#peer.write(yield* this.#data(target.length), target, options);
    // An offset that is aligned says nothing of the word behind it.
    else if (this.#peer.api.capabilities.atomics && range.hi !== 0) yield* this.#atomic(target);
  }

  /** A region gets other rights, another domain or other bytes, or none, and after that what it had. */
  *#reregister(): Proc<void> {
    const { api, qp } = this.#side;
    const random = this.#random;
    const { hi, lo } = this.#region;
    const change = random.pick([
      { access: random.range(0, PLAIN) | (random.chance(0.5) ? PLAIN : localWrite) },
      { pd: this.#odd.foreign.mr?.pd ?? qp.pd },
      { hi, lo, length: random.range(1, BYTES) },
      ...(api.capabilities.emptyRegions ? [{ length: 0 }] : []),
      {},
    ]);
    const { mr } = this.#plain;
    // Requests of another moment must not find it gone.
    if (mr === undefined || this.#isReregistering) return;
    this.#isReregistering = true;
    const anew = yield* reregMr(api, mr, { access: PLAIN, pd: qp.pd, length: BYTES, ...change });
    this.#isReregistering = false;
    this.#plain = new RegisteredBuffer(anew.hi, anew.lo, anew.length, anew.key, anew);
    // The peer takes it for what it was.
    this.#remember(this.#plain.ofLength(BYTES));
  }

  /** The side names what requests have opened by itself: a region may go as a list entry, a window may not. */
  *#ownUse(options: KeyOptions): Proc<void> {
    const random = this.#random;
    const fast = random.pick(this.#fast);
    const isWindow = random.chance(OLD);
    const open = isWindow ? random.pick(this.#windows).latest : fast.latest;
    if (open === null || open.hi === 0 || open.length < WORD) return;
    const part = this.#part(open, LONGEST).unchecked();
    const { source, sink } = yield* this.#own();
    if (!hasRoom(this.#side)) return;
    if (random.chance(0.6)) yield* this.#side.read(part, source.part(0, part.length));
    else yield* this.#side.write(part, sink.part(0, part.length));
    // The invalidation waits for what it is behind.
    if (!isWindow && random.chance(0.5)) yield* this.#close(fast, options);
  }

  /** The peer uses a window of type 2 that another queue pair of this host has bound. */
  *#useOfOthers(): Proc<void> {
    const other = this.#others.of(this.#side, this.#random);
    if (other === undefined) return;
    const sink = yield* this.#sink(WORD);
    if (hasRoom(this.#peer)) yield* this.#peer.read(sink, other.part(0, WORD).unchecked());
  }

  /** A request of no bytes, or of one, to a region of none. */
  *#empty(): Proc<void> {
    const { api, qp } = this.#side;
    if (!api.capabilities.emptyRegions) return;
    const { hi, lo } = this.#region;
    const { key } = yield* api.regMr(qp.pd, { hi, lo, length: 0, access: PLAIN });
    const target = new RegisteredBuffer(hi, lo, this.#random.chance(WRONG) ? 1 : 0, key);
    const isWrite = this.#random.chance(0.5);
    const data = isWrite ? yield* this.#data(target.length) : yield* this.#sink(target.length);
    if (!hasRoom(this.#peer)) return;
    if (isWrite) yield* this.#peer.write(data, target);
    else yield* this.#peer.read(data, target);
  }

  *#atomic({ hi, lo, key }: RegisteredBuffer): Proc<void> {
    const word = new RegisteredBuffer(hi, (lo + WORD - 1) & ~(WORD - 1), WORD, key);
    yield* this.#peer.fetchAdd(yield* this.#sink(WORD), word, 1n);
  }

  /** A window is freed, whatever it is bound to, and another made in its place. */
  *#replaceWindow(): Proc<void> {
    const { api, qp } = this.#side;
    const place = this.#random.range(0, this.#windows.length - 1);
    const { object } = this.#windows[place] as Changed<Mw>;
    // Requests of another moment must not find it gone.
    this.#windows.splice(place, 1);
    yield* api.deallocMw(object);
    this.#windows.splice(place, 0, { object: yield* api.allocMw(qp.pd, object.type), latest: null });
  }

  /** The region of the windows is registered anew: as long as some are bound, that may be refused. */
  *#replaceRegion(): Proc<void> {
    const old = this.#region;
    this.#region = yield* bindable(this.#side, old);
    try {
      yield* this.#side.api.deregMr(old.mr as Mr);
    } catch (error) {
      if (!(error instanceof HostApiError && error.kind === 'IN_USE')) throw error;
    }
  }

  #part(buffer: RegisteredBuffer, most: number): RegisteredBuffer {
    const random = this.#random;
    const longest = Math.min(most, buffer.length);
    const length = random.chance(0.3) ? random.range(1, longest) : random.range(1, Math.min(longest, 2000));
    return buffer.part(random.range(0, buffer.length - length), length);
  }

  #remember(range: RegisteredBuffer): void {
    this.#ranges.push(range);
    if (this.#ranges.length > KNOWN) this.#ranges.shift();
  }

  #buffers: { readonly source: RegisteredBuffer; readonly sink: RegisteredBuffer } | undefined;

  /** Memory of the peer that data go to and come from. */
  *#own(): Proc<{ readonly source: RegisteredBuffer; readonly sink: RegisteredBuffer }> {
    this.#buffers ??= { source: yield* this.#peer.source(BYTES), sink: yield* this.#peer.sink(BYTES) };
    return this.#buffers;
  }

  *#data(length: number): Proc<RegisteredBuffer> {
    const { source } = yield* this.#own();
    return source.part(this.#random.range(0, BYTES - length), length);
  }

  *#sink(length: number): Proc<RegisteredBuffer> {
    const { sink } = yield* this.#own();
    return sink.part(this.#random.range(0, BYTES - length), length);
  }

  *#source(): Proc<RegisteredBuffer> {
    return yield* this.#data(this.#random.range(0, LONGEST));
  }
}

function hasRoom({ qp }: QpSide): boolean {
  return qp.state >= QP_STATE.rts && qp.sendOutstanding < qp.maxSendWr;
}
