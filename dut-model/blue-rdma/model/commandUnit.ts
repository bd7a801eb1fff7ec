/** Executes the commands of the driver one at a time, in order, and answers each (blue-rdma.md section 5.4). */
import {
  COMMAND,
  COMMAND_OPCODE,
  DESCRIPTOR_WORDS,
  FLOOR_COMMAND,
  HEADER,
  MR_COMMAND,
  NETWORK_COMMAND,
  PAGE_COMMAND,
  QP_COMMAND,
  RAW_COMMAND,
} from '../layout/descriptors.ts';
import { INDEX_SHIFT, STRIDE } from '../layout/limits.ts';
import { READ_BLOCK } from '../layout/registers.ts';
import type { EventHandler } from '../../../uvm/kernel/scheduler.ts';
import type { DmaClient } from '../../roce/dmaEngine.ts';
import type { BlueCore } from './core.ts';
import type { DescriptorSink } from './fetchRing.ts';
import type { MrTable } from './mrTable.ts';
import type { PsnWindows } from './psnWindows.ts';
import type { QpTable } from './qpTable.ts';
import type { ReportRing, ReportUser } from './reportRing.ts';

/** What a command changes. */
export interface CommandTargets {
  readonly qps: QpTable;
  readonly mrs: MrTable;
  readonly windows: PsnWindows;
  /** A queue pair has become valid: it begins with nothing received and nothing reported. */
  qpBegins(index: number): void;
  setRawSlots(hi: number, lo: number): void;
  /** Calls `then` once the send unit has been given all that it is reading now. */
  afterReads(then: () => void): void;
}

/** Most commands that wait to be executed. */
const WAITING = 2 * READ_BLOCK;
const PAGE_ENTRY_BYTES = 8;
const MOST_PAGES = 512;

export class CommandUnit implements DescriptorSink, EventHandler, DmaClient, ReportUser {
  protected readonly core: BlueCore;
  protected readonly targets: CommandTargets;
  /** Both set once after construction. */
  responses!: ReportRing;
  more!: () => void;
  /** Commands that wait, eight words each; the first one is being executed. */
  readonly #queue = new Int32Array(WAITING * DESCRIPTOR_WORDS);
  #first = 0;
  #count = 0;
  #busy = false;
  #life = 0;
  readonly #pages: number;

  constructor(core: BlueCore, targets: CommandTargets) {
    this.core = core;
    this.targets = targets;
    this.#pages = core.bytes.alloc(MOST_PAGES * PAGE_ENTRY_BYTES);
  }

  reset(): void {
    this.#count = 0;
    this.#busy = false;
    this.#life++;
  }

  hasRoom(): boolean {
    return this.#count + READ_BLOCK <= WAITING;
  }

