/** Bugs of how card addresses are spread over banks, and of the controllers. */
import { BankMap } from '../model/bankMap.ts';
import { CM } from '../layout/registers.ts';
import { CardRegisters } from '../model/cardRegisters.ts';
import type { Scheduler } from '../../../uvm/kernel/scheduler.ts';
import { type BankTiming, type Burst, DdrBank } from '../model/ddrBank.ts';
import { DdrFabric } from '../model/ddrFabric.ts';
import { Every, faultsOf, planted } from './cardFault.ts';
import { BANK_ROWS } from './rows/bankRows.ts';

/** Spreads addresses otherwise when banks are interleaved. */
function interleaved(
  where: (unit: number, inUnit: number, map: { banks: number; interleave: number }) => [number, number],
) {
  return class extends BankMap {
    override locate(card: number): void {
      const { interleave } = this.layout;
      super.locate(card);
      if (interleave === 0) return;
      const [bank, offset] = where(Math.floor(card / interleave), card % interleave, this.layout);
      this.bank = bank;
      this.offset = offset;
    }
  };
}

/** The bank is named by one address bit more than there are banks for: half of them are never used. */
class HalfOfBanks extends BankMap {
  override locate(card: number): void {
    super.locate(card);
    if (this.layout.interleave === 0) this.bank &= ~1;
  }
}

/** Takes a burst across the end of a unit to the bank of its first byte. */
class AcrossUnits extends BankMap {
  override together(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** A row of a bank has a bit less. */
class ShortOffset extends BankMap {
  override locate(card: number): void {
    super.locate(card);
    this.offset %= this.layout.bankBytes / 2;
  }
}

class LostBursts extends DdrBank {
  readonly #lost = new Every(23);

  override ask(burst: Burst): void {
    super.ask(burst.isWrite && this.#lost.hit() ? { ...burst, isWrite: false, done: () => burst.end() } : burst);
  }
}

/** Whole bursts of 64 bytes are written: what lies around is read when a write is asked for, and written back with it. */
class WholeBursts extends DdrFabric {
  protected override storeBurst(bank: number, offset: number, length: number, src: number): void {
    const from = offset & -LINE;
    const bytes = Math.ceil((offset + length - from) / LINE) * LINE;
    const { bytes: store } = this.context;
    const line = store.alloc(bytes, 16);
    this.port.read(bank, from, bytes, line);
    store.copy(line + offset - from, src, length);
    this.port.write(bank, from, bytes, line);
  }
}

const LINE = 64;

class SlowBank extends DdrBank {
  constructor(name: string, scheduler: Scheduler, timing: BankTiming) {
    super(name, scheduler, { ...timing, bytePs: 4 * timing.bytePs });
  }
}

class SwappedCounters extends CardRegisters {
  protected override valueAt(at: number): number {
    const bank = (at - CM.banks) >> 3;
    const other = bank === 1 || bank === 2 ? at + 8 * (3 - 2 * bank) : at;
    return super.valueAt(other);
  }
}

/** Changes how it spreads addresses when it was asked so often. */
class ChangedMap extends BankMap {
  #asked = 0;

  override locate(card: number): void {
    super.locate(card);
    const { banks, bankBytes } = this.layout;
    if (this.#asked++ > ASKED) this.bank = (this.bank + Math.floor(this.offset / (bankBytes / 2))) % banks;
  }
}

/** Bursts with which 64 KiB or more were accessed. */
const ASKED = 128;

export const BANK_FAULTS = faultsOf(BANK_ROWS, {
  interleave_offset_whole: planted({
    bankMap: interleaved((unit, inUnit, { banks, interleave }) => [
      unit % banks,
      Math.floor(unit / banks) * interleave + (inUnit & ~0x40),
    ]),
  }),
  interleave_three_banks: planted({
    bankMap: interleaved((unit, inUnit, { interleave }) => [unit % 3, Math.floor(unit / 4) * interleave + inUnit]),
  }),
  interleave_unit_of_all: planted({
    bankMap: interleaved((unit, inUnit, { banks, interleave }) => [unit % banks, (unit % 64) * interleave + inUnit]),
  }),
  odd_banks_unused: planted({ bankMap: HalfOfBanks }),
  burst_across_units: planted({ bankMap: AcrossUnits }),
  bank_offset_short: planted({ bankMap: ShortOffset }),
  ddr_burst_lost: planted({ bank: LostBursts }),
  bank_quarter_rate: planted({ bank: SlowBank }),
  bank_counters_swapped: planted({ registers: SwappedCounters }),
  interleave_changed_midway: planted({ bankMap: ChangedMap }),
  ddr_whole_lines: planted({ fabric: WholeBursts }),
});
