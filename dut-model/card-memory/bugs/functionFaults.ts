/** Bugs of the configuration space, of BARs, and of what a reset leaves. */
import type { Tlp } from '../../nic.ts';
import type { BarRow } from '../../roce/pciFunction.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import { WindowManager } from '../driver/windowManager.ts';
import { CardFunction } from '../model/cardFunction.ts';
import { CardNic } from '../model/cardNic.ts';
import { CardRegisters } from '../model/cardRegisters.ts';
import { type CardMaker, faultsOf, planted } from './cardFault.ts';
import { FUNCTION_ROWS } from './rows/functionRows.ts';

/** Sizes are asked for by ones, which the mask of half the size answers. */
class HalfSize extends CardFunction {
  protected override sizeOf(row: BarRow): number {
    return row.bar === APERTURE ? row.bytes / 2 : row.bytes;
  }
}

const APERTURE = 2;

class LowerHalf extends CardFunction {
  protected override baseOf(row: BarRow): number {
    return super.baseOf(row) % TWO_32;
  }
}

/** Bases as they were when accesses were let through for the first time. */
class FirstPlace extends CardFunction {
  readonly #first = new Map<number, number>();

  override reset(): void {
    super.reset();
    this.#first.clear();
  }

  protected override baseOf(row: BarRow): number {
    const kept = this.#first.get(row.bar) ?? super.baseOf(row);
    this.#first.set(row.bar, kept);
    return kept;
  }
}

/** Takes bit 47, which addresses of the processor have, for part of each BAR. */
class CpuAddresses extends CardFunction {
  protected override baseOf(row: BarRow): number {
    return super.baseOf(row) + CPU_BASE;
  }
}

const CPU_BASE = 2 ** 47;

/** Sub-windows are chosen by the select ORed to the bits of the bus address above a window. */
class OredBase extends CardNic {
  override barWrite(tlp: Tlp): void {
    this.#withBits(tlp, () => super.barWrite(tlp));
  }

  override barRead(tlp: Tlp): void {
    this.#withBits(tlp, () => super.barRead(tlp));
  }

  #withBits(tlp: Tlp, access: () => void): void {
    const { selected } = this.cardRegisters;
    const kept = [...selected];
    const above = Math.floor(((tlp.hi >>> 0) * TWO_32 + (tlp.lo >>> 0)) / this.layout.subWindowBytes) & 0x3f;
    if (kept.length > 0) selected[0] = (kept[0] as number) | above;
    access();
    // A register of selects may have been written meanwhile.
    if (selected[0] === ((kept[0] as number) | above)) selected[0] = kept[0] as number;
  }
}

const oredBase: CardMaker = (context, config, card) => new OredBase(context, config, card);

class LastingSelects extends CardRegisters {
  override reset(): void {
    const shown = [...this.selected];
    super.reset();
    this.selected.splice(0, shown.length, ...shown);
  }
}

class StaleShadow extends WindowManager {
  override forget(): void {
    // Windows are taken to show what they did.
  }
}

export const FUNCTION_FAULTS = faultsOf(FUNCTION_ROWS, {
  bar_size_half: planted({ pci: HalfSize }),
  bar_upper_half_lost: planted({ pci: LowerHalf }),
  bar_first_place_kept: planted({ pci: FirstPlace }),
  bar_of_cpu: planted({ pci: CpuAddresses }),
  window_base_ored: oredBase,
  select_survives_reset: planted({ registers: LastingSelects }),
  window_shadow_stale: { software: { windows: StaleShadow } },
  inbound_ignored: { software: { ignoresInbound: true } },
});
