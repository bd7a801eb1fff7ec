/**
 * Memory on the card as payload uses it: accesses are cut into bursts of at most 512 bytes, none across the end of a bank or
 * of a unit, and are done when the last of their bursts is. Writes are not posted: who has asked is told when everybody who
 * reads sees the bytes.
 */
import type { CardMemoryPort, NicContext } from '../../nic.ts';
import type { MemoryClient, MemoryTarget } from '../../roce/memoryTarget.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import { CARD_HI_MASK } from '../layout/addressMap.ts';
import type { CardLayout } from '../layout/geometry.ts';
import { BURST_BYTES } from '../layout/limits.ts';
import type { CardConfig } from '../layout/knobs.ts';
import { BankMap } from './bankMap.ts';
import type { Calibration, Traffic } from './bankState.ts';
import { type BankTiming, DdrBank, MASTER, type Master } from './ddrBank.ts';

const NOBODY: MemoryClient = { dmaDone: () => {} };
const NS = 1000;
const NO_BLOCK = -1;

const CALIBRATED: Calibration = { until: 0, isCalibrated: () => true };

/** An access of several bursts. */
class Access {
  left = 0;
  failed = false;
  /** In the order of asking. */
  number = 0;
  readonly client: MemoryClient;
  readonly arg: number;
  readonly block: number;

  constructor(client: MemoryClient, arg: number, block: number) {
    this.client = client;
    this.arg = arg;
    this.block = block;
  }
}

export class DdrFabric implements MemoryTarget {
  delay = 0;
  readonly isPosted: boolean = false;
  /** By bank. */
  counters: readonly Traffic[] = [];
  /** Which banks can be used: the registers say so. */
  calibration: Calibration = CALIBRATED;
  protected readonly context: NicContext;
  protected readonly layout: CardLayout;
  protected readonly map: BankMap;
  protected readonly banks: readonly DdrBank[];
  /** Set by `connect`. */
  protected port!: CardMemoryPort;
  #life = 0;
  readonly #aperturePs: number;
  /** Accesses that are not done. */
  readonly #accesses = new Set<Access>();
  /** Accesses so far: the number of the next one. */
  #asked = 0;
  /** In the order in which they were asked for. `before`: number of the first access that a fence does not wait for. */
  readonly #fences: { readonly client: MemoryClient; readonly arg: number; readonly before: number }[] = [];

  constructor(context: NicContext, config: CardConfig, layout: CardLayout, map = BankMap, bank = DdrBank) {
    this.context = context;
    this.layout = layout;
    this.map = new map(layout);
    const timing = timingOf(config);
    this.#aperturePs = config.apertureNs * NS;
    this.banks = Array.from(
      { length: layout.banks },
      (_, n) => new bank(`${context.name}.ddr${n}`, context.scheduler, timing),
    );
  }

  connect(port: CardMemoryPort): void {
    this.port = port;
  }

  read(hi: number, lo: number, length: number, dst: number, client: MemoryClient, arg = 0): void {
    this.#ask(MASTER.send, false, cardAddress(hi, lo), length, dst, new Access(client, arg, NO_BLOCK));
  }

  write(hi: number, lo: number, length: number, src: number, block: number, client = NOBODY, arg = 0): void {
    this.context.blocks.retain(block);
    this.#ask(MASTER.receive, true, cardAddress(hi, lo), length, src, new Access(client, arg, block));
  }

  writeCopy(hi: number, lo: number, length: number, src: number, client = NOBODY, arg = 0): void {
    const { blocks, bytes } = this.context;
    const block = blocks.acquire();
    bytes.copy(blocks.offset(block), src, length);
    this.#ask(MASTER.receive, true, cardAddress(hi, lo), length, blocks.offset(block), new Access(client, arg, block));
  }

  endCopies(): void {}