  take(_ring: number, at: number): void {
    const to = ((this.#first + this.#count++) % WAITING) * DESCRIPTOR_WORDS;
    const from = at >>> 2;
    const w = this.core.bytes.i32;
    for (let i = 0; i < DESCRIPTOR_WORDS; i++) this.#queue[to + i] = w[from + i] as number;
  }

  taken(): void {
    this.#next();
  }

  roomForReports(): void {
    this.#next();
  }

  fire(life: number): void {
    if (life === this.#life) this.#execute();
  }

  /** The array of page addresses is here. */
  dmaDone(_arg: number, ok: boolean): void {
    if (ok) this.storePages(this.word(PAGE_COMMAND.first), this.word(PAGE_COMMAND.countMinusOne) + 1, this.#pages);
    this.#respond(ok);
  }

  /** Word of the command that is being executed. */
  protected word(n: number): number {
    return this.#queue[this.#first * DESCRIPTOR_WORDS + n] as number;
  }

  /** Takes page addresses at a byte-store offset into the table; overridable for planting. */
  protected storePages(first: number, count: number, at: number): void {
    const w = this.core.bytes.i32;
    for (let i = 0; i < count; i++) {
      const entry = (at >>> 2) + 2 * i;
      this.targets.mrs.setPage(first + i, w[entry + 1] as number, w[entry] as number);
    }
  }

  /** Whether a command for a queue pair starts its window anew; overridable for planting. */
  protected begins(wasValid: boolean, valid: boolean): boolean {
    return valid && !wasValid;
  }

  /** Overridable for planting. */
  protected updateMr(): boolean {
    const w0 = this.word(0);
    return this.targets.mrs.set(
      this.word(MR_COMMAND.key),
      this.word(MR_COMMAND.baseLo + 1),
      this.word(MR_COMMAND.baseLo),
      this.word(MR_COMMAND.length) >>> 0,
      (w0 >>> MR_COMMAND.accessShift) & 0xff,
      (w0 >>> MR_COMMAND.pageShift) & MR_COMMAND.pageMask,
    );
  }

  #next(): void {
    if (this.#busy || this.#count === 0 || !this.responses.hasRoom(1)) return;
    this.#busy = true;
    this.core.scheduler.schedule(this.core.cycles(this.core.config.commandCycles), this, this.#life);
  }

  #execute(): void {
    const opcode = (this.word(HEADER.word) >>> HEADER.opcodeShift) & HEADER.opcodeMask;
    switch (opcode) {
      case COMMAND_OPCODE.updateMrTable:
        this.#updateMr();
        break;
      case COMMAND_OPCODE.updatePageTable:
        this.#readPages();
        break;
      case COMMAND_OPCODE.manageQp:
        this.#changeQp();
        break;
      case COMMAND_OPCODE.setNetwork:
        this.#respond(this.#setNetwork());
        break;
      case COMMAND_OPCODE.setRawReceive:
        this.targets.setRawSlots(this.word(RAW_COMMAND.baseHi), this.word(RAW_COMMAND.baseLo));
        this.#respond(true);
        break;
      case COMMAND_OPCODE.setPsnFloor:
        this.#respond(this.#setFloor());
        break;
      default:
        this.#respond(false);
    }
  }

  #readPages(): void {
    const count = (this.word(PAGE_COMMAND.countMinusOne) >>> 0) + 1;
    const first = this.word(PAGE_COMMAND.first) >>> 0;
    if (count > MOST_PAGES || first + count > this.targets.mrs.pages) {
      this.#respond(false);
      return;
    }
    const { addressHi, addressLo } = PAGE_COMMAND;
    this.core.dma.read(this.word(addressHi), this.word(addressLo), count * PAGE_ENTRY_BYTES, this.#pages, this);
  }

  /** Who takes a region away may use its memory once that is answered: the NIC reads nothing of it any more. */
  #updateMr(): void {
    const ok = this.updateMr();
    if (this.word(MR_COMMAND.length) === 0) this.#respondAfterReads(ok);
    else this.#respond(ok);
  }

  /** The same of the regions of requests, of a queue pair that sends no more. */
  #changeQp(): void {
    const ok = this.#manageQp();
    const flags = this.word(QP_COMMAND.qpn);
    const sends = (flags & QP_COMMAND.valid) !== 0 && (flags & QP_COMMAND.error) === 0;
    if (sends) this.#respond(ok);
    else this.#respondAfterReads(ok);
  }

  #respondAfterReads(ok: boolean): void {
    const life = this.#life;
    this.targets.afterReads(() => {
      if (life === this.#life) this.#respond(ok);
    });
  }

  #manageQp(): boolean {
    const { qps } = this.targets;
    const flags = this.word(QP_COMMAND.qpn);
    const qpn = flags & 0xff_ffff;
    const index = qpn >>> INDEX_SHIFT;
    if (index === 0 || index >= qps.entries) return false;
    const valid = (flags & QP_COMMAND.valid) !== 0;
    const startPsn = this.word(QP_COMMAND.startPsn) & 0xff_ffff;
    if (valid && (startPsn & (STRIDE - 1)) !== 0) return false;
    const wasValid = qps.valid[index] === 1;
    const w1 = this.word(QP_COMMAND.macHighAndPort);
    const w2 = this.word(2);
    const w3 = this.word(3);
    qps.valid[index] = valid ? 1 : 0;
    qps.error[index] = (flags & QP_COMMAND.error) === 0 ? 0 : 1;
    qps.qpn[index] = qpn;
    qps.peerQpn[index] = w3 >>> 8;
    qps.type[index] = w2 >>> QP_COMMAND.typeShift;
    qps.access[index] = w3 & QP_COMMAND.accessMask;
    qps.pmtuCode[index] = (w2 >>> QP_COMMAND.pmtuShift) & 7;
    qps.port[index] = w1 >>> 16;
    qps.macHigh[index] = w1 & 0xffff;
    qps.macLow[index] = this.word(QP_COMMAND.macLow);
    qps.ip[index] = this.word(QP_COMMAND.peerIp);
    if (this.begins(wasValid, valid)) {
      qps.floorSet[index] = 0;
      this.targets.windows.reset(index, startPsn);
      this.targets.qpBegins(index);
    }
    return true;
  }

  #setNetwork(): boolean {
    const { core } = this;
    const high = this.word(NETWORK_COMMAND.macHigh);
    core.macHigh = high >>> 16;
    core.macLow = (high << 16) | (this.word(NETWORK_COMMAND.macLow) >>> 16);
    core.ip = this.word(NETWORK_COMMAND.ip);
    core.ready = true;
    return true;
  }

  #setFloor(): boolean {
    const { qps } = this.targets;
    const index = qps.find(this.word(FLOOR_COMMAND.qpn) & 0xff_ffff);
    if (index < 0) return false;
    qps.floor[index] = this.word(FLOOR_COMMAND.floor) & 0xff_ffff;
    qps.floorSet[index] = 1;
    return true;
  }

  /** Answers the command with a copy of it, and goes on to the next one. */
  #respond(ok: boolean): void {
    const w7 = this.word(HEADER.word);
    const at = this.responses.begin((w7 >>> HEADER.opcodeShift) & HEADER.opcodeMask, false);
    const w = this.core.bytes.i32;
    for (let i = 0; i < HEADER.word; i++) w[at + i] = this.word(i);
    w[at + HEADER.word] = (w[at + HEADER.word] as number) | (w7 & COMMAND.tagMask) | (ok ? COMMAND.success : 0);
    this.responses.written();
    this.#first = (this.#first + 1) % WAITING;
    this.#count--;
    this.#busy = false;
    this.more();
    this.#next();
  }
}
