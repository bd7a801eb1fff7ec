/**
 * The command set: fills the inbox, runs the command, judges its status, reads the outbox. One command per host at a
 * time; others wait their turn.
 */

import type { CommandSubject } from '../../../../rdma/subject.ts';
import { aCommand } from '../../../../rdma/subjectParts.ts';
import { AQ_AREA } from '../../layout/ackQueue.ts';
import { BAR, ICM_BASE_HI, ICM_PHYSICAL_OFFSET_HI, OUTBOX_LO } from '../../layout/addressMap.ts';
import type { IcmTable } from '../../layout/addressMap.ts';
import {
  CMD,
  CMD_NAME,
  CMD_STATUS,
  CMD_STATUS_NAME,
  HCR_GO,
  HCR_STATUS_SHIFT,
  MAP_MODULE,
  MAX_MTT_PER_COMMAND,
  MODIFY_NO_INBOX,
  OUTBOX_BYTES,
  PAGE_BYTES,
} from '../../layout/commands.ts';
import type { QpState } from '../../../../rdma/verbs.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { type Proc, delay } from '../../../../uvm/kernel/process.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import { Semaphore } from '../../../../uvm/kernel/semaphore.ts';
import {
  CommandError,
  type DeviceFatalError,
  RegionBoundError,
  UnreadCommandError,
  WindowLimitError,
  WrongStateError,
} from '../../../../env/verbs/hostErrors.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import {
  putCqc,
  putEqc,
  putInitHca,
  putMapIcm,
  putMpt,
  putMttEntry,
  putMttHeader,
  putResize,
  putSrqc,
} from './contextImages.ts';
import type { CqcFields, EqcFields, MptFields } from './contextImages.ts';
import { EXTENDED_LIMITS } from '../../layout/sharedReceives.ts';
import type { HanguQp, HanguSrq } from '../hanguObjects.ts';
import { Hcr, HCR_NO_ANSWER, STATUS_OFFSET } from './hcr.ts';
import type { HcrTiming } from './hcr.ts';
import type { IcmChunk } from '../tables/icmAllocator.ts';
import { putQpContext } from './qpContext.ts';
import { isTransition } from './transitionCommand.ts';
import { hex, hexAddress } from '../../../../uvm/report/hexTexts.ts';

/** Time in which a command without input would have been carried out. */
const ENOUGH = 5 * US;

/** The physical pages of what is being registered, one after the other. */
export interface PageSource {
  readonly physHi: number;
  readonly physLo: number;
  /** Moves to the next page: its address is in the two fields. */
  next(): void;
}

/** A command that is given although the NIC must refuse it. What is left out is 0. */
export interface Attempt {
  readonly opcode: number;
  readonly opModifier?: number;
  readonly modifier?: number;
  /** Writes the inbox and returns its size; without it (inHi, inLo) is the input. */
  readonly image?: (at: number) => number;
  readonly inHi?: number;
  readonly inLo?: number;
  /** Names the outbox, into which nothing may be written. */
  readonly outbox?: boolean;
}

export class HanguCommands {
  readonly hcr: Hcr;
  /** Byte-store offset of the outbox copy that queries leave. */
  readonly outbox: number;

  readonly #host: ProviderHost;
  readonly #bytes: ByteStore;
  readonly #turn: Semaphore;
  /** Byte-store offset of what is in the outbox before a query. */
  readonly #blank: number;
  /** Why no command is given any more; null as long as the NIC lives. */
  #lost: DeviceFatalError | null = null;
  /** Bytes of the outbox that the NIC may write, 0 = none. */
  #outboxBytes = 0;

