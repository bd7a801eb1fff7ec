/** Bugs of where and when a memory region begins and ends. */
import { CMD, CMD_STATUS, PAGE_BYTES } from '../../layout/commands.ts';
import { MPT_FIELD, MPT_PERMISSION } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { readHigh, readLow, writeField } from '../../model/control/mailbox.ts';
import { Translation, XLATE } from '../../model/memory/translation.ts';
import { faultsOf, planted } from '../fault.ts';
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

export const REGION_FAULTS = faultsOf(REGION_ROWS, {
  zero_based_from_page: planted({ commands: PagedOffsets }),
  region_page_wraps: planted({ translation: ShortPageNumbers }),
  region_end_aliased: planted({ translation: ShortEnd }),
  region_kept: planted({ commands: KeptRegions }),
});
