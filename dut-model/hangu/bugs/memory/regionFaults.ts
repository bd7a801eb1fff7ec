/** Bugs of where and when a memory region begins and ends. */
import { CMD, CMD_STATUS, PAGE_BYTES } from '../../layout/commands.ts';
import { type Field, MPT_FIELD, MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { readField, readHigh, readLow, writeField } from '../../model/control/mailbox.ts';
import { Translation, XLATE } from '../../model/memory/translation.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import { type Fault, faultsOf, planted } from '../fault.ts';
import { REGION_ROWS } from './rows/regionRows.ts';

/** Lower half of where a region begins. */
const START_LOW = [MPT_FIELD.start[0] + 4, 4] as const;

/** Counts the addresses of a zero-based region from the start of its first page. */
class PagedOffsets extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const { bytes } = this.core;
    if (this.opcode === CMD.sw2hwMpt && readHigh(bytes, this.inbox, MPT_FIELD.flags) & MPT_PERMISSION.zeroBased) {
      const start = readLow(bytes, this.inbox, MPT_FIELD.start) >>> 0;
      writeField(bytes, this.inbox, START_LOW, start - (start % PAGE_BYTES));
    }
    return super.execute(handler);
  }
}

/** Pages of 4 GiB. */
const WRAP = 2 ** 32 / PAGE_BYTES;

/** Counts the pages of a region with 20 bits. */
class ShortPageNumbers extends Translation {
  protected override mttIndex(seg: number, page: number): number {
    return super.mttIndex(seg, page % WRAP);
  }
}

/** Compares the lower halves alone with the end of a region. */
class ShortEnd extends Translation {
  override translate(...[key, pd, hi, ...rest]: Parameters<Translation['translate']>): number {
    const result = super.translate(key, pd, hi, ...rest);
    return result === XLATE.bounds ? super.translate(key, pd, hi - 1, ...rest) : result;
  }
}

/** Says that regions are closed, and leaves them as they are. */
class KeptRegions extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    return this.opcode === CMD.hw2swMpt ? CMD_STATUS.ok : super.execute(handler);
  }
}

/** Does something with each region that software hands over, before the NIC has it. */
abstract class RegionsTaken extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const { bytes } = this.core;
    const isRegion = this.opcode === CMD.sw2hwMpt && this.step === 0;
    if (!isRegion || (readHigh(bytes, this.inbox, MPT_FIELD.flags) & NO_REGION) !== 0) return super.execute(handler);
    return this.taken() ? super.execute(handler) : CMD_STATUS.badParam;
  }

  /** @returns whether the NIC takes it */
  protected abstract taken(): boolean;

  /** Bytes of the region. */
  protected get isEmpty(): boolean {
    const { bytes } = this.core;
    return readHigh(bytes, this.inbox, MPT_FIELD.length) === 0 && readLow(bytes, this.inbox, MPT_FIELD.length) === 0;
  }
}

/** What requests change, and rings, whose addresses are offsets. */
const NO_REGION = MPT_KIND.free | MPT_PERMISSION.zeroBased;
/** Lower half of the length of a region. */
const LENGTH_LOW = [MPT_FIELD.length[0] + 4, 4] as const;

class NoEmptyRegions extends RegionsTaken {
  protected override taken(): boolean {
    return !this.isEmpty;
  }
}

/** A length of 0 stands for that of a page. */
class EmptyRegionsOpen extends RegionsTaken {
  protected override taken(): boolean {
    if (this.isEmpty) writeField(this.core.bytes, this.inbox, LENGTH_LOW, PAGE_BYTES);
    return true;
  }
}

/** What an entry of the table had before is mixed into what it gets. @param keep what of the former value stays */
function keeping(field: Field, keep: (now: number, former: number) => number): Fault['create'] {
  return planted({
    commands: class extends RegionsTaken {
      readonly #former = new Map<number, number>();
      protected override taken(): boolean {
        const { bytes } = this.core;
        const now = readField(bytes, this.inbox, field);
        const former = this.#former.get(this.modifier) ?? now;
        this.#former.set(this.modifier, now);
        writeField(bytes, this.inbox, field, keep(now, former));
        return true;
      }
    },
  });
}

/** The end of a range that ends with the last address is taken to be 0, and in front of its start. */
class LastAddressClosed extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const [, , hi, lo, length, , relative] = access;
    const isLast = !relative && hi === LAST_HI && (lo >>> 0) + length === TWO_32;
    return isLast ? XLATE.bounds : super.translate(...access);
  }
}

/** Looks only at where a range ends, with 64 bits. */
class EndWraps extends Translation {
  override translate(...[key, pd, hi, lo, length, ...rest]: Parameters<Translation['translate']>): number {
    const result = super.translate(key, pd, hi, lo, length, ...rest);
    const wraps = result === XLATE.bounds && hi === -1 && (lo >>> 0) + length > TWO_32;
    return wraps ? super.translate(key, pd, 0, 0, (lo + length) | 0, ...rest) : result;
  }
}

/** Upper half of the last addresses of 48 bits. */
const LAST_HI = 0xffff;

export const REGION_FAULTS = faultsOf(REGION_ROWS, {
  zero_based_from_page: planted({ commands: PagedOffsets }),
  region_page_wraps: planted({ translation: ShortPageNumbers }),
  region_end_aliased: planted({ translation: ShortEnd }),
  region_kept: planted({ commands: KeptRegions }),
  empty_region_refused: planted({ commands: NoEmptyRegions }),
  empty_region_opens: planted({ commands: EmptyRegionsOpen }),
  last_address_closed: planted({ translation: LastAddressClosed }),
  range_end_wraps: planted({ translation: EndWraps }),
  reregistered_rights_kept: keeping(MPT_FIELD.flags, (now, former) => now | former),
  reregistered_domain_kept: keeping(MPT_FIELD.pd, (_now, former) => former),
  reregistered_end_kept: keeping(LENGTH_LOW, (now, former) => Math.max(now, former)),
});
