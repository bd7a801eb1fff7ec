/**
 * The base of user sequences: small pieces of traffic on hosts and connections that are up when the sequence starts.
 *
 * A sequence is one file in sequences/library that exports one class with a static `typeName`; `+UVM_TEST_SEQ=<name>`
 * runs it in `test_sequence`. It overrides `connection`, which runs for every connection at the same time, or `body`
 * to decide itself what runs when. docs/writing-a-sequence.md is the guide.
 */
import { aHost, aQueuePair } from '../../rdma/subjectParts.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import {
  QP_STATE,
  QP_STATE_NAME,
  QP_TYPE,
  QP_TYPE_NAME,
  type QpType,
  type TransportType,
  WC_STATUS,
  WC_STATUS_NAME,
} from '../../rdma/verbs.ts';
import { type Proc, type Process, joinAll } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { ReportSubject } from '../../uvm/report/reportMessage.ts';
import type { MessageText } from '../../uvm/report/reporter.ts';
import { Sequence } from '../../uvm/seq/sequence.ts';
import type { InjectedPacket } from '../../agents/link/inject/injectedPacket.ts';
import type { PcieRule } from '../../agents/pcie/faults/rule/pcieRule.ts';
import type { FaultRule } from '../../agents/link/faults/rule/faultRule.ts';
import type { SequenceNeeds } from './sequenceNeeds.ts';
import { faultRuleOf, type LinkFault } from '../host/faults/linkFaults.ts';
import { pcieRuleOf } from '../host/faults/pcieFaults.ts';
import { settle } from '../host/settle.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import type { Completion } from './completion.ts';
import type { TrafficWatcher } from '../host/trafficWatcher.ts';
import type { Connection } from './connection.ts';
import { untilFatal, untilMisled } from '../host/faults/untilFatal.ts';
import type { QpSide } from './qpSide.ts';
import { RawSide } from './rawSide.ts';
import type { Sharing } from '../host/sharing.ts';
import type { UserContext } from './userContext.ts';

/** Who refuses a request: its responder, its requester (its own data), or the receive that it meets. @public */
export type Refuser = 'responder' | 'requester' | 'receive';

/** What the requester reports then (roce-transport.md 5.1). */
const REFUSED: Record<Refuser, number> = {
  responder: WC_STATUS.remAccessErr,
  requester: WC_STATUS.locProtErr,
  receive: WC_STATUS.remOpErr,
};

/** Errors of which only a NAK can tell. */
const REMOTE: readonly number[] = [WC_STATUS.remAccessErr, WC_STATUS.remInvReqErr, WC_STATUS.remOpErr];

/** Capabilities that need keys with tags. */
const NEED_TAGS: readonly string[] = ['taggedKeys', 'memoryWindows', 'fastRegistration'];

/** Processes that are named at most. */
const SHOWN = 3;

/** @public */
export abstract class UserSequence extends Sequence {
  /** Service types that the sequence can run on; connections of others are left out, and that is said. */
  readonly services: readonly TransportType[] = [QP_TYPE.rc, QP_TYPE.uc, QP_TYPE.ud];
  /** What it needs of the NIC besides: on one without, it is refused before time 0, or left out of a regression. */
  readonly needs: SequenceNeeds = {};
  /** Set by the test before the start. */
  context: UserContext | undefined;
  /** Connections by the processes that work on them. */
  readonly #working = new Map<Process, Connection>();

  /**
   * Time for which software leaves completions in their queue before it takes them, asked for each time that some have
   * come. Default 0: it takes them at once.
   */
  pollDelay(): SimTime {
    return 0;
  }

  /**
   * Receives that queue pairs share, asked for before anything is there; null, the default: each has its own. A side posts
   * receives to the queue that its queue pair takes them from, and gets the completions of those that come to its queue pair.
   * @param _values parameters of the run
   */
  sharing(_values: ParameterValues): Sharing | null {
    return null;
  }

