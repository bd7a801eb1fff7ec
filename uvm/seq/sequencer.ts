/**
 * The sequencer (1800.2 clause 15): stands between the sequences that produce items and the driver that consumes
 * them, and decides whose turn it is.
 *
 *   sequence: startItem -> (queued) -> grant        finishItem -> item to the driver -> item done
 *   driver:   getNextItem -> (arbitration) ............. item .............. itemDone
 *
 * Nothing is chosen before the driver asks, and then only in the settle region of that instant, so that all sequences
 * which request in it take part whatever the order in which they ran. The queue holds requests for items, locks and
 * grabs in order. A sequence that holds the lock keeps everybody out but itself and its descendants; a lock is granted
 * when no earlier request that could be served is left, a grab goes to the head of the queue.
 */
import { Component } from '../base/component.ts';
import type { Constructor } from '../base/factory.ts';
import type { Phase } from '../base/phase.ts';
import { UvmError } from '../base/uvmError.ts';
import type { Proc } from '../kernel/process.ts';
import { type EventHandler, REGION } from '../kernel/scheduler.ts';
import type { FastStream } from '../random/randomStream.ts';
import type { Run } from '../run.ts';
import { ARBITRATION, type Arbitration, choose } from './arbitration.ts';
import { DriverWait } from './driverWait.ts';
import { LockList } from './lockList.ts';
import { RelevanceWaits } from './relevanceWaits.ts';
import { REQUEST_KIND, REQUEST_STATE, Request, type RequestKind, type RequestOwner } from './request.ts';
import type { AnySequence, SequenceClient } from './sequenceClient.ts';
import type { SequenceItem } from './sequenceItem.ts';
import type { SeqItemProvider } from './seqItemPort.ts';

const ARBITRATE = 0;
const TRY_EXPIRES = 1;

