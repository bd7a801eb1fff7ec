/**
 * The aperture, BAR 2: software reads and writes memory on the card. FULL: the offset in the BAR is the card address. WINDOW: the BAR is a
 * row of windows, each of which shows the sub-window that its register selects when an access arrives. Writes are posted, and
 * change the bytes that are enabled and no others. What lies beyond the card, or in a bank that is not calibrated, reads as all ones,
 * and is not written.
 */
import { CPL_STATUS, type PcieUpstream, Tlp } from '../../nic.ts';
import type { BarHandler, HanguCore } from '../../hangu/model/index.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import type { CardLayout } from '../layout/geometry.ts';
import { CM_ERROR } from '../layout/registers.ts';
import type { CardRegisters } from './cardRegisters.ts';
import type { DdrFabric } from './ddrFabric.ts';

/** What is done later, and what is given back then, or without that. */
interface Waiting {
  readonly go: () => void;
  readonly drop: () => void;
}

export class Aperture implements BarHandler {
  protected readonly core: HanguCore;
  protected readonly fabric: DdrFabric;
  protected readonly layout: CardLayout;
  protected readonly registers: CardRegisters;
  /** Writes that have not reached their banks. */
  #pending = 0;
  #life = 0;
  readonly #waiting: Waiting[] = [];

  constructor(core: HanguCore, fabric: DdrFabric, layout: CardLayout, registers: CardRegisters) {
    this.core = core;
    this.fabric = fabric;
    this.layout = layout;
    this.registers = registers;
  }

  write(t: Tlp): void {
    if (t.poisoned) {
      this.registers.errors |= CM_ERROR.poisoned;
      return;
    }
    const card = this.cardAddress(t);
    if (!this.#canUse(card, t.length)) return;
    const life = this.#life;
    this.#pending++;
    this.fabric.softwareWrite(card, t.length, t.data, { dmaDone: () => this.#written(life) });
  }

  read(t: Tlp, host: PcieUpstream): void {
    const card = this.cardAddress(t);
    if (!this.#canUse(card, t.length)) {
      this.core.bytes.u8.fill(0xff, t.data, t.data + t.length);
      host.complete(t, CPL_STATUS.success);
      return;
    }
    // A read pushes the writes in front of it, whatever banks they are for.
    if (this.isWriting && this.readsWait()) this.whenWritten({ go: () => this.#fetch(t, card, host), drop: () => {} });
    else this.#fetch(t, card, host);
  }

  #fetch(t: Tlp, card: number, host: PcieUpstream): void {
    const life = this.#life;
    this.fabric.softwareRead(card, t.length, t.data, {
      dmaDone: () => {
        if (life === this.#life) host.complete(t, CPL_STATUS.success);
      },
    });
  }

  /** Whether a write has not reached its bank, or somebody waits for such a one. */
  get isWriting(): boolean {
    return this.#pending > 0 || this.#waiting.length > 0;
  }

  /** Does something behind the writes that are under way, or drops it with them when the NIC is reset. */
  whenWritten(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  reset(): void {
    this.#life++;
    this.#pending = 0;
    for (const { drop } of this.#waiting.splice(0)) drop();
  }

  /** Whether a read waits for writes before it; overridable for planting. */
  protected readsWait(): boolean {
    return true;
  }

  /** The card address of an access that arrives now; beyond all bytes where there is none. Overridable for planting. */
  protected cardAddress(t: Tlp): number {
    const { bytes, subWindowBytes, windows } = this.layout;
    const offset = t.hi * TWO_32 + (t.lo >>> 0);
    if (windows === 0) return offset;
    const selected = this.registers.selected[Math.floor(offset / subWindowBytes)];
    return selected === undefined ? bytes : selected * subWindowBytes + (offset % subWindowBytes);
  }

  /** Whether the banks of a range are calibrated; overridable for planting. */
  protected isUsable(card: number, length: number): boolean {
    return this.fabric.isUsable(card, length);
  }

  /** Whether there are such bytes, in a bank that is calibrated; the error register says why not. */
  #canUse(card: number, length: number): boolean {
    if (card + length > this.layout.bytes) this.registers.errors |= CM_ERROR.beyond;
    else if (!this.isUsable(card, length)) this.registers.errors |= CM_ERROR.uncalibrated;
    else return true;
    return false;
  }

  #written(life: number): void {
    if (life !== this.#life || --this.#pending > 0) return;
    for (const { go, drop } of this.#waiting.splice(0)) {
      go();
      drop();
    }
  }
}

/** A BAR whose writes wait for those of the aperture that came before: posted order is kept across BARs. */
export class BehindAperture implements BarHandler {
  protected readonly aperture: Aperture;
  protected readonly core: HanguCore;
  protected readonly inner: BarHandler;

  constructor(core: HanguCore, aperture: Aperture, inner: BarHandler) {
    this.core = core;
    this.aperture = aperture;
    this.inner = inner;
  }

  write(t: Tlp): void {
    if (!this.mustWait()) {
      this.inner.write(t);
      return;
    }
    // The transaction is valid during the call only.
    const { bytes, blocks } = this.core;
    const block = blocks.acquire();
    const later = new Tlp();
    Object.assign(later, { kind: t.kind, bar: t.bar, lo: t.lo, length: t.length, data: blocks.offset(block) });
    bytes.copy(later.data, t.data, t.length);
    this.aperture.whenWritten({
      go: () => this.inner.write(later),
      drop: () => blocks.release(block),
    });
  }

  read(t: Tlp, host: PcieUpstream): void {
    this.inner.read(t, host);
  }

  /** Whether writes of the aperture are under way; overridable for planting. */
  protected mustWait(): boolean {
    return this.aperture.isWriting;
  }
}

/** A BAR whose reads push the writes of the aperture before them, as all reads do. */
export class ReadsBehindAperture implements BarHandler {
  readonly #aperture: Aperture;
  readonly #inner: BarHandler;

  constructor(aperture: Aperture, inner: BarHandler) {
    this.#aperture = aperture;
    this.#inner = inner;
  }

  write(t: Tlp): void {
    this.#inner.write(t);
  }

  read(t: Tlp, host: PcieUpstream): void {
    const go = (): void => this.#inner.read(t, host);
    if (this.#aperture.isWriting) this.#aperture.whenWritten({ go, drop: () => {} });
    else go();
  }
}
