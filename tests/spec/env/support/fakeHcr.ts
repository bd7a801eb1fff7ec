/**
 * A NIC reduced to its registers: takes commands, keeps each with the bytes of its inbox, answers queries from what
 * it was told, and notes doorbells. Time passes, nothing else happens.
 */

import { BAR, REG } from '../../../../dut-model/hangu/layout/addressMap.ts';
import { BOARD_ID_HI, BOARD_ID_LO, CMD, CMD_NAME, HCR_GO } from '../../../../dut-model/hangu/layout/commands.ts';
import type { BarReader } from '../../../../agents/pcie/barRead.ts';
import type { HostBus } from '../../../../env/providers/hostBus.ts';
import type { HostMemory } from '../../../../env/memory/hostMemory.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import type { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

/** One command as the NIC saw it. */
export interface SeenCommand {
  readonly name: string;
  readonly opcode: number;
  /** HCR dwords 0 .. 6 as eight hex digits each. */
  readonly hcr: readonly string[];
  readonly modifier: number;
  readonly opModifier: number;
  /** Inbox bytes in hex, two digits each; empty without an inbox. */
  readonly inbox: string;
}

/** One write to the doorbell BAR. */
export interface SeenDoorbell {
  readonly offset: number;
  readonly words: readonly number[];
}

const QP_COMMANDS: readonly number[] = [
  CMD.rst2init,
  CMD.init2init,
  CMD.init2rtr,
  CMD.rtr2rts,
  CMD.rts2rts,
  CMD.rts2sqd,
];

/** Of a read, ps. */
const ROUND_TRIP = 100;

export class FakeHcr implements HostBus {
  readonly commands: SeenCommand[] = [];
  readonly doorbells: SeenDoorbell[] = [];
  readonly registerWrites: SeenDoorbell[] = [];
  /** Polls that see the go bit before it clears. */
  busyPolls = 0;
  /** Polls before them that read nothing but ones, as those do that fail. */
  failingPolls = 0;
  /** Status that they see with it. */
  earlyStatus = 0;
  /** Bytes of an ICM entry that QUERY_DEV_LIM returns: QPC, CQC, EQC, MPT. */
  entrySizes: readonly number[] = [256, 64, 64, 64];
  /** Status of commands by opcode; absent = OK. */
  readonly status = new Map<number, number>();
  /** Commands that are answered with a status alone, by opcode. */
  readonly unanswered = new Set<number>();
  /** Changes a QUERY_QP image before it is returned. */
  tamper: ((image: Uint8Array) => void) | null = null;

  readonly #memory: HostMemory;
  readonly #scheduler: Scheduler;
  readonly #hcr = new Int32Array(7);
  readonly #contexts = new Map<number, Uint8Array>();
  readonly #scratch: number;
  #polls = 0;

  constructor(memory: HostMemory, scheduler: Scheduler) {
    this.#memory = memory;
    this.#scheduler = scheduler;
    this.#scratch = memory.bytes.alloc(4096);
  }

  barWrite(bar: number, offset: number, words: readonly number[]): void {
    if (bar === BAR.doorbell) this.doorbells.push({ offset, words: words.map((w) => w >>> 0) });
    else if (offset < REG.hcr + 28) this.#register((offset - REG.hcr) / 4, words[0] as number);
    else this.registerWrites.push({ offset, words: [...words] });
  }

  barWriteEach(bar: number, offset: number, words: readonly number[]): void {
    for (let i = 0; i < words.length; i++) this.barWrite(bar, offset + 4 * i, [words[i] as number]);
  }

  barWrite64(bar: number, offset: number, first: number, second: number): void {
    this.barWrite(bar, offset, [first, second]);
  }

  *barRead32(_bar: number, offset: number): Proc<number> {
    yield ROUND_TRIP;
    return this.#answerRead(offset);
  }

  memoryWrite(): void {}

  *memoryRead(): Proc<void> {}

  readonly bars = [];

