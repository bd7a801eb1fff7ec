/**
 * Sequences (1800.2 clause 14): procedures that produce items, or start other sequences.
 *
 * `start` runs the hooks in the order of the standard: preStart, preBody, the parent's preDo and midDo, body, the
 * parent's postDo, postBody, postStart. An item goes by `startItem` (wait for the grant), setting its fields, and
 * `finishItem` (hand it over, wait for item done), or by `send`, which is both. A virtual sequence is one started on a
 * component that is no sequencer: it sends nothing itself but starts others, on their sequencers.
 */
import type { Component } from '../base/component.ts';
import type { Objector } from '../base/objection.ts';
import type { Phase } from '../base/phase.ts';
import { UvmError } from '../base/uvmError.ts';
import { NotedCall } from '../kernel/notedCalls.ts';
import type { Proc, Process } from '../kernel/process.ts';
import type { RandomStream } from '../random/randomStream.ts';
import type { ReportSubject } from '../report/reportMessage.ts';
import type { MessageText } from '../report/reporter.ts';
import { SEVERITY, type Severity } from '../report/severity.ts';
import { UVM_MEDIUM, UVM_NONE } from '../report/verbosity.ts';
import type { Run } from '../run.ts';
import type { Request } from './request.ts';
import { ResponseQueue } from './responseQueue.ts';
import type { AnySequence } from './sequenceClient.ts';
import type { SequenceItem } from './sequenceItem.ts';
import { Sequencer } from './sequencer.ts';

/** Life of a sequence (1800.2 F.3.1.4); `stopped` after a kill. @public */
export type SequenceState =
  | 'created'
  | 'pre_start'
  | 'pre_body'
  | 'body'
  | 'post_body'
  | 'post_start'
  | 'finished'
  | 'stopped';

/** Priority of a sequence that was started with none. @public */
export const DEFAULT_PRIORITY = 100;

/** In UVM null is enough, because there everything global is the run's. */
const NO_CONTEXT =
  'start(null) is for a child of another sequence; there are no globals here that would say in which run it is to ' +
  'start. Name any component, start(this) in a test: on one that is no sequencer it is a virtual sequence';

/** A start that may be forgotten to be begun. */
class StartCall extends NotedCall<void> {
  readonly #name: string;
  readonly #on: Component;

  constructor(name: string, on: Component, body: Proc) {
    super(body);
    this.#name = name;
    this.#on = on;
  }

  override get text(): string {
    return `start() of the sequence ${this.#name} on ${this.#on.fullName}`;
  }
}

/** Thrown into a sequence to end it; `start` returns normally then. */
class SequenceKilled extends Error {}

