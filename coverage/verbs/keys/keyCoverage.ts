/** Samples the covergroups of keys that requests change. Keeps what verbs events say of such keys; costs nothing while there are none. */
import { type MkeyInfo, mkeyIndex } from '../../../agents/verbs/mkeyItems.ts';
import type { KeyChange, PostedSend, SendWr, VisibleCompletion } from '../../../agents/verbs/verbsItems.ts';
import { SEND_FLAG, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import type { QueuePairFacts } from '../queuePairs.ts';
import * as groups from './keyGroups.ts';
import { KEY_CHANGE, KEY_END, KEY_STATE, KEY_TAKER, KEY_UNDER, KEY_VERB } from './keyGroups.ts';

/** More bytes than a packet of any path MTU has. */
const LONG = 4096;
const TAG = 0xff;

/** A window, or a region that requests register. */
interface Entry {
  readonly holder: number;
  /** Its key, with the tag that it was given last. */
  key: number;
  state: number;
  /** Keys that it has had. */
  readonly keys: Set<number>;
}

/** A request that names such a key, until its completion, or one behind it in its queue. */
interface UnderWay {
  readonly wrId: number;
  readonly entry: Entry;
  readonly key: number;
  /** `KEY_CHANGE`, or -1 for a use; and what a use is for a race. */
  readonly change: number;
  readonly use: number;
  readonly state: number;
  readonly fenced: boolean;
}

export class KeyCoverage {
  readonly #entries = new Map<number, Entry>();
  /** By queue pair, in the order of posting. */
  readonly #underWay = new Map<QueuePairFacts, UnderWay[]>();
  readonly #change = new groups.KeyChangeSample();
  readonly #use = new groups.KeyUseSample();
  readonly #tag = new groups.KeyTagSample();
  readonly #race = new groups.KeyRaceSample();
  readonly #changes;
  readonly #uses;
  readonly #tags;
  readonly #races;

  constructor(collector: CoverageCollector) {
    this.#changes = collector.create(groups.keyChangeCg);
    this.#uses = collector.create(groups.keyUseCg);
    this.#tags = collector.create(groups.keyTagCg);
    this.#races = collector.create(groups.keyRaceCg);
  }

  /** Whether there is anything to look at: cheap, for every request. */
  get any(): boolean {
    return this.#entries.size > 0;
  }

  made({ host, key, kind }: MkeyInfo): void {
    const entry = { holder: kind, key, state: KEY_STATE.closed, keys: new Set([key]) };
    this.#entries.set(nameOf(host, key), entry);
  }

  /** Software frees it. */
  going(host: number, key: number): void {
    const entry = this.#entries.get(nameOf(host, key));
    if (entry === undefined) return;
    this.#taken(entry, KEY_TAKER.freed);
    this.#entries.delete(nameOf(host, key));
  }

  posted(qp: QueuePairFacts, { wr }: PostedSend): void {
    const { opcode } = wr;
    if (opcode === WR_OPCODE.bindMw || opcode === WR_OPCODE.regMr) this.#opens(qp, wr, wr.change as KeyChange);
    else if (opcode === WR_OPCODE.localInv) this.#closes(qp, wr, qp.host, KEY_CHANGE.invalidate);
    else {
      if (opcode === WR_OPCODE.sendWithInv) this.#closes(qp, wr, qp.remoteHost, KEY_CHANGE.invalidateRemotely);
      this.#names(qp, wr);
    }
  }

  completion(qp: QueuePairFacts, { wc }: VisibleCompletion): void {
    const queue = this.#underWay.get(qp);
    if (queue === undefined || !wc.isSend) return;
    const at = queue.findIndex(({ wrId }) => wrId === wc.wrId);
    // What nobody was told of has succeeded.
    for (let i = 0; i < at; i++) this.#ended(queue[i] as UnderWay, WC_STATUS.success);
    if (at >= 0) this.#ended(queue[at] as UnderWay, wc.status);
    queue.splice(0, at + 1);
  }

  /** Its queues are empty. */
  gone(qp: QueuePairFacts): void {
    this.#underWay.delete(qp);
  }

  #opens(qp: QueuePairFacts, wr: SendWr, { key, type, length }: KeyChange): void {
    const entry = this.#entries.get(nameOf(qp.host, key));
    if (entry === undefined) return;
    const t = this.#tag;
    t.holder = entry.holder;
    t.tag = key & TAG;
    t.isReused = entry.keys.has(key);
    t.step = (key - entry.key) & TAG;
    this.#tags.sample(t);
    const binds = type === 2 ? KEY_CHANGE.bindType2 : KEY_CHANGE.bindType1;
    this.#starts(qp, wr, entry, key, wr.opcode === WR_OPCODE.regMr ? KEY_CHANGE.register : binds);
    entry.key = key;
    entry.keys.add(key);
    entry.state = length === 0 ? KEY_STATE.closing : KEY_STATE.opening;
  }

  #closes(qp: QueuePairFacts, wr: SendWr, host: number, change: number): void {
    const entry = this.#entries.get(nameOf(host, wr.imm));
    if (entry === undefined) return;
    this.#taken(entry, change === KEY_CHANGE.invalidate ? KEY_TAKER.invalidate : KEY_TAKER.invalidateRemotely);
    const key = wr.imm >>> 0;
    this.#starts(qp, wr, entry, key, change);
    if (key === entry.key >>> 0 && entry.state !== KEY_STATE.closed) entry.state = KEY_STATE.closing;
  }

  #starts(qp: QueuePairFacts, wr: SendWr, entry: Entry, key: number, change: number): void {
    const invalidates = change >= KEY_CHANGE.invalidate;
    const state = invalidates ? stateOf(entry, key) : entry.state;
    const fenced = (wr.flags & SEND_FLAG.fence) !== 0;
    const use = invalidates ? KEY_UNDER.otherInvalidation : KEY_UNDER.nothing;
    this.#note(qp, { wrId: wr.wrId, entry, key, change, use, state, fenced });
  }

  /** A request that names keys of its peer, or in its list. */
  #names(qp: QueuePairFacts, wr: SendWr): void {
    const verb = verbOf(wr.opcode);
    const remote = verb === undefined ? undefined : this.#entries.get(nameOf(qp.remoteHost, wr.rkey));
    if (remote !== undefined && verb !== undefined) this.#used(qp, wr, remote, wr.rkey, verb);
    if ((wr.flags & SEND_FLAG.inline) !== 0) return;
    for (let i = 0; i < wr.numSge; i++) {
      const { lkey } = wr.sges[i] as SendWr['sges'][number];
      const own = this.#entries.get(nameOf(qp.host, lkey));
      if (own !== undefined) this.#used(qp, wr, own, lkey, KEY_VERB.ownList);
    }
  }

  #used(qp: QueuePairFacts, wr: SendWr, entry: Entry, key: number, verb: number): void {
    const u = this.#use;
    u.verb = verb;
    u.holder = entry.holder;
    u.state = stateOf(entry, key);
    this.#uses.sample(u);
    const { wrId } = wr;
    this.#note(qp, { wrId, entry, key, change: -1, use: raceOf(wr, verb), state: u.state, fenced: false });
  }

  #note(qp: QueuePairFacts, request: UnderWay): void {
    const queue = this.#underWay.get(qp);
    if (queue === undefined) this.#underWay.set(qp, [request]);
    else queue.push(request);
  }

  #taken(entry: Entry, taker: number): void {
    const r = this.#race;
    r.taker = taker;
    r.holder = entry.holder;
    r.under = KEY_UNDER.nothing;
    for (const queue of this.#underWay.values())
      for (const { entry: other, use } of queue)
        if (other === entry && use !== KEY_UNDER.nothing && (r.under === KEY_UNDER.nothing || use < r.under))
          r.under = use;
    this.#races.sample(r);
  }

  #ended({ entry, key, change, state, fenced }: UnderWay, status: number): void {
    if (change < 0) return;
    const c = this.#change;
    c.change = change;
    c.state = state;
    c.fenced = fenced;
    c.end = endOf(status);
    this.#changes.sample(c);
    if (entry.key >>> 0 !== key >>> 0) return;
    const opens = change <= KEY_CHANGE.register;
    if (c.end === KEY_END.success)
      entry.state = !opens || entry.state === KEY_STATE.closing ? KEY_STATE.closed : KEY_STATE.open;
  }
}