  /**
   * Software writes bytes through the aperture: they are copied, and reach their banks after the latency of the aperture.
   * @param card below the bytes of all banks
   */
  softwareWrite(card: number, length: number, src: number, client: MemoryClient): void {
    const { blocks, bytes, scheduler } = this.context;
    const block = blocks.acquire();
    const life = this.#life;
    bytes.copy(blocks.offset(block), src, length);
    scheduler.schedule(this.#aperturePs, {
      fullName: this.context.name,
      fire: () => {
        if (life !== this.#life) blocks.release(block);
        else
          this.#ask(
            MASTER.aperture,
            true,
            this.arrivesAt(card),
            length,
            blocks.offset(block),
            new Access(client, 0, block),
          );
      },
    });
  }

  /** Software reads them, to byte-store offset `dst`. */
  softwareRead(card: number, length: number, dst: number, client: MemoryClient): void {
    this.#ask(MASTER.aperture, false, card, length, dst, new Access(client, 0, NO_BLOCK));
  }

  /** Whether all banks are calibrated that a range of card addresses lies in. */
  isUsable(card: number, length: number): boolean {
    if (this.context.scheduler.now >= this.calibration.until) return true;
    for (let at = card; at < card + length; at += this.map.together(at)) {
      this.map.locate(at);
      if (!this.calibration.isCalibrated(this.map.bank)) return false;
    }
    return true;
  }

  fence(client: MemoryClient, arg = 0): void {
    if (this.#accesses.size === 0) client.dmaDone(arg, true);
    else this.#fences.push({ client, arg, before: this.#asked });
  }

  reset(): void {
    this.#life++;
    for (const bank of this.banks) bank.reset();
    for (const { block } of this.#accesses) if (block !== NO_BLOCK) this.context.blocks.release(block);
    this.#accesses.clear();
    this.#fences.length = 0;
  }

  /** Cuts an access into bursts and hands them to the banks. */
  #ask(master: Master, isWrite: boolean, card: number, length: number, bytes: number, access: Access): void {
    const { scheduler } = this.context;
    access.number = this.#asked++;
    this.#accesses.add(access);
    if (card + length > this.layout.bytes || !this.isUsable(card, length)) {
      this.#refuse(access);
      return;
    }
    const readyAt = scheduler.now + this.delay;
    // Of one that is done at once the others must have been counted.
    access.left = 1;
    for (let at = 0; at < length; ) {
      const from = card + at;
      const n = Math.min(length - at, BURST_BYTES - (from % BURST_BYTES), this.map.together(from));
      this.map.locate(from);
      const { bank, offset } = this.map;
      const place = bytes + at;
      access.left++;
      const end = (): void => this.#end(access);
      const done = (): void => {
        const counter = this.counters[bank];
        if (counter !== undefined) counter[isWrite ? 'written' : 'read'] += n;
        if (isWrite) this.storeBurst(bank, offset, n, place);
        else this.port.read(bank, offset, n, place);
        end();
      };
      (this.banks[bank] as DdrBank).ask({ master, isWrite, offset, length: n, readyAt, done, end });
      at += n;
    }
    access.left = 1 + this.burstsToWaitFor(isWrite, access.left - 1);
    this.#end(access);
  }

  /** Where a write of software goes when it leaves the aperture; overridable for planting. */
  protected arrivesAt(card: number): number {
    return card;
  }

  /** A burst reaches its bank; overridable for planting. */
  protected storeBurst(bank: number, offset: number, length: number, src: number): void {
    this.port.write(bank, offset, length, src);
  }

  /** Bursts of an access that must be done before it is; overridable for planting. */
  protected burstsToWaitFor(_isWrite: boolean, bursts: number): number {
    return bursts;
  }

  /** Of an address that no bank has: fails, and says so later. */
  #refuse(access: Access): void {
    const life = this.#life;
    access.left = 1;
    access.failed = true;
    this.context.scheduler.schedule(0, {
      fullName: this.context.name,
      fire: () => life === this.#life && this.#end(access),
    });
  }

  /** Number of the oldest access that is not done. */
  #oldest(): number {
    for (const { number } of this.#accesses) return number;
    return this.#asked;
  }

  #end(access: Access): void {
    if (--access.left !== 0) return;
    this.#accesses.delete(access);
    if (access.block !== NO_BLOCK) this.context.blocks.release(access.block);
    access.client.dmaDone(access.arg, !access.failed);
    for (let first = this.#fences[0]; first !== undefined && this.#oldest() >= first.before; first = this.#fences[0]) {
      this.#fences.shift();
      first.client.dmaDone(first.arg, true);
    }
  }
}

/** 34 bits of an address, as a number. */
function cardAddress(hi: number, lo: number): number {
  return (hi & CARD_HI_MASK) * TWO_32 + (lo >>> 0);
}

function timingOf({ ddrPeakMbps, ddrEfficiencyPct, ddrLatencyNs, ddrTurnaroundNs, ddrBatch }: CardConfig): BankTiming {
  const bitsPerSecond = (ddrPeakMbps * 1e6 * ddrEfficiencyPct) / 100;
  return {
    bytePs: 8e12 / bitsPerSecond,
    latency: ddrLatencyNs * NS,
    turnaround: ddrTurnaroundNs * NS,
    batch: ddrBatch,
  };
}