/** @public */
export abstract class Sequence<REQ extends SequenceItem = SequenceItem, RSP extends SequenceItem = REQ>
  implements AnySequence, Objector
{
  readonly name: string;
  /** Unique within the run, from 1; 0 before the first start. */
  id = 0;
  priority = DEFAULT_PRIORITY;
  parentSequence: AnySequence | null = null;
  /** The phase whose default sequence this is, or set by whoever starts it; for objections. */
  startingPhase: Phase | null = null;
  /** Objects to the end of `startingPhase` from before preStart until after postStart. */
  automaticPhaseObjection = false;
  /** Responses from the driver that have not been asked for yet. */
  readonly responses: ResponseQueue<RSP>;
  state: SequenceState = 'created';

  #on: Component | null = null;
  #sequencer: Sequencer | null = null;
  readonly #used: Sequencer[] = [];
  #process: Process | null = null;
  /** Children of its process when it began: they are not its own. */
  #before: readonly Process[] = [];
  #killed: SequenceKilled | null = null;
  #random: RandomStream | undefined;
  #ordinal = 0;
  #transactions = 0;

  constructor(name = '') {
    this.name = name === '' ? this.constructor.name : name;
    this.responses = new ResponseQueue<RSP>(this);
  }

  /** What the sequence does. */
  abstract body(): Proc;
  /** Before everything else, also as a child of another sequence. */
  preStart?(): Proc;
  /** Before the body, unless started by a parent's `startChild`. */
  preBody?(): Proc;
  /** After the body, unless started by a parent's `startChild`. */
  postBody?(): Proc;
  /** After everything else. */
  postStart?(): Proc;
  /** After the grant of an item, or before the body of a child sequence. */
  preDo?(isItem: boolean): Proc;
  /** Before an item is handed over, or before the body of a child sequence. */
  midDo?(child: SequenceItem | AnySequence): void;
  /** After an item is done, or after the body of a child sequence. */
  postDo?(child: SequenceItem | AnySequence): void;

  /** False keeps the sequence out of arbitration; then `waitForRelevant` must be defined too. Default true. */
  isRelevant(): boolean {
    return true;
  }

  // biome-ignore lint/correctness/useYield: the base has nothing to wait for
  *waitForRelevant(): Proc {
    throw this.#wrong('SEQRELEVANT', 'isRelevant is defined but waitForRelevant is not; define both');
  }

  /**
   * Runs the sequence. Called without `yield*` it does nothing, and the run ends with `SEQ_NOT_BEGUN`.
   * @param on a sequencer; or, for a virtual sequence, any component, or null for that of the parent
   * @param parent the sequence that starts this one
   * @param priority default: that of the parent, or 100
   * @throws UvmError `SEQSTATE` when it is running, `SEQNOCTX` when there is nothing to run it on.
   */
  start(on: Component | null, parent: AnySequence | null = null, priority = -1, callPrePost = true): Proc {
    const body = this.#start(on, parent, priority, callPrePost);
    const component = on ?? parent?.component;
    return component?.run.processes.starts.note(new StartCall(this.name, component, body)) ?? body;
  }

  *#start(on: Component | null, parent: AnySequence | null, priority: number, callPrePost: boolean): Proc {
    this.#begin(on, parent, priority);
    try {
      if (this.preStart !== undefined) yield* this.preStart();
      if (callPrePost && this.preBody !== undefined) yield* this.#inState('pre_body', this.preBody());
      if (parent?.preDo !== undefined) yield* parent.preDo(false);
      parent?.midDo?.(this);
      this.state = 'body';
      yield* this.body();
      parent?.postDo?.(this);
      if (callPrePost && this.postBody !== undefined) yield* this.#inState('post_body', this.postBody());
      if (this.postStart !== undefined) yield* this.#inState('post_start', this.postStart());
      this.state = 'finished';
    } catch (error) {
      if (error !== this.#killed) throw error;
      this.#killSpawned();
    } finally {
      this.#end();
    }
  }

  /** Runs another sequence as a child: on this sequence's sequencer or component unless told otherwise. */
  startChild(child: AnySequence, on: Component | null = this.#on, priority = -1): Proc {
    return child.start(on, this, priority, false);
  }

  /** Waits until the sequencer grants this item its turn. Nothing may delay `finishItem` but what the item needs. */
  *startItem(item: REQ, priority = -1, sequencer: Sequencer<REQ, RSP> | null = null): Proc {
    yield this.#request(item, priority, sequencer);
    if (this.preDo !== undefined) yield* this.preDo(true);
  }

  /** Hands a granted item to the driver and waits until it is done. @throws UvmError `SEQNOSTART` without startItem. */
  *finishItem(item: REQ): Proc {
    yield this.#handOver(item);
    this.#complete(item);
  }

  /** `startItem` and `finishItem` in one, for an item that is ready (1800.2 B.3 `uvm_send`). */
  *send(item: REQ, priority = -1, sequencer: Sequencer<REQ, RSP> | null = null): Proc {
    yield this.#request(item, priority, sequencer);
    if (this.preDo !== undefined) yield* this.preDo(true);
    yield this.#handOver(item);
    this.#complete(item);
  }

  /** Waits for sole access to the sequencer, after the requests already queued. */
  *lock(sequencer: Sequencer = this.sequencer): Proc {
    this.#use(sequencer);
    const request = sequencer.requestLock(this, false);
    if (request !== undefined) yield request;
  }

  /** Waits for sole access to the sequencer, before all requests already queued. */
  *grab(sequencer: Sequencer = this.sequencer): Proc {
    this.#use(sequencer);
    const request = sequencer.requestLock(this, true);
    if (request !== undefined) yield request;
  }

  /** Gives up a lock. */
  unlock(sequencer: Sequencer = this.sequencer): void {
    sequencer.unlock(this);
  }

  /** Gives up a grab. */
  ungrab(sequencer: Sequencer = this.sequencer): void {
    sequencer.unlock(this);
  }

  /** Waits for a response: the next one, or the one to the item with this transaction id. */
  getResponse(transactionId = -1): Proc<RSP> {
    return this.responses.get(transactionId);
  }

  /** For the sequencer: takes a response of the driver. */
  deliver(response: SequenceItem): void {
    this.responses.put(response as RSP);
  }

  /**
   * Ends the sequence where it waits, with its `finally` blocks, and then the processes that it has spawned, youngest
   * first; daemons go on. Its `start` returns. Nothing happens if not running.
   */
  kill(): void {
    if (this.#process === null || this.#killed !== null) return;
    this.#killed = new SequenceKilled(`${this.fullName} killed`);
    this.#process.interrupt(this.#killed);
  }

  /** The sequencer it runs on. @throws UvmError `SEQNOSQR` for a virtual sequence. */
  get sequencer(): Sequencer {
    if (this.#sequencer !== null) return this.#sequencer;
    throw this.#wrong('SEQNOSQR', 'it runs on no sequencer; start it on one, or name one in the call');
  }

  /** The component it runs on, be it a sequencer or not. @throws UvmError `SEQNOCTX` before the start. */
  get component(): Component {
    if (this.#on !== null) return this.#on;
    throw this.#wrong('SEQNOCTX', 'it has not been started; start it on a sequencer or a component');
  }

  get run(): Run {
    return this.component.run;
  }

  /** As an objector: objections propagate through the component it runs on. */
  get parent(): Objector | null {
    return this.#on;
  }

  /** Own name after those of the parent sequences. */
  get sequencePath(): string {
    return this.parentSequence === null ? this.name : `${this.parentSequence.sequencePath}.${this.name}`;
  }

  get fullName(): string {
    return this.#on === null ? this.name : `${this.#on.fullName}.${this.sequencePath}`;
  }

  /** Stream of this start of the sequence: depends on the component, the type, and how many of the type came before. */
  get random(): RandomStream {
    this.#random ??= this.run.random.stream(
      this.component.fullName,
      `sequence ${this.constructor.name}`,
      this.#ordinal,
    );
    return this.#random;
  }

  info(id: string, message: MessageText, verbosity = UVM_MEDIUM): void {
    if (verbosity > this.component.reporter.threshold) return;
    this.#report(SEVERITY.info, id, message, verbosity);
  }

  warning(id: string, message: MessageText): void {
    this.#report(SEVERITY.warning, id, message, UVM_NONE);
  }

  /** @param about what it accuses; default: it does not say */
  error(id: string, message: MessageText, about?: ReportSubject): void {
    this.#report(SEVERITY.error, id, message, UVM_NONE, about);
  }

  /**
   * @param about what it accuses; default: it does not say
   * @throws FatalStop unless overridden to something that does not end the run.
   */
  fatal(id: string, message: MessageText, about?: ReportSubject): void {
    this.#report(SEVERITY.fatal, id, message, UVM_NONE, about);
  }

  #report(severity: Severity, id: string, message: MessageText, verbosity: number, about?: ReportSubject): void {
    this.component.reporter.report(severity, id, message, verbosity, this.sequencePath, about);
  }

  #begin(on: Component | null, parent: AnySequence | null, priority: number): void {
    if (this.#process !== null) throw this.#wrong('SEQSTATE', `it was started although it is in state ${this.state}`);
    this.#on = on ?? parent?.component ?? null;
    if (this.#on === null) throw this.#wrong('SEQNOCTX', NO_CONTEXT);
    const { root, processes } = this.run;
    this.#sequencer = on instanceof Sequencer ? (on as Sequencer) : null;
    this.parentSequence = parent;
    this.priority = priority >= 0 ? priority : (parent?.priority ?? DEFAULT_PRIORITY);
    this.id = root.nextNumber('sequence');
    this.#ordinal = root.nextNumber(`${this.constructor.name} ${this.component.fullName}`) - 1;
    this.#random = undefined;
    this.#killed = null;
    this.#process = processes.current;
    this.#before = this.#process?.children ?? [];
    this.state = 'pre_start';
    if (this.automaticPhaseObjection) this.startingPhase?.raiseObjection(this, 'automatic phase objection');
  }

  *#inState(state: SequenceState, hook: Proc): Proc {
    this.state = state;
    yield* hook;
  }

  #killSpawned(): void {
    const spawned = this.#process?.children.filter((child) => !this.#before.includes(child)) ?? [];
    for (const child of spawned.reverse()) child.kill();
  }

  #end(): void {
    if (this.state !== 'finished') this.state = 'stopped';
    this.#process = null;
    this.#before = [];
    for (const sequencer of this.#used.splice(0)) sequencer.forget(this);
    if (this.automaticPhaseObjection) this.startingPhase?.dropObjection(this, 'automatic phase objection');
  }

  #request(item: REQ, priority: number, sequencer: Sequencer<REQ, RSP> | null): Request {
    const s = (sequencer as Sequencer | null) ?? this.sequencer;
    this.#use(s);
    item.sequenceId = this.id;
    const request = s.requestItem(this, item, priority < 0 ? this.priority : priority);
    item.request = request;
    return request;
  }

  #handOver(item: REQ): Request {
    const request = item.request as Request | null;
    if (request === null) throw this.#wrong('SEQNOSTART', 'finishItem without startItem for the same item');
    this.midDo?.(item);
    if (item.transactionId < 0) item.transactionId = ++this.#transactions;
    (request.owner as Sequencer).sendItem(request);
    return request;
  }

  #complete(item: REQ): void {
    const request = item.request as Request;
    item.request = null;
    (request.owner as Sequencer).release(request);
    this.postDo?.(item);
  }

  #use(sequencer: Sequencer): void {
    if (!this.#used.includes(sequencer)) this.#used.push(sequencer);
  }

  #wrong(id: string, text: string): UvmError {
    return new UvmError(id, `sequence ${this.fullName}: ${text}`);
  }
}
