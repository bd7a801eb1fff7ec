/** Bugs of completion queues that overflow, and of what software says of them. */
import { EVENT_TYPE } from '../../layout/queues.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit, CQC_DW } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import { faultsOf, planted } from '../fault.ts';
import { CQ_OVERFLOW_ROWS } from './rows/cqOverflowRows.ts';

const SHORT_INDEX = 63;
const INDEX_MASK = 0x3_ffff;
const ARMED_BITS = 0x1_ffff;

/** A queue is full by another rule: `entries` more than it holds. */
function holding(entries: number): typeof CompletionUnit {
  return class extends CompletionUnit {
    protected override isFull(w: Int32Array, c: number): boolean {
      const held = ((w[c + CQC_DW.producer] as number) - (w[c + CQC_DW.consumer] as number)) & 0x3_ffff;
      return held >= (1 << ((w[c + CQC_DW.logSize] as number) >>> 24)) + entries;
    }
  };
}

/** How many entries are in use, by a rule that forgets that the index of software goes round (18 bits). */
function counting(held: (producer: number, consumer: number) => number): typeof CompletionUnit {
  return class extends CompletionUnit {
    protected override isFull(w: Int32Array, c: number): boolean {
      const producer = w[c + CQC_DW.producer] as number;
      return held(producer, w[c + CQC_DW.consumer] as number) >= 1 << ((w[c + CQC_DW.logSize] as number) >>> 24);
    }
  };
}

/** What software has taken counts only where its index is greater than before. */
class NeverRound extends CompletionUnit {
  protected override advance(w: Int32Array, c: number, consumer: number): void {
    if (consumer > (w[c + CQC_DW.consumer] as number)) w[c + CQC_DW.consumer] = consumer;
  }
}

class ArmedShort extends CompletionUnit {
  override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
    super.arm(cqn, solicitedOnly, consumer & ARMED_BITS);
  }
}

class NeverFull extends CompletionUnit {
  protected override isFull(): boolean {
    return false;
  }
}

class Untold extends CompletionUnit {
  protected override tellOverflow(): void {}
}

class ToldTwice extends CompletionUnit {
  protected override lose(e: CompletionEntry): boolean {
    this.tellOverflow(e.cqn);
    return super.lose(e);
  }
}

class GoesOn extends CompletionUnit {
  protected override lose(): boolean {
    return true;
  }
}

class StopsOther extends CompletionUnit {
  protected override lose(e: CompletionEntry): boolean {
    this.core.engine.completionLost(this.core.slot(e.qpn ^ 1));
    return true;
  }
}

class HeardByArming extends CompletionUnit {
  override taken(): void {}
}

class ShortIndices extends CompletionUnit {
  protected override advance(w: Int32Array, c: number, consumer: number): void {
    w[c + CQC_DW.consumer] = consumer & SHORT_INDEX;
  }
}

class NeighbourHeard extends CompletionUnit {
  override taken(cqn: number, consumer: number): void {
    super.taken(cqn ^ 1, consumer);
  }
}

class OtherNumber extends EventUnit {
  override async(type: number, number: number, syndrome = 0): void {
    super.async(type, type === EVENT_TYPE.cqError && syndrome !== 0 ? number + 1 : number, syndrome);
  }
}

export const CQ_OVERFLOW_FAULTS = faultsOf(CQ_OVERFLOW_ROWS, {
  cq_overflow_unseen: planted({ completions: NeverFull }),
  cq_full_early: planted({ completions: holding(-1) }),
  cq_full_late: planted({ completions: holding(1) }),
  cq_overflow_untold: planted({ completions: Untold }),
  cq_overflow_told_twice: planted({ completions: ToldTwice }),
  cq_overflow_other_number: planted({ events: OtherNumber }),
  cq_overflow_goes_on: planted({ completions: GoesOn }),
  cq_overflow_stops_other: planted({ completions: StopsOther }),
  cq_index_of_arming: planted({ completions: HeardByArming }),
  cq_index_short: planted({ completions: ShortIndices }),
  cq_index_not_round: planted({ completions: counting((producer, consumer) => producer - consumer) }),
  cq_index_round_lost: planted({
    completions: counting((producer, consumer) => (producer & INDEX_MASK) - (consumer & INDEX_MASK)),
  }),
  cq_index_stays: planted({ completions: NeverRound }),
  cq_arm_short: planted({ completions: ArmedShort }),
  cq_index_of_neighbour: planted({ completions: NeighbourHeard }),
});
