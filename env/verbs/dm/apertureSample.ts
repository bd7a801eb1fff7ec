/**
 * Before a device is closed, software reads some lines of its memory through the aperture, by the rules of the driver: each must be what
 * the chips hold. Which ones is drawn: a hundredth of all lines in pages that are used, within bounds.
 */
import { CARD_SPACE_HI } from '../../../agents/ddr/cardGeometry.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import type { DeviceMemoryDriver } from '../../providers/deviceMemoryDriver.ts';
import type { HostMemory } from '../../memory/hostMemory.ts';

const LINE = 64;
const PAGE_BYTES = 4096;
const SHARE = 0.01;
const FEWEST = 8;
const MOST = 64;

export interface ApertureSampleParts {
  readonly driver: DeviceMemoryDriver;
  readonly memory: HostMemory;
  readonly random: FastStream;
  /** What the chips hold at a card address of some bytes within a page. */
  peek(card: number, length: number): Uint8Array;
  /** Whether the device is up still. */
  isUp(): boolean;
  /** Software has read a line otherwise. */
  differs(text: string): void;
}

export class ApertureSample {
  readonly #parts: ApertureSampleParts;

  constructor(parts: ApertureSampleParts) {
    this.#parts = parts;
  }

  /** Nothing is read of a card with a bank that is not calibrated. */
  *take(): Proc<void> {
    const { driver, isUp, peek, differs } = this.#parts;
    const cards = this.#lines();
    if (cards.length === 0 || !(yield* driver.isCalibrated())) return;
    for (const card of cards) {
      const before = peek(card, LINE);
      const read = yield* driver.readCard(card, LINE);
      // A reset of the NIC ends the access.
      if (!isUp()) return;
      const after = peek(card, LINE);
      const bad = read.findIndex((byte, i) => byte !== before[i] && byte !== after[i]);
      if (bad < 0) continue;
      const held = `the chips hold ${after[bad]}`;
      differs(`card address ${card + bad}: software reads ${read[bad]} through the aperture, and ${held}`);
    }
  }

  /** Card addresses of the lines. */
  #lines(): number[] {
    const { memory, random } = this.#parts;
    const pages: number[] = [];
    memory.forEachPage((hi, page) => {
      if ((hi & CARD_SPACE_HI) !== 0) pages.push((hi & ~CARD_SPACE_HI) * TWO_32 + page * PAGE_BYTES);
    });
    if (pages.length === 0) return [];
    const perPage = PAGE_BYTES / LINE;
    const count = Math.min(MOST, Math.max(FEWEST, Math.ceil(pages.length * perPage * SHARE)));
    return Array.from(
      { length: count },
      () => (pages[random.below(pages.length)] as number) + LINE * random.below(perPage),
    );
  }
}