/** @public */
export class Sequencer<REQ extends SequenceItem = SequenceItem, RSP extends SequenceItem = REQ>
  extends Component
  implements SeqItemProvider<REQ, RSP>, RequestOwner, EventHandler
{
  /** How the next request is chosen; default FIFO. May be changed at any time. */
  arbitration: Arbitration = ARBITRATION.fifo;

  readonly #queue: Request[] = [];
  readonly #pool: Request[] = [];
  readonly #candidates: number[] = [];
  readonly #locks = new LockList();
  readonly #sequences = new Map<number, SequenceClient>();
  readonly #driver: DriverWait;
  readonly #relevance: RelevanceWaits;
  #random: FastStream | undefined;
  /** Chosen, its item not yet with the driver. */
  #granted: Request | null = null;
  /** Its item is with the driver. */
  #sent: Request | null = null;
  /** The driver has taken the item by getNextItem and owes an itemDone. */
  #taken = false;
  #scheduled = false;
  #trying = false;

  constructor(name: string, parent: Component | Run) {
    super(name, parent);
    this.#driver = new DriverWait(this.fullName);
    this.#relevance = new RelevanceWaits(this.fullName, this.run.processes, () => this.#kick());
  }

  /** Starts the default sequence configured for the run phase, if any. */
  override *runPhase(phase: Phase): Proc {
    const type = this.run.config.get<string | Constructor<AnySequence>>(this, 'run_phase', 'default_sequence');
    if (type === undefined) return;
    const name = typeof type === 'string' ? type : type.name;
    const sequence = this.createObject<AnySequence>(type, name);
    this.info('PHASESEQ', `Starting default sequence '${name}' for phase '${phase.name}'`);
    sequence.startingPhase = phase;
    yield* sequence.start(this);
  }

  /** For `UVM_SEQ_ARB_USER`: returns one of the indices; `requestAt` tells what they stand for. Default: the first. */
  userPriorityArbitration(candidates: readonly number[]): number {
    return candidates[0] as number;
  }

  /** Sequence and priority of a queued request. */
  requestAt(index: number): { readonly sequence: SequenceClient; readonly priority: number } {
    const r = this.#queue[index];
    if (r === undefined) throw new UvmError('SQRINDEX', `${this.fullName}: there is no request ${index} in the queue`);
    return { sequence: r.sequence as SequenceClient, priority: r.priority };
  }

  /** Requests that wait for a grant. */
  get queued(): number {
    return this.#queue.length;
  }

  // ---- for sequences

  /** Queues a request for an item; its process then parks on the request until the grant. */
  requestItem(sequence: SequenceClient, item: SequenceItem, priority: number): Request {
    this.#sequences.set(sequence.id, sequence);
    const r = this.#acquire(sequence, REQUEST_KIND.item, priority);
    r.item = item;
    this.#queue.push(r);
    this.#kick();
    return r;
  }

  /** Hands the item of a granted request to the driver; the process parks on the request until item done. */
  sendItem(r: Request): void {
    if (r !== this.#granted)
      throw this.#wrong('SQRSENDREQ', 'an item is sent that has not been granted; call startItem first');
    const item = r.item as REQ;
    this.#granted = null;
    this.#sent = r;
    r.state = REQUEST_STATE.sent;
    if (this.#driver.waiting) {
      this.#taken = this.#driver.takes;
      this.#trying = false;
      this.#driver.wake(item);
    }
  }

  /** Gives the request back after item done. */
  release(r: Request): void {
    r.sequence = null;
    r.item = null;
    this.#pool.push(r);
  }

  /** Queues a lock or grab; returns undefined when it was granted at once, else the request to park on. */
  requestLock(sequence: SequenceClient, grab: boolean): Request | undefined {
    if (this.#locks.has(sequence)) return undefined;
    this.#sequences.set(sequence.id, sequence);
    const r = this.#acquire(sequence, grab ? REQUEST_KIND.grab : REQUEST_KIND.lock, sequence.priority);
    if (grab) this.#queue.unshift(r);
    else this.#queue.push(r);
    this.#grantLocks();
    if (r.state === REQUEST_STATE.queued) return r;
    this.release(r);
    return undefined;
  }

  /** Gives up a lock or grab; a warning if the sequence holds none. */
  unlock(sequence: SequenceClient): void {
    if (!this.#locks.remove(sequence)) {
      this.warning('SQRUNL', `Sequence ${sequence.fullName} called unlock or ungrab but holds no lock`);
      return;
    }
    this.#grantLocks();
    this.#kick();
  }

  /** Whether the sequence holds a lock or grab of this sequencer. */
  hasLock(sequence: SequenceClient): boolean {
    return this.#locks.has(sequence);
  }

  /** The sequence that holds the most recent lock or grab. */
  get currentGrabber(): SequenceClient | undefined {
    return this.#locks.last;
  }

  /** Whether a lock of somebody else keeps the sequence from being chosen. */
  isBlocked(sequence: SequenceClient): boolean {
    return this.#locks.blocks(sequence);
  }

  /** Removes everything a sequence has here: its requests, locks and its place for responses. */
  forget(sequence: SequenceClient): void {
    this.#sequences.delete(sequence.id);
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      if (this.#queue[i]?.sequence === sequence) this.#queue.splice(i, 1);
    }
    this.#relevance.end(sequence);
    this.#locks.remove(sequence);
    if (this.#granted?.sequence === sequence) this.#granted = null;
    if (this.#queue.length > 0) this.#grantLocks();
    this.#kick();
  }

  /** A process was killed while it waited for this request. */
  withdraw(r: Request): void {
    const at = this.#queue.indexOf(r);
    if (at >= 0) this.#queue.splice(at, 1);
    const sequence = r.sequence as SequenceClient;
    if (!this.#queue.some((other) => other.sequence === sequence)) this.#relevance.end(sequence);
    if (this.#granted === r) this.#granted = null;
    this.#kick();
  }

  /** Kills every sequence that has used this sequencer and not ended (1800.2 15.3.2.19). */
  stopSequences(): void {
    for (const sequence of [...this.#sequences.values()]) sequence.kill();
  }

  // ---- for the driver

  *getNextItem(): Proc<REQ> {
    if (this.#taken) this.fatal('SQRGETNEXT', 'getNextItem called twice without itemDone or get in between');
    const present = this.#sent;
    if (present !== null) {
      this.#taken = true;
      return present.item as REQ;
    }
    this.#driver.takes = true;
    this.#driver.waiting = true;
    this.#kick();
    return (yield this.#driver) as REQ;
  }

  *tryNextItem(): Proc<REQ | null> {
    if (this.#taken) this.fatal('SQRGETNEXT', 'tryNextItem called twice without itemDone or get in between');
    if (this.#sent !== null) return yield* this.getNextItem();
    this.#driver.takes = true;
    this.#driver.waiting = true;
    this.#trying = true;
    this.#schedule();
    return (yield this.#driver) as REQ | null;
  }

  *peek(): Proc<REQ> {
    if (this.#sent !== null) return this.#sent.item as REQ;
    this.#driver.takes = false;
    this.#driver.waiting = true;
    this.#kick();
    return (yield this.#driver) as REQ;
  }

  *get(): Proc<REQ> {
    const item = yield* this.getNextItem();
    this.itemDone();
    return item;
  }

  itemDone(response?: RSP): void {
    const r = this.#sent;
    if (r === null) {
      this.fatal(
        'SQRBADITMDN',
        'itemDone called with no outstanding requests; each call must be paired with a getNextItem or tryNextItem',
      );
      return;
    }
    this.#sent = null;
    this.#taken = false;
    r.state = REQUEST_STATE.done;
    if (response !== undefined) this.putResponse(response);
    r.wake();
  }

  putResponse(response: RSP): void {
    const sequence = this.#sequences.get(response.sequenceId);
    if (sequence !== undefined) {
      sequence.deliver(response);
      return;
    }
    this.warning(
      'SQRNOSEQ',
      () =>
        `Dropping response for sequence ${response.sequenceId}, sequence not found; it has exited or been killed, ` +
        'or the response lacks setIdInfo(request)',
    );
  }

  /** Whether some request could be granted now. */
  hasItem(): boolean {
    return this.#sent !== null || this.#collect() > 0;
  }

  // ---- arbitration

  /** The event scheduled by `#schedule` or by a try that was granted. */
  fire(what: number): void {
    if (what === ARBITRATE) {
      this.#scheduled = false;
      this.#arbitrate();
    } else if (this.#trying) {
      this.#trying = false;
      this.error(
        'TRY_NEXT_BLOCKED',
        `the sequence ${this.#granted?.sequence?.fullName ?? '?'} selected for tryNextItem did not finish its item at once`,
      );
    }
  }

  #kick(): void {
    if (this.#driver.waiting && this.#queue.length > 0 && this.#granted === null && this.#sent === null)
      this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.run.scheduler.schedule(0, this, ARBITRATE, REGION.settle);
  }

  #arbitrate(): void {
    if (!this.#driver.waiting || this.#granted !== null || this.#sent !== null) return;
    const index = this.#select();
    if (index >= 0) this.#grant(index);
    else if (this.#trying) {
      this.#trying = false;
      this.#driver.wake(null);
    } else this.#awaitRelevance();
  }

  /** Index of the request to grant, or -1. */
  #select(): number {
    const queue = this.#queue;
    if (queue.length === 1 && this.#locks.size === 0) {
      const only = queue[0] as Request;
      return only.kind === REQUEST_KIND.item && (only.sequence as SequenceClient).isRelevant() ? 0 : -1;
    }
    if (this.#collect() === 0) return -1;
    const candidates = this.#candidates;
    if (this.arbitration === ARBITRATION.user) return this.#userChoice(candidates);
    if (candidates.length === 1 || this.arbitration === ARBITRATION.fifo) return candidates[0] as number;
    this.#random ??= this.run.random.fast(this.fullName, 'arbitration');
    return choose(this.arbitration, queue, candidates, this.#random);
  }

  #userChoice(candidates: readonly number[]): number {
    const index = this.userPriorityArbitration(candidates);
    if (candidates.includes(index)) return index;
    this.fatal('SQRUSERARB', `userPriorityArbitration returned ${index}, which is none of ${candidates.join(', ')}`);
    return candidates[0] as number;
  }

  /** Fills the candidates with the indices of requests that may be granted. */
  #collect(): number {
    const candidates = this.#candidates;
    candidates.length = 0;
    const queue = this.#queue;
    for (let i = 0; i < queue.length; i++) {
      const r = queue[i] as Request;
      const sequence = r.sequence as SequenceClient;
      if (r.kind !== REQUEST_KIND.item || (this.#locks.size > 0 && this.isBlocked(sequence))) continue;
      if (sequence.isRelevant()) candidates.push(i);
    }
    return candidates.length;
  }

  #grant(index: number): void {
    const queue = this.#queue;
    const r = queue[index] as Request;
    if (queue.length === 1) queue.length = 0;
    else if (index === 0) queue.shift();
    else queue.splice(index, 1);
    if (queue.length > 0) this.#grantLocks();
    if (this.#relevance.size > 0) this.#relevance.endAll();
    this.#granted = r;
    r.state = REQUEST_STATE.granted;
    r.wake();
    if (this.#trying) this.run.scheduler.schedule(0, this, TRY_EXPIRES, REGION.check);
  }

  /** Grants locks and grabs from the head of the queue up to the first request for an item that is not blocked. */
  #grantLocks(): void {
    for (let i = 0; i < this.#queue.length; ) {
      const r = this.#queue[i] as Request;
      if (this.isBlocked(r.sequence as SequenceClient)) {
        i++;
        continue;
      }
      if (r.kind === REQUEST_KIND.item) return;
      this.#queue.splice(i, 1);
      this.#locks.add(r.sequence as SequenceClient);
      r.state = REQUEST_STATE.granted;
      r.wake();
    }
  }

  /** Every request that is not blocked is irrelevant for now: arbitrates again when one of them says so. */
  #awaitRelevance(): void {
    for (const r of this.#queue) {
      const sequence = r.sequence as SequenceClient;
      if (r.kind !== REQUEST_KIND.item || this.isBlocked(sequence) || sequence.isRelevant()) continue;
      this.#relevance.begin(sequence);
    }
  }

  #acquire(sequence: SequenceClient, kind: RequestKind, priority: number): Request {
    const r = this.#pool.pop() ?? new Request(this);
    r.sequence = sequence;
    r.kind = kind;
    r.priority = priority;
    r.state = REQUEST_STATE.queued;
    return r;
  }

  #wrong(id: string, text: string): UvmError {
    return new UvmError(id, `${this.fullName}: ${text}`);
  }
}
