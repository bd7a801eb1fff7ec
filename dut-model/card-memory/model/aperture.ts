/**
 * The aperture, BAR 2: software reads and writes memory on the card, FULL: the offset in the BAR is the card address. Writes are
 * posted, and change the bytes that are enabled and no others. What lies beyond the card reads as all ones, and is not written.
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
  readonly #layout: CardLayout;
  readonly #registers: CardRegisters;
  /** Writes that have not reached their banks. */
  #pending = 0;
  #life = 0;
  readonly #waiting: Waiting[] = [];

  constructor(core: HanguCore, fabric: DdrFabric, layout: CardLayout, registers: CardRegisters) {
    this.core = core;
    this.fabric = fabric;
    this.#layout = layout;
    this.#registers = registers;
  }

  write(t: Tlp): void {
    if (t.poisoned) {
      this.#registers.errors |= CM_ERROR.poisoned;
      return;
    }
    const card = this.cardAddress(t);
    if (card + t.length > this.#layout.bytes) {
      this.#registers.errors |= CM_ERROR.beyond;
      return;
    }
    const life = this.#life;
    this.#pending++;
    this.fabric.softwareWrite(card, t.length, t.data, { dmaDone: () => this.#written(life) });
  }

  read(t: Tlp, host: PcieUpstream): void {
    const card = this.cardAddress(t);
    if (card + t.length > this.#layout.bytes) {
      this.#registers.errors |= CM_ERROR.beyond;
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

  /** Overridable for planting. */
  protected cardAddress(t: Tlp): number {
    return t.hi * TWO_32 + (t.lo >>> 0);
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