  constructor(host: ProviderHost, timing: HcrTiming) {
    this.#host = host;
    this.#bytes = host.bytes;
    this.outbox = host.bytes.alloc(PAGE_BYTES, 16);
    this.#blank = host.bytes.alloc(MAX_OUTBOX, 16);
    host.bytes.u8.fill(BLANK, this.#blank, this.#blank + MAX_OUTBOX);
    this.hcr = new Hcr(host, timing);
    this.#turn = new Semaphore(1, `command register of host ${host.host}`);
  }

  /** The NIC was reset: the command under way, and those that wait for their turn, end by throwing `error`. */
  lose(error: DeviceFatalError): void {
    this.#lost = error;
    this.hcr.abandon();
  }

  /** The NIC was reset, and nothing of it is under way. */
  forget(): void {
    if (this.#outboxBytes > 0) this.#closeOutbox();
  }

  /** Commands are given again. */
  restart(): void {
    this.#lost = null;
  }

  /** Leaves 64 bytes in `outbox`. @param extended limits of what INIT_HCA has to ask for are among them */
  queryDevLim(extended: boolean): Proc<void> {
    return this.#query(CMD.queryDevLim, extended ? EXTENDED_LIMITS : 0, OUTBOX_BYTES.devLim, nothing);
  }

  /** Leaves 32 bytes in `outbox`. */
  queryAdapter(): Proc<void> {
    return this.#query(CMD.queryAdapter, 0, OUTBOX_BYTES.adapter, nothing);
  }

  /** @param flags `INIT_EXT` bits */
  initHca(gid: readonly [number, number, number, number], flags = 0): Proc<void> {
    const ackQueuesHi = this.#busHi(AQ_AREA.hi);
    return this.#run(CMD.initHca, 0, 0, (at) => putInitHca(this.#bytes, at, gid, flags, ackQueuesHi));
  }

  closeHca(): Proc<void> {
    return this.#run(CMD.closeHca, 0, 0, null);
  }

  mapIcm(chunk: IcmChunk): Proc<void> {
    const { table, first, pages } = chunk;
    const hi = this.#busHi(ICM_BASE_HI[table] + ICM_PHYSICAL_OFFSET_HI);
    const fill = (at: number): number => putMapIcm(this.#bytes, at, table, first, pages, hi);
    return this.#run(CMD.mapIcm, moduleOf(table), 1, fill);
  }

  unmapIcm(chunk: IcmChunk): Proc<void> {
    const { table, first, pages } = chunk;
    return this.#run(CMD.unmapIcm, moduleOf(table), pages, null, ICM_BASE_HI[table], first * PAGE_BYTES);
  }

  /**
   * Enters the `pages` translation entries of regions from `firstMtt` on, then the protection entry of each. Entries of
   * regions that lie next to each other go into the table together.
   */
  *register(firstMtt: number, pages: number, source: PageSource, mpts: readonly MptFields[]): Proc<void> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      for (let page = 0; page < pages; page += MAX_MTT_PER_COMMAND) {
        if (hcr.full) yield* this.#performAll();
        const count = Math.min(MAX_MTT_PER_COMMAND, pages - page);
        hcr.add(CMD.writeMtt, 0, count, this.#fillMtt(hcr.image, firstMtt + page, count, source));
      }
      for (const mpt of mpts) {
        if (hcr.full) yield* this.#performAll();
        hcr.add(CMD.sw2hwMpt, 0, mpt.index, putMpt(this.#bytes, hcr.image, mpt));
      }
      yield* this.#performAll();
    } finally {
      hcr.clear();
      this.#turn.put();
    }
  }

  /** Takes protection entries back. @param indices their places */
  *deregister(indices: readonly number[]): Proc<void> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      for (const index of indices) {
        if (hcr.full) yield* this.#performAll();
        hcr.add(CMD.hw2swMpt, 0, index, 0);
      }
      yield* this.#performAll();
    } finally {
      hcr.clear();
      this.#turn.put();
    }
  }

  sw2hwCq(cqc: CqcFields): Proc<void> {
    return this.#run(CMD.sw2hwCq, 0, cqc.cqn, (at) => putCqc(this.#bytes, at, cqc));
  }

  hw2swCq(cqn: number): Proc<void> {
    return this.#run(CMD.hw2swCq, 0, cqn, null);
  }

  /** The ring of `key`, with 2^`logSize` entries, takes the place of the one that a completion queue has. */
  resizeCq(cqn: number, logSize: number, key: number): Proc<void> {
    return this.#run(CMD.resizeCq, 0, cqn, (at) => putResize(this.#bytes, at, logSize, key));
  }

  sw2hwSrq(srq: HanguSrq): Proc<void> {
    return this.#run(CMD.sw2hwSrq, 0, srq.srqn, (at) => putSrqc(this.#bytes, at, srq));
  }

  hw2swSrq(srqn: number): Proc<void> {
    return this.#run(CMD.hw2swSrq, 0, srqn, null);
  }

  armSrq(srqn: number, limit: number): Proc<void> {
    return this.#run(CMD.armSrq, 0, srqn, null, 0, limit);
  }

  /** Leaves the entry of a key in `outbox`, as `queryQp` does. */
  queryMpt<T>(key: number, use: (outbox: number) => T): Proc<T> {
    return this.#query(CMD.queryMpt, key, OUTBOX_BYTES.mpt, use);
  }

  /** Leaves the context in `outbox`, as `queryQp` does. */
  queryCq<T>(cqn: number, use: (outbox: number) => T): Proc<T> {
    return this.#query(CMD.queryCq, cqn, OUTBOX_BYTES.cq, use);
  }

  /** Leaves the context in `outbox`, as `queryQp` does. */
  querySrq<T>(srqn: number, use: (outbox: number) => T): Proc<T> {
    return this.#query(CMD.querySrq, srqn, OUTBOX_BYTES.srq, use);
  }

  sw2hwEq(eqn: number, eqc: EqcFields): Proc<void> {
    return this.#run(CMD.sw2hwEq, 0, eqn, (at) => putEqc(this.#bytes, at, eqc));
  }

  hw2swEq(eqn: number): Proc<void> {
    return this.#run(CMD.hw2swEq, 0, eqn, null);
  }

  /** Routes the events in a 64-bit mask, given as halves, to an event queue. */
  mapEq(eqn: number, maskHi: number, maskLo: number): Proc<void> {
    return this.#run(CMD.mapEq, 0, eqn, null, maskHi, maskLo);
  }

  /** One of the MODIFY_QP commands, with the queue pair's attributes as image and `mask` as option mask. */
  modifyQp(opcode: number, qp: HanguQp, state: QpState, mask: number, eventRequest: boolean): Proc<void> {
    const modifier = eventRequest ? (qp.qpn | EVENT_REQUEST) >>> 0 : qp.qpn;
    return this.#run(opcode, 0, modifier, (at) => putQpContext(this.#bytes, at, qp, state, mask, this.#host.addresses));
  }

  /** To ERR or RESET, which needs no context. */
  modifyQpBare(opcode: number, qpn: number): Proc<void> {
    return this.#run(opcode, MODIFY_NO_INBOX, qpn, null);
  }

  /** Leaves the 192-byte context image in `outbox`; `use` reads it before another command can run. */
  queryQp<T>(qpn: number, use: (outbox: number) => T): Proc<T> {
    return this.#query(CMD.queryQp, qpn, OUTBOX_BYTES.qp, use);
  }

  /**
   * Gives a command that must be refused.
   * @param what is asked of the NIC
   * @param statuses with which it may refuse; any other is reported
   * @throws CommandError after reporting, when the command never ends
   */
  *refuse(what: string, attempt: Attempt, statuses: readonly number[]): Proc<void> {
    const { hcr } = this;
    const { opcode, opModifier = 0, modifier = 0, image, inHi = 0, inLo = 0, outbox = false } = attempt;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      hcr.add(opcode, opModifier, modifier, image?.(hcr.image) ?? 0, inHi, inLo, outbox ? OUTBOX_LO : 0);
      this.#checkLife();
      hcr.go();
      yield hcr;
      this.#checkLife();
      if (hcr.status === HCR_NO_ANSWER) this.#judge();
      if (hcr.earlyStatus) this.#tooEarly();
      if (!statuses.includes(hcr.status)) this.#notRefused(what, statuses);
    } finally {
      hcr.clear();
      this.#turn.put();
    }
  }

  /**
   * Writes a command that has no input, and not its go bit: it must not be carried out, which is for the caller to see
   * later. Reports `HCA_CMD_REFUSAL` when the register says that it is, or that it was.
   */
  *prepare(what: string, { opcode, opModifier = 0, modifier = 0 }: Attempt): Proc<void> {
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      this.#checkLife();
      this.hcr.prepare(opcode, opModifier, modifier);
      yield* delay(ENOUGH);
      const word = yield* this.#host.bus.barRead32(BAR.registers, STATUS_OFFSET);
      this.#checkLife();
      if ((word & HCR_GO) !== 0 || word >>> HCR_STATUS_SHIFT !== 0) this.#begun(what, word);
    } finally {
      this.#turn.put();
    }
  }