  /** Whether keys must have tags, which changing them by requests needs: where its needs say so. @param _values parameters of the run */
  needsTags(_values: ParameterValues): boolean {
    return this.needs.capabilities?.some((name) => NEED_TAGS.includes(name)) === true;
  }

  /** What happens on one connection. Runs for all of them at once. */
  *connection(_connection: Connection): Proc<void> {}

  override *body(): Proc {
    yield* this.forEachConnection((connection) => this.connection(connection));
  }

  /**
   * Reports an error of the NIC.
   * @param about what it accuses: `[completion.subject]`; default: the queue pairs of the connection that is worked on
   */
  override error(id: string, message: MessageText, about: ReportSubject = this.#workedOn()): void {
    super.error(id, message, about);
  }

  /** Queue pairs of the connection that the current process works on, or of the only one; none where that is not known. */
  #workedOn(): ReportSubject {
    const { connections = [] } = this.context ?? {};
    let process = this.run.processes.current;
    while (process !== null && !this.#working.has(process)) process = process.parent;
    const own = process === null ? undefined : this.#working.get(process);
    const { left, right } = own ?? (connections.length === 1 ? connections[0] : undefined) ?? {};
    return [left, right].flatMap((side) => (side === undefined ? [] : [aQueuePair(side.host, side.qp.qpn)]));
  }

  /** Whether this sequence can run on connections of a type. */
  protected canUse(type: QpType): boolean {
    return this.services.some((service) => service === type);
  }

  /** Connections of the services that this sequence can run on. */
  get connections(): readonly Connection[] {
    return this.given.connections.filter((c) => this.canUse(c.type));
  }

  /**
   * The link between the hosts. `this.link.fault('drop host=1 opcode=ack nth=2')` lets a rule of docs/faults.md act from
   * now on; what it returns counts what the rule has done, and stops it. `this.link.inject({ … })` sends a packet that no NIC has
   * sent, by the fields of its headers; the judge knows what a NIC may make of it.
   */
  get link(): {
    fault(rule: string | FaultRule): LinkFault;
    inject(packet: InjectedPacket): void;
    readonly longestDelay: SimTime;
  } {
    const { link } = this.given.env;
    return {
      fault: (rule) => link.addFault(faultRuleOf(rule, this.name)),
      inject: (packet) => link.inject(packet),
      longestDelay: link.longestDelay,
    };
  }

  /** The PCIe ports: `this.pcie.fault('ur host=0 area=data nth=1')` lets a rule of docs/faults.md act from now on, as `link.fault`. */
  get pcie(): { fault(rule: string | PcieRule): LinkFault } {
    const { pcie } = this.given.env;
    return { fault: (rule) => pcie.addFault(pcieRuleOf(rule, this.name)) };
  }

  /** From now on `watcher` is told of frames at the NICs and of what they read and write of host memory. */
  watch(watcher: TrafficWatcher): void {
    this.given.env.watch?.(watcher);
  }

  /** Times to repeat what the sequence repeats: `+SEQ_COUNT`. */
  get count(): number {
    return this.values.SEQ_COUNT;
  }

  /** The parameters of the run, given or default: every row of the parameter table under its name. */
  get values(): ParameterValues {
    return this.given.values;
  }

  /**
   * Random numbers of a connection, which are no other's: they depend on the seed, this sequence, the connection and
   * `purpose`. Asked for again, they begin anew.
   */
  streamOf(connection: Connection, purpose: string): RandomStream {
    return this.run.random.stream(this.fullName, purpose, connection.index);
  }

  /** Bytes that a message on the connection may have at most: one packet on UD, else 2^31. */
  longest(connection: Connection): number {
    return connection.type === QP_TYPE.ud ? this.values.MTU : 2 ** 31;
  }

