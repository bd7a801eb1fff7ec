/** A bug that can be planted in the card. */
import type { NicContext } from '../../nic.ts';
import type { HanguBlocks, HanguConfig } from '../../hangu/model/index.ts';
import type { CardConfig } from '../layout/knobs.ts';
import type { CardSoftware } from '../driver/cardProvider.ts';
import { CardNic, type CardParts } from '../model/cardNic.ts';

/** What is known of a bug without its code. Rows are data, in `rows/`. */
export interface CardFaultRow {
  /** Value of `+DUT_FAULT=`. */
  readonly name: string;
  readonly description: string;
  /** Report ids of which at least one must be seen. */
  readonly caughtBy: readonly string[];
  /** Plusargs that the stimulus needs for the bug to show, beyond those of a mixed run. */
  readonly needs?: readonly string[];
}

export type CardMaker = (context: NicContext, config: HanguConfig, card: CardConfig) => CardNic;

export interface CardFault extends CardFaultRow {
  readonly create: CardMaker;
  /** Where the bug is in the software of the card. */
  readonly software?: CardSoftware;
}

/** The code of a bug of the software: the NIC is as it is. */
interface SoftwareBug {
  readonly software: CardSoftware;
}

/** Rows with the code of each. A row without code does not compile, nor code without a row. */
export function faultsOf<const Row extends CardFaultRow>(
  rows: readonly Row[],
  code: Readonly<Record<Row['name'], CardMaker | SoftwareBug>>,
): readonly CardFault[] {
  return rows.map((row) => {
    const bug: CardMaker | SoftwareBug = code[row.name as Row['name']];
    return 'software' in bug ? { ...row, create: planted({}), software: bug.software } : { ...row, create: bug };
  });
}

/** A card with other parts, and other blocks of HanGu, in place of its own. */
export function planted(parts: Partial<CardParts>, blocks: Partial<HanguBlocks> = {}): CardMaker {
  return (context, config, card) => new CardNic(context, config, card, blocks, parts);
}

/** True on every n-th call. */
export class Every {
  #count = 0;
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
  }

  hit(): boolean {
    this.#count = (this.#count + 1) % this.#n;
    return this.#count === 0;
  }
}
