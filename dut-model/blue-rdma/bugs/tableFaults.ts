/** Bugs in tables, translation, commands and rings. */
import { HEADER, MR_COMMAND } from '../layout/descriptors.ts';
import { INDEX_SHIFT } from '../layout/limits.ts';
import { WRITE_BLOCK } from '../layout/registers.ts';
import { CommandUnit } from '../model/commandUnit.ts';
import { FetchRing } from '../model/fetchRing.ts';
import { MrTable } from '../model/mrTable.ts';
import { ReportRing } from '../model/reportRing.ts';
import type { BlueFault } from './blueFault.ts';

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

export const TABLE_FAULTS: readonly BlueFault[] = [
  {
    name: 'range_aliases',
    block: 'MR table',
    description: 'addresses that differ by 8 GiB are the same to the check of the range',
    breaks: ['B-014'],
    blocks: { mrs: Aliased },
  },
  {
    name: 'mr_key_ignored',
    block: 'MR table',
    description: 'the lower eight bits of keys are not compared',
    breaks: ['B-013', 'B-015'],
    blocks: { mrs: KeyIgnored },
  },
  {
    name: 'page_of_pair',
    block: 'MR table',
    description: 'the last bit of page indices is lost',
    breaks: ['B-012'],
    caughtBy: ['PCIE_READ'],
    blocks: { mrs: OnePage },
  },
  {
    name: 'range_end_open',
    block: 'MR table',
    description: 'only the first byte of an access is held against the range',
    breaks: ['B-013', 'B-014'],
    blocks: { mrs: EndOpen },
  },
  {
    name: 'later_pages_zero',
    block: 'command unit',
    description: 'all commands for the page table but the first write address 0',
    breaks: ['B-012'],
    caughtBy: ['PCIE_READ'],
    blocks: { commands: PagesOnce },
  },
  {
    name: 'mr_stays_valid',
    block: 'command unit',
    description: 'regions are not invalidated',
    breaks: ['B-015'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=old_keys', '+RC_QP_NUM=6'],
    blocks: { commands: NeverInvalid },
  },
  {
    name: 'modify_resets_window',
    block: 'command unit',
    description: 'every command for a queue pair resets its bitmap',
    breaks: ['B-029'],
    caughtBy: ['BLUE_MISSED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=changed_midway', '+RC_QP_NUM=6'],
    blocks: { commands: AlwaysAnew },
  },
  {
    name: 'window_survives_reset',
    block: 'command unit',
    description: 'a queue pair that becomes valid again keeps its bitmap',
    breaks: ['B-016'],
    caughtBy: ['SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '+DRAW_FAULTS=1', '--seed', '1'],
    blocks: { commands: NeverAnew },
  },
  {
    name: 'report_guard_lost',
    block: 'report ring',
    description: 'a full ring is taken for an empty one',
    breaks: ['B-002', 'B-006'],
    caughtBy: ['BLUE_RING_OVERWRITE'],
    needs: ['+DATA_CNT=40', '+NIC_RING_DEPTH=16', '+NIC_REACTION_NS=50000', '+DB_NUM=4'],
    blocks: { reportRing: GuardLost },
  },
  {
    name: 'valid_missing',
    block: 'report ring',
    description: 'every 50th descriptor lacks its valid bit',
    breaks: ['B-001', 'B-003'],
    caughtBy: ['BLUE_RING_VALID', 'DEADLOCK'],
    blocks: { reportRing: ValidMissing },
  },
  {
    name: 'reports_dropped',
    block: 'report ring',
    description: 'reports that find no room are dropped',
    breaks: ['B-006'],
    caughtBy: ['SCB_STUCK'],
    needs: ['+DATA_CNT=40', '+NIC_RING_DEPTH=16', '+NIC_REACTION_NS=50000', '+DB_NUM=4'],
    blocks: { reportRing: ReportsDropped },
  },
  {
    name: 'full_ring_for_ever',
    block: 'report ring',
    description: 'the receive pipeline does not go on after a report ring was full',
    breaks: ['B-006'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=40', '+NIC_RING_DEPTH=16', '+NIC_REACTION_NS=50000', '+DB_NUM=4'],
    blocks: { reportRing: NeverRoom },
  },
  {
    name: 'reads_cross_blocks',
    block: 'fetch ring',
    description: 'descriptors are read across aligned blocks',
    breaks: ['B-005'],
    caughtBy: ['BLUE_RING_BLOCK'],
    blocks: { fetchRing: BlocksIgnored },
  },
];
