/** Bugs in tables, translation, commands and rings. */
import { HEADER, MR_COMMAND } from '../layout/descriptors.ts';
import { INDEX_SHIFT } from '../layout/limits.ts';
import { WRITE_BLOCK } from '../layout/registers.ts';
import { CommandUnit } from '../model/commandUnit.ts';
import { FetchRing } from '../model/fetchRing.ts';
import { MrTable } from '../model/mrTable.ts';
import { ReportRing } from '../model/reportRing.ts';
import { blueFaultsOf } from './blueFault.ts';
import { TABLE_ROWS } from './rows/tableRows.ts';

/** 33 bits of the distance are compared. */
class Aliased extends MrTable {
  protected override offsetOf(index: number, hi: number, lo: number): number {
    const offset = super.offsetOf(index, hi, lo);
    return offset >= 0 ? offset % 2 ** 33 : offset;
  }
}

class KeyIgnored extends MrTable {
  protected override isKey(own: number, key: number): boolean {
    return own >>> INDEX_SHIFT === key >>> INDEX_SHIFT;
  }
}

class OnePage extends MrTable {
  protected override pageOf(index: number, hi: number, lo: number): number {
    const page = super.pageOf(index, hi, lo);
    return page & ~1;
  }
}

class EndOpen extends MrTable {
  protected override holds(index: number, hi: number, lo: number, _length: number): boolean {
    return super.holds(index, hi, lo, 1);
  }
}

class PagesOnce extends CommandUnit {
  #commands = 0;
  protected override storePages(first: number, count: number, at: number): void {
    if (this.#commands++ > 0) this.core.bytes.i32.fill(0, at >>> 2, (at >>> 2) + 2 * count);
    super.storePages(first, count, at);
  }
}

class NeverInvalid extends CommandUnit {
  protected override updateMr(): boolean {
    return this.word(MR_COMMAND.length) === 0 || super.updateMr();
  }
}

class AlwaysAnew extends CommandUnit {
  protected override begins(_wasValid: boolean, valid: boolean): boolean {
    return valid;
  }
}

class NeverAnew extends CommandUnit {
  readonly #seen = new Set<number>();
  protected override begins(wasValid: boolean, valid: boolean): boolean {
    const index = (this.word(5) & 0xff_ffff) >>> INDEX_SHIFT;
    const known = this.#seen.has(index);
    if (valid) this.#seen.add(index);
    return super.begins(wasValid, valid) && !known;
  }
}

/** Whether the ring is full is decided without the guard bit. */
class GuardLost extends ReportRing {
  protected override room(): number {
    const p = this.pointers;
    return p.depth - p.slot(p.used);
  }
}

/** The valid bit of every 50th descriptor is not set. */
class ValidMissing extends ReportRing {
  #count = 0;
  override begin(opcode: number, hasNext: boolean): number {
    const at = super.begin(opcode, hasNext);
    if (++this.#count % 50 === 0) {
      const w = this.core.bytes.i32;
      w[at + HEADER.word] = (w[at + HEADER.word] as number) & ~HEADER.valid;
    }
    return at;
  }
}

/** What is in the FIFO is forgotten while the ring is full. */
class ReportsDropped extends ReportRing {
  override hasRoom(): boolean {
    return true;
  }
  override begin(opcode: number, hasNext: boolean): number {
    return super.hasRoom(1) ? super.begin(opcode, hasNext) : this.#waste();
  }
  #waste(): number {
    return this.core.bytes.alloc(32, 32) >>> 2;
  }
}

/** Nobody hears of room in the ring. */
class NeverRoom extends ReportRing {
  override setTail(value: number): void {
    const { user } = this;
    if (this.pointers.free === 0) this.user = null;
    super.setTail(value);
    if (this.user !== null) this.user = user;
  }
}

class BlocksIgnored extends FetchRing {
  protected override blockRest(slot: number): number {
    return Math.min(3 * WRITE_BLOCK + 2, this.pointers.depth - slot);
  }
}

export const TABLE_FAULTS = blueFaultsOf(TABLE_ROWS, {
  range_aliases: { mrs: Aliased },
  mr_key_ignored: { mrs: KeyIgnored },
  page_of_pair: { mrs: OnePage },
  range_end_open: { mrs: EndOpen },
  later_pages_zero: { commands: PagesOnce },
  mr_stays_valid: { commands: NeverInvalid },
  modify_resets_window: { commands: AlwaysAnew },
  window_survives_reset: { commands: NeverAnew },
  report_guard_lost: { reportRing: GuardLost },
  valid_missing: { reportRing: ValidMissing },
  reports_dropped: { reportRing: ReportsDropped },
  full_ring_for_ever: { reportRing: NeverRoom },
  reads_cross_blocks: { fetchRing: BlocksIgnored },
});
