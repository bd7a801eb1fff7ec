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
import { Every, WRONG_KEYS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

const LARGE = ['+DATA_CNT=20000', '+DATA_UNIT=B', '+MR_GRANULARITY=qp'];
const THRASH = ['+NIC_QPC_CACHE=16', '+NIC_CACHE_WAYS=1', '+RC_QP_NUM=64'];
const STRAY = ['SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_STATUS', 'SCB_STUCK'];

export const MEMORY_FAULTS: readonly Fault[] = [
  {
    name: 'mtt_next_entry',
    block: 'translation',
    description: 'from the third page of a region on, the translation entry after the right one is used',
    caughtBy: STRAY,
    needs: LARGE,
    create: planted({ translation: NextEntry }),
  },
  {
    name: 'mtt_page_boundary',
    block: 'translation',
    description: 'the first byte of a page is looked up in the page before',
    caughtBy: STRAY,
    needs: LARGE,
    create: planted({ translation: LatePage }),
  },
  {
    name: 'rights_ignored',
    block: 'translation',
    description: 'the rights of a region are not looked at',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
    create: planted({ translation: RightsIgnored }),
  },
  {
    name: 'local_write_suffices',
    block: 'translation',
    description: 'a peer may write into a region that only its owner may write',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=narrow_regions',
      '+RC_QP_NUM=6',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
    create: planted({ translation: LocalRightSuffices }),
  },
  {
    name: 'bounds_ignored',
    block: 'translation',
    description: 'an access may run over the end of its region',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
    create: planted({ translation: EndIgnored }),
  },
  {
    name: 'end_rounded',
    block: 'translation',
    description: 'an access may run over the end of its region up to the next multiple of eight bytes',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
    create: planted({ translation: RoundedEnd }),
  },
  {
    name: 'tag_cut',
    block: 'translation',
    description: 'the highest bit of a key is not compared',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: WRONG_KEYS,
    create: planted({ translation: ShortTag }),
  },
  {
    name: 'domain_ignored',
    block: 'translation',
    description: 'a region opens to the queue pairs of all protection domains',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
    create: planted({ translation: DomainIgnored }),
  },
  {
    name: 'cache_loses_changes',
    block: 'caches',
    description: 'changed entries are not written back when they are evicted',
    caughtBy: [...STRAY, 'HCA_CMD_STATUS', 'SCB_QUERY_QP'],
    needs: THRASH,
    create: planted({ cache: LossyCache }),
  },
  {
    name: 'closed_key_revived',
    block: 'caches',
    description: 'that a key was closed is forgotten when its entry leaves the cache',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE', 'SEQ_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=old_keys', '+RC_QP_NUM=2', '+NIC_MPT_CACHE=8'],
    create: planted({ cache: RevivingCache }),
  },
  {
    name: 'cache_half_line',
    block: 'caches',
    description: 'only the first half of a changed entry is written back',
    caughtBy: [...STRAY, 'HCA_CMD_STATUS', 'SCB_QUERY_QP'],
    needs: THRASH,
    create: planted({ cache: HalfLineCache }),
  },
  {
    name: 'dma_crosses_page',
    block: 'dma',
    description: 'requests are not cut at 4 KiB',
    caughtBy: ['PCIE_4K'],
    create: planted({ dma: PageCrossing, translation: LongPages }),
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B', '+PAGE_SCATTER=0'],
  },
  {
    name: 'dma_oversized',
    block: 'dma',
    description: 'maximum payload and read request sizes are ignored',
    caughtBy: ['PCIE_MPS', 'PCIE_MRRS'],
    needs: ['+PCIE_MPS=256', '+PCIE_MRRS=256', '+DATA_CNT=3000', '+DATA_UNIT=B'],
    create: planted({ dma: Oversized }),
  },
  {
    name: 'dma_tag_reused',
    block: 'dma',
    description: 'a tag is used again while its read is outstanding',
    caughtBy: ['PCIE_TAG'],
    create: planted({ dma: TagReusing }),
  },
  {
    name: 'read_after_release',
    block: 'dma',
    description: 'a region is given back while reads of it wait to be sent',
    caughtBy: ['PCIE_READ'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3', '+PCIE_TAGS=1', '+PCIE_GBPS=2'],
    create: planted({ dma: Fenceless }),
  },
  {
    name: 'board_id',
    block: 'command engine',
    description: 'QUERY_ADAPTER returns a wrong board id',
    caughtBy: ['HCA_ADAPTER'],
    create: planted({ commands: WrongBoard }),
  },
  {
    name: 'command_hangs',
    block: 'command engine',
    description: 'the 40th command never clears its go bit',
    caughtBy: ['HCA_CMD_TIMEOUT'],
    create: planted({ commands: HangingCommands }),
  },
  {
    name: 'command_refused',
    block: 'command engine',
    description: 'every 50th command ends with a false status',
    caughtBy: ['HCA_CMD_STATUS'],
    create: planted({ commands: RefusingCommands }),
  },
];