function stateOf(entry: Entry, key: number): number {
  return entry.key >>> 0 === key >>> 0 ? entry.state : KEY_STATE.stale;
}

function verbOf(opcode: number): number | undefined {
  if (opcode === WR_OPCODE.rdmaRead) return KEY_VERB.read;
  if (opcode === WR_OPCODE.rdmaWrite || opcode === WR_OPCODE.rdmaWriteWithImm) return KEY_VERB.write;
  const isAtomic = opcode === WR_OPCODE.atomicCmpAndSwp || opcode === WR_OPCODE.atomicFetchAndAdd;
  return isAtomic ? KEY_VERB.atomic : undefined;
}

function raceOf(wr: SendWr, verb: number): number {
  if (verb === KEY_VERB.atomic) return KEY_UNDER.atomic;
  let length = 0;
  for (let i = 0; i < wr.numSge; i++) length += (wr.sges[i] as SendWr['sges'][number]).length;
  if (length <= LONG) return KEY_UNDER.short;
  return verb === KEY_VERB.read ? KEY_UNDER.longRead : KEY_UNDER.longWrite;
}

function endOf(status: number): number {
  if (status === WC_STATUS.success) return KEY_END.success;
  if (status === WC_STATUS.wrFlushErr) return KEY_END.flushed;
  const refusals: readonly number[] = [WC_STATUS.mwBindErr, WC_STATUS.locQpOpErr, WC_STATUS.locProtErr];
  return refusals.includes(status) ? KEY_END.refused : KEY_END.other;
}

/** Hosts are 0 .. 255, indices below 2^24. */
function nameOf(host: number, key: number): number {
  return host * 2 ** 24 + mkeyIndex(key);
}
