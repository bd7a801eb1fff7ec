/** Bugs of windows: in the card, and in the software that uses them. */
import type { Tlp } from '../../nic.ts';
import { DONE } from '../../../env/verbs/done.ts';
import type { Semaphore } from '../../../uvm/kernel/semaphore.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import { type CardPiece, WindowManager } from '../driver/windowManager.ts';
import { Aperture } from '../model/aperture.ts';
import { CardNic } from '../model/cardNic.ts';
import { CardRegisters } from '../model/cardRegisters.ts';
import { DdrFabric } from '../model/ddrFabric.ts';
import type { MemoryClient } from '../../roce/memoryTarget.ts';
import { type CardMaker, faultsOf, planted } from './cardFault.ts';
import { WINDOW_ROWS } from './rows/windowRows.ts';

const LATE = 2_000_000;

/** Upper bits of the offset stay, with those of the select ORed to them. */
class OredBits extends Aperture {
  protected override cardAddress(t: Tlp): number {
    const { subWindowBytes, bytes, windows } = this.layout;
    const right = super.cardAddress(t);
    if (windows === 0 || right >= bytes) return right;
    return (
      (Math.floor(right / subWindowBytes) | Math.floor(t.lo / subWindowBytes)) * subWindowBytes +
      (right % subWindowBytes)
    );
  }
}

class OneSelect extends Aperture {
  protected override cardAddress(t: Tlp): number {
    const { subWindowBytes, bytes } = this.layout;
    const right = super.cardAddress(t);
    const [first] = this.registers.selected;
    return first === undefined || right >= bytes ? right : first * subWindowBytes + (right % subWindowBytes);
  }
}

/** Beyond the windows, the first one answers. */
class WrappedWindows extends Aperture {
  protected override cardAddress(t: Tlp): number {
    const { subWindowBytes, bytes, windows } = this.layout;
    const right = super.cardAddress(t);
    if (windows === 0 || right < bytes) return right;
    return (this.registers.selected[0] as number) * subWindowBytes + (t.lo % subWindowBytes);
  }
}

class LateSelect extends CardRegisters {
  protected override select(window: number, value: number): void {
    this.core.scheduler.schedule(LATE, { fullName: this.core.name, fire: () => super.select(window, value) });
  }
}

/** Five bits of six. */
class ShortSelect extends CardRegisters {
  protected override select(window: number, value: number): void {
    super.select(window, value & ~0x20);
  }
}

class WrappedSelect extends CardRegisters {
  protected override select(window: number, value: number): void {
    super.select(window, value & 0x3f);
  }
}

/** Takes reads to the sub-window of before. */
class OldReads extends Aperture {
  readonly #before: number[] = [];
  readonly #now: number[] = [];

  protected override cardAddress(t: Tlp): number {
    const { subWindowBytes, bytes, windows } = this.layout;
    const right = super.cardAddress(t);
    if (windows === 0 || right >= bytes) return right;
    const window = Math.floor(t.lo / subWindowBytes);
    const shown = this.registers.selected[window] as number;
    if (this.#now[window] !== shown) {
      this.#before[window] = this.#now[window] ?? 0;
      this.#now[window] = shown;
    }
    if (t.kind !== READ) return right;
    return (this.#before[window] as number) * subWindowBytes + (right % subWindowBytes);
  }
}

const READ = 0;

/** Takes writes, when they reach their banks, to the sub-window that is selected by then. */
class EarlySelect extends DdrFabric {
  registers: CardRegisters | null = null;

  protected override arrivesAt(card: number): number {
    const { subWindowBytes, windows } = this.layout;
    const [shown] = this.registers?.selected ?? [];
    return windows === 0 || shown === undefined ? card : shown * subWindowBytes + (card % subWindowBytes);
  }
}

/** Payload of the NIC goes where the first window shows. */
class ThroughWindow extends DdrFabric {
  registers: CardRegisters | null = null;

  override write(
    hi: number,
    lo: number,
    length: number,
    src: number,
    block: number,
    client?: MemoryClient,
    arg?: number,
  ): void {
    const { subWindowBytes } = this.layout;
    const [shown] = this.registers?.selected ?? [];
    const card = (hi & 3) * TWO_32 + (lo >>> 0);
    const at = shown === undefined ? card : shown * subWindowBytes + (card % subWindowBytes);
    super.write(Math.floor(at / TWO_32), at | 0, length, src, block, client, arg);
  }
}

/** A card whose fabric knows the registers. */
function seeingRegisters(fabric: typeof EarlySelect | typeof ThroughWindow): CardMaker {
  return (context, config, card) =>
    new (class extends CardNic {
      constructor() {
        super(context, config, card, {}, { fabric });
        (this.fabric as EarlySelect | ThroughWindow).registers = this.cardRegisters;
      }
    })();
}

/** Dropped by nobody: what is written before a bank is calibrated is there. */
class UncalibratedWrites extends Aperture {
  protected override isUsable(): boolean {
    return true;
  }
}

class Unlocked extends WindowManager {
  protected override lock(_window: Semaphore): Proc<void> {
    return DONE;
  }

  protected override unlock(_window: Semaphore): void {
    // Nothing is held.
  }
}

class Unflushed extends WindowManager {
  protected override get flushesFirst(): boolean {
    return false;
  }
}

class NotSplit extends WindowManager {
  protected override runs(pieces: readonly CardPiece[]): readonly (readonly CardPiece[])[] {
    return pieces.length === 0 ? [] : [pieces];
  }
}

/** The first access of each run but the first belongs to the run before it. */
class SplitLate extends WindowManager {
  protected override runs(pieces: readonly CardPiece[]): readonly (readonly CardPiece[])[] {
    const runs = super.runs(pieces).map((run) => [...run]);
    for (let i = 1; i < runs.length; i++) {
      const first = runs[i]?.shift();
      if (first !== undefined) runs[i - 1]?.push(first);
    }
    return runs.filter(({ length }) => length > 0);
  }
}

class SelectSkipped extends WindowManager {
  protected override isShown(shown: number, subWindow: number): boolean {
    return shown >> 1 === subWindow >> 1;
  }
}

export const WINDOW_FAULTS = faultsOf(WINDOW_ROWS, {
  window_bits_ored: planted({ aperture: OredBits }),
  windows_share_select: planted({ aperture: OneSelect }),
  select_late: planted({ registers: LateSelect }),
  select_early: seeingRegisters(EarlySelect),
  select_of_reads: planted({ aperture: OldReads }),
  nic_through_window: seeingRegisters(ThroughWindow),
  select_wraps: planted({ registers: WrappedSelect }),
  select_short: planted({ registers: ShortSelect }),
  uncalibrated_written: planted({ aperture: UncalibratedWrites }),
  beyond_wraps: planted({ aperture: WrappedWindows }),
  window_unlocked: { software: { windows: Unlocked } },
  window_unflushed: { software: { windows: Unflushed } },
  window_not_split: { software: { windows: NotSplit } },
  window_split_late: { software: { windows: SplitLate } },
  window_select_skipped: { software: { windows: SelectSkipped } },
});