  /** Runs `work` for every connection at once and waits for all. */
  *forEachConnection(work: (connection: Connection) => Proc<void>): Proc<void> {
    for (const type of new Set(this.given.connections.map((c) => c.type))) {
      if (!this.canUse(type))
        this.info('SEQ_SKIPPED', `${QP_TYPE_NAME[type]} connections are left out: ${this.name} cannot use them`);
    }
    const started = this.connections.map((c) => {
      const process = this.run.processes.spawn(`connection${c.index}`, this.#whole(c, work(c)));
      this.#working.set(process, c);
      return process;
    });
    // Each child that comes upon a device that is gone says so, though its connection has ended by then.
    while ((yield* untilFatal(joinAll(started))) !== undefined);
  }

  /** Says what ends with the work of a connection although it was not done. */
  *#whole({ left, right }: Connection, work: Proc<void>): Proc<void> {
    const fatal = yield* untilMisled(work, this.given.env.hosts);
    if (fatal !== undefined) {
      this.info('SEQ_DEVICE_FATAL', `${this.run.processes.current?.name} ends: ${fatal.message}`);
      yield* untilFatal(this.#letGo([left, right]));
      return;
    }
    const cut = this.run.processes.current?.children.filter(({ ended, daemon }) => !ended && !daemon) ?? [];
    if (cut.length === 0) return;
    const names = cut.slice(0, SHOWN).map((p) => `${p.name}, which waits for ${p.waitsFor},`);
    const more = cut.length > SHOWN ? ` and ${cut.length - SHOWN} more` : '';
    const advice = 'yield* joinAll(...) waits for them, kill() ends them, and with { daemon: true } they go on';
    this.warning('SEQ_CUT_OFF', `${names.join(' ')}${more} ended with the process that had started them; ${advice}`);
  }

  /** Waits until nothing moves, and lets the scoreboard judge plain WRITEs. For all connections at once: not in `connection`. */
  *quiet(): Proc<void> {
    if (!(yield* settle(this.given.env, this.values.SETTLE)))
      this.error('SEQ_NOT_QUIET', 'the NICs do not come to rest; look for endless retransmission', [
        ...this.given.env.hosts.map(({ host }) => aHost(host)),
      ]);
  }

  /**
   * Makes a host work again whose device is gone (`DeviceFatalError`): closes it, opens it, makes its queues anew, and connects them with
   * their peers, whose queue pairs are reset before if they are connected. What the sides had is gone: buffers are to be made again,
   * and completions that nobody has taken are thrown away. Not while anybody works on connections of the host.
   */
  reopen(host: number): Proc<void> {
    return this.given.reopen(host);
  }

  /** Nobody will take these sides from SQD any more, where their requests wait. */
  *#letGo(sides: readonly QpSide[]): Proc<void> {
    for (const { api, qp } of sides)
      if (qp.alive && qp.state === QP_STATE.sqd) yield* api.modifyQp(qp, { state: QP_STATE.err });
  }

  /**
   * Makes a raw packet queue pair on the host of a side: whole Ethernet frames of software. To be closed before the sequence ends.
   * @param mostBytes of the longest frame that there is to be memory for
   */
  *openRaw(side: QpSide, mostBytes: number): Proc<RawSide> {
    const raw = yield* RawSide.open(side, mostBytes);
    this.given.giveCompletions(side.host, raw);
    return raw;
  }

  /** Whether the NIC of a host finds an atomic misaligned before it looks at its key (roce-transport.md 11). */
  alignmentBeforeKey(host: number): boolean {
    return this.given.env.choicesOf?.(host).alignmentBeforeKey ?? true;
  }

  /** The status of a datagram that is longer than the path MTU: that of the model is LOC_LEN_ERR (roce-transport.md 11). */
  tooLongDatagram(host: number): number {
    return this.given.env.choicesOf?.(host).tooLongDatagram ?? WC_STATUS.locLenErr;
  }

  /** Reports `SEQ_STATUS` unless a completion is successful. */
  expectSuccess(completion: Completion, what: string): void {
    this.expectStatus(completion, WC_STATUS.success, what);
  }