  *enumerate(): Proc<void> {}

  *relocate(): Proc<void> {}

  configRead(): never {
    throw new Error('there is no configuration space here');
  }

  thread(): never {
    throw new Error('no thread accesses a BAR here');
  }

  barReadTo(_bar: number, offset: number, sink: BarReader, arg: number): void {
    this.#scheduler.schedule(ROUND_TRIP, { fire: () => sink.barRead(arg, this.#answerRead(offset)) }, 0);
  }

  #answerRead(offset: number): number {
    if (offset !== REG.hcr + 24) return 0;
    const poll = this.#polls++ - this.failingPolls;
    if (poll < 0) return 0xffff_ffff;
    if (poll < this.busyPolls) return (HCR_GO | (this.earlyStatus << 24)) >>> 0;
    return ((this.status.get(this.#opcode) ?? 0) << 24) >>> 0;
  }

  /** Names in order, the completion of each query included. */
  get names(): string[] {
    return this.commands.map((c) => c.name);
  }

  get #opcode(): number {
    return (this.#hcr[6] as number) & 0xfff;
  }

  #register(index: number, value: number): void {
    this.#hcr[index] = value;
    if (index === 6) this.#start();
  }

  #start(): void {
    this.#polls = 0;
    const [inHi, inLo, modifier, , outLo] = this.#hcr as unknown as [number, number, number, number, number];
    const opcode = this.#opcode;
    const inbox =
      takesInbox(opcode) && inLo !== 0 ? this.#read(inHi, inLo, inboxBytes(opcode, modifier)) : new Uint8Array(0);
    this.commands.push({
      name: CMD_NAME[opcode] ?? String(opcode),
      opcode,
      hcr: [...this.#hcr].map((v) => (v >>> 0).toString(16).padStart(8, '0')),
      modifier,
      opModifier: ((this.#hcr[6] as number) >>> 12) & 0xff,
      inbox: hex(inbox),
    });
    if (QP_COMMANDS.includes(opcode)) this.#contexts.set(modifier & 0xff_ffff, inbox);
    if (outLo !== 0 && !this.unanswered.has(opcode)) this.#answer(opcode, modifier, outLo);
  }

  #answer(opcode: number, modifier: number, outLo: number): void {
    const image = new Uint8Array(opcode === CMD.queryQp ? 192 : 64);
    const view = new DataView(image.buffer);
    if (opcode === CMD.queryQp) image.set(this.#contexts.get(modifier) ?? image);
    if (opcode === CMD.queryAdapter) {
      view.setUint32(24, BOARD_ID_HI);
      view.setUint32(28, BOARD_ID_LO);
    }
    if (opcode === CMD.queryDevLim) {
      image.set([0, 15, 0, 15, 14, 13, 5, 17], 8);
      image[33] = 5 << 4;
      image[41] = 16;
      this.entrySizes.forEach((size, i) => {
        view.setUint16(24 + 2 * i, size);
      });
    }
    if (opcode === CMD.queryQp) this.tamper?.(image);
    this.#memory.bytes.u8.set(image, this.#scratch);
    this.#memory.write(0, outLo, image.length, this.#scratch);
  }

  #read(hi: number, lo: number, length: number): Uint8Array {
    this.#memory.read(hi, lo, length, this.#scratch);
    return this.#memory.bytes.u8.slice(this.#scratch, this.#scratch + length);
  }
}

/** Bytes as two hex digits each, separated by blanks. */
export function hex(bytes: Uint8Array): string {
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join(' ');
}

function takesInbox(opcode: number): boolean {
  return opcode !== CMD.unmapIcm && opcode !== CMD.mapEq;
}

function inboxBytes(opcode: number, modifier: number): number {
  if (opcode === CMD.mapIcm) return 32 * Math.ceil(modifier / 2);
  if (opcode === CMD.writeMtt) return 32 + 32 * Math.ceil(modifier / 4);
  return QP_COMMANDS.includes(opcode) ? 192 : 64;
}
