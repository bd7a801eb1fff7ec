/** Registers of the card, behind those of HanGu in BAR 0. */
import type { PcieUpstream, Tlp } from '../../nic.ts';
import { answerDword, type BarHandler, type HanguCore } from '../../hangu/model/index.ts';
import type { CardLayout } from '../layout/geometry.ts';
import { PORTS } from '../layout/limits.ts';
import { APERTURE, CM, CM_BASE, CM_BYTES, CM_ID } from '../layout/registers.ts';

const GID_BYTES = 16;
const CALIBRATED = 0xf;
const LINKS_UP = 0xf0;
const INTERLEAVED = 0x10;

/** Bytes that were moved, for the counters. */
export interface Traffic {
  read: number;
  written: number;
}

export class CardRegisters implements BarHandler {
  /** By bank, and by port: what was received is `read`. */
  readonly banks: readonly Traffic[];
  readonly ports: readonly Traffic[] = Array.from({ length: PORTS }, () => ({ read: 0, written: 0 }));
  /** `CM_ERROR` bits. */
  errors = 0;
  readonly #core: HanguCore;
  readonly #layout: CardLayout;
  readonly #others: BarHandler;

  /** @param others what is in front of them in the BAR */
  constructor(core: HanguCore, layout: CardLayout, others: BarHandler) {
    this.#core = core;
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
    for (let i = 0; i < t.length; i += 4) this.#register(t.lo - CM_BASE + i, wordAt(this.#core.bytes.u8, t.data + i));
  }

  read(t: Tlp, host: PcieUpstream): void {
    if (isOwn(t)) answerDword(this.#core.bytes, t, host, this.valueAt(t.lo - CM_BASE));
    else this.#others.read(t, host);
  }

  reset(): void {
    this.errors = 0;
    for (const counter of [...this.banks, ...this.ports]) Object.assign(counter, { read: 0, written: 0 });
  }

  /** Overridable for planting. */
  protected valueAt(at: number): number {
    const { banks, bytes, interleave, subWindowBytes } = this.#layout;
    if (at === CM.id) return CM_ID;
    if (at === CM.caps) return Math.log2(subWindowBytes) | (Math.log2(bytes) << 8) | (banks << 20) | (PORTS << 24);
    if (at === CM.mode) return APERTURE.full | (interleave === 0 ? 0 : INTERLEAVED | (Math.log2(interleave) << 8));
    if (at === CM.status) return CALIBRATED | LINKS_UP;
    if (at === CM.errors) return this.errors;
    return counted(this.banks, at - CM.banks) ?? counted(this.ports, at - CM.ports) ?? this.#gidWord(at)?.value ?? 0;
  }

  #register(at: number, value: number): void {
    if (at === CM.errors) this.errors &= ~value;
    const word = this.#gidWord(at);
    if (word !== undefined) word.gid[word.index] = value;
  }

  #gidWord(at: number): { readonly gid: Int32Array; readonly index: number; readonly value: number } | undefined {
    const gid = this.#core.portGids[Math.floor((at - CM.gids) / GID_BYTES)];
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
