/** Registers of the card, behind those of HanGu in BAR 0. */
import type { PcieUpstream, Tlp } from '../../nic.ts';
import { answerDword, type BarHandler, type HanguCore } from '../../hangu/model/index.ts';
import { type CardLayout, SUB_WINDOWS } from '../layout/geometry.ts';
import { PORTS } from '../layout/limits.ts';
import { APERTURE, CM, CM_BASE, CM_BYTES, CM_ERROR, CM_ID } from '../layout/registers.ts';
import type { Calibration, Traffic } from './bankState.ts';

const GID_BYTES = 16;
const BANK_BITS = 0xf;
const LINKS_UP = 0xf0;
const INTERLEAVED = 0x10;

export class CardRegisters implements BarHandler, Calibration {
  /** By bank, and by port: what was received is `read`. */
  readonly banks: readonly Traffic[];
  readonly ports: readonly Traffic[] = Array.from({ length: PORTS }, () => ({ read: 0, written: 0 }));
  /** `CM_ERROR` bits. */
  errors = 0;
  /** Sub-window that each window shows. */
  readonly selected: number[];
  protected readonly core: HanguCore;
  readonly #layout: CardLayout;
  readonly #others: BarHandler;
  readonly #calibrationPs: number;
  /** When each bank is calibrated, ps. */
  readonly #calibratedAt: number[];

  /** @param others what is in front of them in the BAR. @param calibrationPs what a bank takes until it is calibrated */
  constructor(core: HanguCore, layout: CardLayout, others: BarHandler, calibrationPs: number) {
    this.selected = Array.from({ length: layout.windows }, () => 0);
    this.#calibrationPs = calibrationPs;
    this.#calibratedAt = Array.from({ length: layout.banks }, () => core.scheduler.now + calibrationPs);
    this.core = core;
    this.#layout = layout;
    this.#others = others;
    this.banks = Array.from({ length: layout.banks }, () => ({ read: 0, written: 0 }));
  }

  write(t: Tlp): void {
    if (!isOwn(t)) {
      this.#others.write(t);
      return;
    }
    if ((t.lo & 3) !== 0 || (t.length & 3) !== 0) return;
    for (let i = 0; i < t.length; i += 4) this.#register(t.lo - CM_BASE + i, wordAt(this.core.bytes.u8, t.data + i));
  }

  read(t: Tlp, host: PcieUpstream): void {
    if (isOwn(t)) answerDword(this.core.bytes, t, host, this.valueAt(t.lo - CM_BASE));
    else this.#others.read(t, host);
  }

  reset(): void {
    this.errors = 0;
    this.selected.fill(0);
    this.#calibrate(BANK_BITS);
    for (const counter of [...this.banks, ...this.ports]) Object.assign(counter, { read: 0, written: 0 });
  }

  get until(): number {
    return Math.max(...this.#calibratedAt);
  }

  isCalibrated(bank: number): boolean {
    return this.core.scheduler.now >= (this.#calibratedAt[bank] ?? 0);
  }

  /** Overridable for planting. */
  protected valueAt(at: number): number {
    const { banks, bytes, interleave, subWindowBytes, windows } = this.#layout;
    const mode = windows === 0 ? APERTURE.full : APERTURE.window;
    if (at === CM.id) return CM_ID;
    if (at === CM.caps)
      return Math.log2(subWindowBytes) | (Math.log2(bytes) << 8) | (windows << 16) | (banks << 20) | (PORTS << 24);
    if (at === CM.mode) return mode | (interleave === 0 ? 0 : INTERLEAVED | (Math.log2(interleave) << 8));
    if (at === CM.status) return this.#calibratedBanks() | LINKS_UP;
    if (at === CM.errors) return this.errors;
    const select = this.selected[(at - CM.select) / 4];
    if (select !== undefined) return select;
    return counted(this.banks, at - CM.banks) ?? counted(this.ports, at - CM.ports) ?? this.#gidWord(at)?.value ?? 0;
  }

  #register(at: number, value: number): void {
    if (at === CM.errors) this.errors &= ~value;
    if (at === CM.status) this.#calibrate(value & BANK_BITS);
    const window = (at - CM.select) / 4;
    if (this.selected[window] !== undefined) this.select(window, value);
    const word = this.#gidWord(at);
    if (word !== undefined) word.gid[word.index] = value;
  }

  /** A window shows another sub-window; a value with reserved bits changes nothing. Overridable for planting. */
  protected select(window: number, value: number): void {
    if ((value & ~(SUB_WINDOWS - 1)) === 0) this.selected[window] = value;
    else this.errors |= CM_ERROR.select;
  }

  #calibratedBanks(): number {
    return this.#calibratedAt.reduce((bits, _, bank) => (this.isCalibrated(bank) ? bits | (1 << bank) : bits), 0);
  }

  #calibrate(banks: number): void {
    const at = this.core.scheduler.now + this.#calibrationPs;
    for (const bank of this.#calibratedAt.keys()) if (((banks >> bank) & 1) === 1) this.#calibratedAt[bank] = at;
  }

  #gidWord(at: number): { readonly gid: Int32Array; readonly index: number; readonly value: number } | undefined {
    const gid = this.core.portGids[Math.floor((at - CM.gids) / GID_BYTES)];
    const index = (at & (GID_BYTES - 1)) >> 2;
    return gid === undefined ? undefined : { gid, index, value: gid[index] as number };
  }
}

function isOwn({ lo }: Tlp): boolean {
  return lo >= CM_BASE && lo < CM_BASE + CM_BYTES;
}

/** Counter at an offset from the first one; undefined where there is none. */
function counted(counters: readonly Traffic[], at: number): number | undefined {
  const counter = counters[Math.floor(at / 8)];
  if (counter === undefined) return undefined;
  return ((at & 4) === 0 ? counter.read : counter.written) | 0;
}

function wordAt(m: Uint8Array, at: number): number {
  return (
    (m[at] as number) | ((m[at + 1] as number) << 8) | ((m[at + 2] as number) << 16) | ((m[at + 3] as number) << 24)
  );
}