  /**
   * Reports `SEQ_STATUS` unless a completion has this status of `WC_STATUS`. Where the link loses frames it may be
   * RETRY_EXC_ERR as well, and where no NAK tells of a refusal: the scoreboard judges whether the sender had reason to
   * give up.
   */
  expectStatus(completion: Completion, ofModel: number, what: string): void {
    const { host, isSend } = completion;
    const status = this.given.env.declaredStatus?.(host, isSend, ofModel) ?? ofModel;
    if (completion.status === status) {
      completion.expected();
      return;
    }
    const mayGiveUp = this.given.env.lossAllowed || (!this.#naks && REMOTE.includes(status));
    if (completion.status === WC_STATUS.retryExcErr && mayGiveUp) return;
    // Behind one that its peer, whose NIC was reset, has not answered.
    if (completion.status === WC_STATUS.wrFlushErr && this.given.env.hosts.some(({ deviceFatal }) => deviceFatal))
      return;
    const [found, expected] = [completion.status, status].map((s) => WC_STATUS_NAME[s] ?? String(s));
    this.error('SEQ_STATUS', `${what}: ${completion.request} ended with ${found}, expected ${expected}`, [
      completion.subject,
    ]);
  }

  /**
   * Waits for the completions of a request of the left side that `refuser` refuses for its key, range or rights, and
   * reports `SEQ_STATUS` unless they say so. Only RC tells the sender what the other side could not take. Each side that
   * goes to ERR is given a receive to flush, if it has no other, and if the request is posted in this very moment: later
   * the NIC may have flushed already what there was.
   * @param before requests of the left side in front of it that succeed
   */
  *expectRefused(connection: Connection, refuser: Refuser, what: string, before = 0): Proc<void> {
    const { type, left, right } = connection;
    const failing = this.#failing(connection, refuser);
    for (const side of failing) yield* side.receive([]);
    for (let i = 0; i < before; i++) this.expectSuccess(yield* left.sent(), `before the ${what}`);
    const isTold = type === QP_TYPE.rc || refuser === 'requester';
    const status = isTold ? REFUSED[refuser] : WC_STATUS.success;
    const sent = yield* left.sent();
    this.expectStatus(sent, status, what);
    if (refuser === 'receive' && this.#naks) this.expectStatus(yield* right.received(), WC_STATUS.locProtErr, what);
    // Where its sender gives up, the request may never have come to the one that is to refuse it.
    for (const side of failing) if (side === left || sent.status === status) yield* this.#expectError(side, what);
  }

  protected get given(): UserContext {
    if (this.context === undefined) throw new Error(`${this.fullName}: set .context before starting the sequence`);
    return this.context;
  }

  /** Responders say what they refuse. */
  get #naks(): boolean {
    return this.given.env.hosts.every(({ capabilities }) => capabilities.naks);
  }

  /** Sides that go to ERR when a request is refused (roce-transport.md 6.3), and whose next receive is sure to be flushed. */
  #failing({ type, left, right }: Connection, refuser: Refuser): readonly QpSide[] {
    if (left.lastSend !== this.run.scheduler.now) return [];
    const ends = type === QP_TYPE.rc && left.qp.recvOutstanding === 0 ? [left] : [];
    // Who says nothing goes on as before.
    if (!this.#naks && refuser !== 'requester') return ends;
    const reaches = refuser === 'receive' || (refuser === 'responder' && type === QP_TYPE.rc);
    // The receive that the request meets is used up by it.
    const used = refuser === 'receive' ? 1 : 0;
    return reaches && right.qp.recvOutstanding === used && used < right.qp.maxRecvWr ? [...ends, right] : ends;
  }

  *#expectError(side: QpSide, what: string): Proc<void> {
    const { api, qp } = side;
    this.expectStatus(yield* side.received(), WC_STATUS.wrFlushErr, `receive behind the ${what}`);
    const { state } = yield* api.queryQp(qp);
    if (state === QP_STATE.err) return;
    this.error('SEQ_STATUS', `${what}: ${describe(qp)} is in ${QP_STATE_NAME[state]} afterwards, expected ERR`, [
      aQueuePair(qp.host, qp.qpn),
    ]);
  }
}