  #closeOutbox(): void {
    this.#host.area('outbox', 0, OUTBOX_LO, this.#outboxBytes, false);
    this.#outboxBytes = 0;
  }

  /** @throws DeviceFatalError once the NIC was reset */
  #checkLife(): void {
    if (this.#lost !== null) throw this.#lost;
  }

  /** What the NIC is to know of the upper half of an address of host memory. */
  #busHi(physHi: number): number {
    return this.#host.map.busHi?.(physHi) ?? physHi;
  }

  #fillMtt(at: number, firstIndex: number, count: number, source: PageSource): number {
    const size = putMttHeader(this.#bytes, at, firstIndex, count);
    for (let i = 0; i < count; i++) {
      source.next();
      putMttEntry(this.#bytes, at, i, this.#busHi(source.physHi), source.physLo);
    }
    return size;
  }

  /**
   * One command from its turn to its status.
   * @param fill writes the image and returns its size; null for a command without an inbox, which then has
   *   (inHi, inLo) as its input
   * @throws CommandError after reporting, unless the command succeeded
   */
  *#run(
    opcode: number,
    opModifier: number,
    modifier: number,
    fill: ((image: number) => number) | null,
    inHi = 0,
    inLo = 0,
  ): Proc<void> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      hcr.add(opcode, opModifier, modifier, fill === null ? 0 : fill(hcr.image), inHi, inLo);
      yield* this.#perform();
    } finally {
      hcr.clear();
      this.#turn.put();
    }
  }

  *#query<T>(opcode: number, modifier: number, size: number, use: (outbox: number) => T): Proc<T> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    this.#outboxBytes = size;
    this.#host.area('outbox', 0, OUTBOX_LO, size, true);
    this.#host.memory.write(0, OUTBOX_LO, size, this.#blank);
    try {
      hcr.add(opcode, 0, modifier, 0, 0, 0, OUTBOX_LO);
      yield* this.#perform();
      this.#host.memory.read(0, OUTBOX_LO, size, this.outbox);
      if (this.#bytes.equal(this.outbox, this.#blank, size)) this.#noAnswer(size);
      return use(this.outbox);
    } finally {
      // What a NIC had sent before it was reset may still arrive.
      if (this.#lost === null) this.#closeOutbox();
      hcr.clear();
      this.#turn.put();
    }
  }

  /** Carries out the list and empties it. */
  *#performAll(): Proc<void> {
    yield* this.#perform();
    this.hcr.clear();
  }

  /** Carries out the list. A status that came too early is reported, and the list goes on. @throws CommandError */
  *#perform(): Proc<void> {
    const { hcr } = this;
    do {
      const { mailboxes, tables } = this.#host.failedReads;
      this.#checkLife();
      hcr.go();
      yield hcr;
      this.#checkLife();
      if (hcr.trouble) this.#judge(mailboxes, tables);
      else if (this.#host.failedReads.mailboxes > mailboxes) this.#unharmed();
    } while (hcr.left > 0);
  }

  /**
   * Reports what was wrong with the end of a command, but for an internal error of what could not be read.
   * @param mailboxes @param tables reads that had failed when it began
   * @throws CommandError unless the command succeeded
   */
  #judge(mailboxes = Number.POSITIVE_INFINITY, tables = Number.POSITIVE_INFINITY): void {
    const { status, earlyStatus, opcode, modifier } = this.hcr;
    if (earlyStatus) this.#tooEarly();
    if (status === 0) return;
    const name = commandName(opcode);
    const where = `host ${this.#host.host}`;
    const statusName = status === HCR_NO_ANSWER ? 'no answer' : nameOf(status);
    const text = `${name} (modifier ${modifier}) ended with ${statusName}`;
    const { failedReads } = this.#host;
    if (status === CMD_STATUS.internal && (failedReads.mailboxes > mailboxes || failedReads.tables > tables))
      throw new UnreadCommandError(where, name, status, statusName);
    if (status === CMD_STATUS.regionBound && opcode === CMD.hw2swMpt)
      throw new RegionBoundError(where, name, status, statusName);
    if (status === CMD_STATUS.exceedsLimit && opcode === CMD.sw2hwMpt)
      throw new WindowLimitError(where, name, status, statusName);
    if (status === CMD_STATUS.badQpState && isTransition(opcode))
      throw new WrongStateError(where, name, status, statusName, text);
    if (status === HCR_NO_ANSWER) this.#host.error('HCA_CMD_TIMEOUT', () => this.hcr.unansweredText(), this.#subject());
    else this.#host.error('HCA_CMD_STATUS', () => text, this.#subject());
    throw new CommandError(where, name, status, statusName);
  }

  /** What it was given could not be read, and it says that all went well. */
  #unharmed(): void {
    const { opcode, modifier } = this.hcr;
    const text = `ended with OK, although its NIC could not read what it was given; expected ${nameOf(CMD_STATUS.internal)}`;
    this.#host.error('HCA_CMD_STATUS', () => `${commandName(opcode)} (modifier ${modifier}) ${text}`, this.#subject());
  }

  /** @throws CommandError after reporting */
  #noAnswer(size: number): never {
    const { opcode, modifier, status } = this.hcr;
    const name = commandName(opcode);
    const text = `ended with OK, and nothing of its answer of ${size} bytes is at ${hexAddress(0, OUTBOX_LO)}`;
    this.#host.error('HCA_CMD_OUTBOX', () => `${name} (modifier ${modifier}) ${text}`, this.#subject());
    throw new CommandError(`host ${this.#host.host}`, name, status, 'OK and no answer in its outbox');
  }

  #tooEarly(): void {
    const name = commandName(this.hcr.opcode);
    this.#host.error(
      'HCA_CMD_EARLY_STATUS',
      () => `${name}: a status was set before the go bit was cleared`,
      this.#subject(),
    );
  }

  #begun(what: string, word: number): void {
    const register = `the last dword of the command register reads ${hex(word >>> 0)}`;
    const text = (): string => `host ${this.#host.host}: ${what} must not begin, and ${register}`;
    this.#host.error('HCA_CMD_REFUSAL', text, this.#subject());
  }

  #notRefused(what: string, statuses: readonly number[]): void {
    const { status, opcode, modifier } = this.hcr;
    const expected = statuses.map(nameOf).join(' or ');
    const command = `${commandName(opcode)} (modifier ${modifier})`;
    const text = (): string =>
      `host ${this.#host.host}: ${what} must be refused with ${expected}; ${command} ended with ${nameOf(status)}`;
    this.#host.error('HCA_CMD_REFUSAL', text, this.#subject());
  }

  #subject(): CommandSubject {
    return aCommand(this.#host.host, commandName(this.hcr.opcode));
  }
}

function commandName(opcode: number): string {
  return CMD_NAME[opcode] ?? `command ${hex(opcode)}`;
}

function nameOf(status: number): string {
  return CMD_STATUS_NAME[status] ?? `status ${status}`;
}

/** For commands whose outbox is read from `outbox` afterwards. */
function nothing(): void {}

/** What the outbox is filled with before a query, as far as the longest answer goes. */
const BLANK = 0xdb;
const MAX_OUTBOX = Math.max(...Object.values(OUTBOX_BYTES));
/** Bit of in_modifier of RTS2SQD that asks for the SQ_DRAINED event. */
const EVENT_REQUEST = 0x8000_0000;

function moduleOf(table: IcmTable): number {
  return table === 'mtt' || table === 'mpt' ? MAP_MODULE.translation : MAP_MODULE.context;
}
