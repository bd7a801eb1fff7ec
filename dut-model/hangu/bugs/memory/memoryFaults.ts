/** Bugs of translation, caches, the DMA engine and the command engine. */
import { CMD } from '../../layout/commands.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { AGAIN } from '../../model/control/commandContext.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { type DmaClient, DmaEngine } from '../../../roce/dmaEngine.ts';
import { IcmCache } from '../../model/memory/icmCache.ts';
import { MPT_DW } from '../../model/memory/region.ts';
import { Translation, XLATE } from '../../model/memory/translation.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { MEMORY_ROWS } from './rows/memoryRows.ts';

/** The page behind the first one of a region is looked up one entry too far. */
class NextEntry extends Translation {
  protected override mttIndex(seg: number, page: number): number {
    const index = super.mttIndex(seg, page);
    return page >= 2 ? index + 1 : index;
  }
}

/** Takes the first byte of a page for one of the page of the region that was asked for before. */
class LatePage extends Translation {
  #key = -1;
  #hi = 0;
  #lo = 0;
  override translate(...access: Parameters<Translation['translate']>): number {
    const result = super.translate(...access);
    if (result !== XLATE.ok) return result;
    const [key] = access;
    const { paHi, paLo } = this;
    if (this.available === 4096 && key === this.#key) {
      this.paHi = this.#hi;
      this.paLo = this.#lo;
    }
    this.#key = key;
    this.#hi = paHi;
    this.#lo = paLo & ~0xfff;
    return result;
  }
}

const HIGHEST_BIT = 1 << 31;

/** Opens regions for everything, whatever their rights. */
class RightsIgnored extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const [key, pd, hi, lo, length, , relative, asker] = access;
    return super.translate(key, pd, hi, lo, length, 0, relative, asker);
  }
}

/** Lets a peer write where the owner of the region may. */
class LocalRightSuffices extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const [key, pd, hi, lo, length, need, relative, asker] = access;
    const asked = need === MPT_PERMISSION.remoteWrite ? MPT_PERMISSION.localWrite : need;
    return super.translate(key, pd, hi, lo, length, asked, relative, asker);
  }
}

/** Looks only at where an access begins. */
class EndIgnored extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const [key, pd, hi, lo, , need, relative, asker] = access;
    return super.translate(key, pd, hi, lo, 1, need, relative, asker);
  }
}

/** Takes regions to end with a whole word of eight bytes. */
class RoundedEnd extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const result = super.translate(...access);
    const [key, pd, hi, lo, length, need, relative, asker] = access;
    for (let less = 1; !relative && result === XLATE.bounds && less < Math.min(8, length); less++) {
      if (((lo + length - less) & 7) === 0) break;
      const found = super.translate(key, pd, hi, lo, length - less, need, relative, asker);
      if (found !== XLATE.bounds) return found;
    }
    return result;
  }
}

/** Does not compare the highest bit of a key. */
class ShortTag extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const [key, ...rest] = access;
    const result = super.translate(key, ...rest);
    return result === XLATE.key ? super.translate(key ^ HIGHEST_BIT, ...rest) : result;
  }
}

/** Opens regions for the queue pairs of all protection domains. */
class DomainIgnored extends Translation {
  protected override sameDomain(): boolean {
    return true;
  }
}

class LossyCache extends IcmCache {
  protected override writeBackBytes(): number {
    return 0;
  }
}

class HalfLineCache extends IcmCache {
  protected override writeBackBytes(): number {
    return this.lineBytes / 2;
  }
}

/** Does not write back that a region is gone: evicted, it is there again. */
class RevivingCache extends IcmCache {
  readonly #words: Int32Array;
  constructor(...made: ConstructorParameters<typeof IcmCache>) {
    super(...made);
    this.#words = made[2].i32;
  }

  override alter(at: number): void {
    if (this.#words[(at >> 2) + MPT_DW.marker] !== 0) super.alter(at);
  }
}

/** Takes pages to be 8 KiB: right only where physical pages happen to follow each other. */
class LongPages extends Translation {
  override translate(...access: Parameters<Translation['translate']>): number {
    const result = super.translate(...access);
    if (result === XLATE.ok) this.available += 4096;
    return result;
  }
}

/** Does not cut requests at page boundaries. */
class PageCrossing extends DmaEngine {
  protected override piece(_lo: number, left: number, limit: number): number {
    return Math.min(left, limit);
  }
}

class Oversized extends DmaEngine {
  protected override piece(lo: number, left: number): number {
    return super.piece(lo, left, 4096);
  }
}

/** Lets nobody wait for the reads of others. */
class Fenceless extends DmaEngine {
  override fence(client: DmaClient, arg: number): void {
    client.dmaDone(arg, true);
  }
}

/** Gives the same tag to two reads now and then. */
class TagReusing extends DmaEngine {
  readonly #turn = new Every(30);
  #last = 0;
  protected override tagOf(tag: number): number {
    if (this.#turn.hit()) return this.#last;
    this.#last = tag;
    return tag;
  }
}

/** The board id has one bit wrong. */
class WrongBoard extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (this.opcode === CMD.queryAdapter) this.core.bytes.u8[this.outbox + 31] = 0xee;
    return status;
  }
}

/** Never finishes the 40th command. */
class HangingCommands extends CommandEngine {
  readonly #turn = new Every(40);
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    return this.#turn.hit() ? AGAIN : status;
  }
}

/** Refuses every 50th command. */
class RefusingCommands extends CommandEngine {
  readonly #turn = new Every(50);
  protected override execute(handler: CommandHandler): number {
    return this.#turn.hit() ? 0x03 : super.execute(handler);
  }
}

export const MEMORY_FAULTS = faultsOf(MEMORY_ROWS, {
  mtt_next_entry: planted({ translation: NextEntry }),
  mtt_page_boundary: planted({ translation: LatePage }),
  rights_ignored: planted({ translation: RightsIgnored }),
  local_write_suffices: planted({ translation: LocalRightSuffices }),
  bounds_ignored: planted({ translation: EndIgnored }),
  end_rounded: planted({ translation: RoundedEnd }),
  tag_cut: planted({ translation: ShortTag }),
  domain_ignored: planted({ translation: DomainIgnored }),
  cache_loses_changes: planted({ cache: LossyCache }),
  closed_key_revived: planted({ cache: RevivingCache }),
  cache_half_line: planted({ cache: HalfLineCache }),
  dma_crosses_page: planted({ dma: PageCrossing, translation: LongPages }),
  dma_oversized: planted({ dma: Oversized }),
  dma_tag_reused: planted({ dma: TagReusing }),
  read_after_release: planted({ dma: Fenceless }),
  board_id: planted({ commands: WrongBoard }),
  command_hangs: planted({ commands: HangingCommands }),
  command_refused: planted({ commands: RefusingCommands }),
});
