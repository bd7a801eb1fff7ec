/** Bugs of what a responder does with the word of an atomic. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import type { AtomicOperation } from '../../model/transport/atomics/atomicOperation.ts';
import { ATOMIC, AtomicUnit } from '../../model/transport/atomics/atomicUnit.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { MemoryTarget } from '../../../roce/memoryTarget.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, type Fault, planted } from '../fault.ts';
import { COUNTERS, SHARED } from './atomicStimulus.ts';

/** Swaps whatever the comparison says. */
class SwapAnyway extends AtomicUnit {
  protected override matches(): boolean {
    return true;
  }
}

/** Compares the lower half of the word only. */
class HalfCompare extends AtomicUnit {
  protected override matches(p: RxPacket, _hi: number, lo: number): boolean {
    return lo === p.compareLo;
  }
}

/** Swaps where the word is something else. */
class SwapOnMismatch extends AtomicUnit {
  protected override matches(p: RxPacket, hi: number, lo: number): boolean {
    return !super.matches(p, hi, lo);
  }
}

/** Loses what is carried from one half of a sum into the other. */
class NoCarry extends AtomicUnit {
  protected override upperSum(a: number, b: number): number {
    return (a + b) | 0;
  }
}

/** Stops at the largest number in place of beginning again at 0. */
class Saturating extends AtomicUnit {
  protected override upperSum(a: number, b: number, carry: number): number {
    const sum = (a >>> 0) + (b >>> 0) + carry;
    return sum > 0xffff_ffff ? -1 : sum | 0;
  }
}

/** Adds as if numbers had a sign in each half. */
class SignedHalves extends AtomicUnit {
  protected override upperSum(a: number, b: number, carry: number): number {
    return (a + b + (b < 0 ? 0 : carry)) | 0;
  }
}

/** Writes the word with its most significant byte first. */
class BigEndianWord extends AtomicUnit {
  protected override store(o: AtomicOperation, hi: number, lo: number): void {
    super.store(o, swap32(lo), swap32(hi));
  }
}

/** Writes the halves of the word the other way round. */
class HalvesSwapped extends AtomicUnit {
  protected override store(o: AtomicOperation, hi: number, lo: number): void {
    super.store(o, lo, hi);
  }
}

/** Now and then leaves the new value unwritten. */
class Forgetful extends AtomicUnit {
  readonly #turn = new Every(5);
  protected override store(o: AtomicOperation, hi: number, lo: number): void {
    if (!this.#turn.hit()) super.store(o, hi, lo);
  }
}

/** Answers with the value after the operation. */
class NewValue extends AtomicUnit {
  protected override store(o: AtomicOperation, hi: number, lo: number): void {
    super.store(o, hi, lo);
    this.originalHi = hi;
    this.originalLo = lo;
  }
}

/** Takes a compare-and-swap for a fetch-and-add. */
class AddsAlways extends AtomicUnit {
  override run(p: RxPacket, target: MemoryTarget, hi: number, lo: number): number {
    p.opcode = (p.opcode & ~31) | BTH_OP.fetchAdd;
    return super.run(p, target, hi, lo);
  }
}

/** Lets two atomics have a word at once. */
class NoLocks extends AtomicUnit {
  protected override takes(): boolean {
    return true;
  }
}

/** Now and then answers with the result of the atomic before. */
class StaleWord extends AtomicUnit {
  readonly #turn = new Every(6);
  #hi = 0;
  #lo = 0;

  override run(p: RxPacket, target: MemoryTarget, hi: number, lo: number): number {
    const outcome = super.run(p, target, hi, lo);
    if (outcome !== ATOMIC.done) return outcome;
    const [oldHi, oldLo] = [this.#hi, this.#lo];
    this.#hi = this.originalHi;
    this.#lo = this.originalLo;
    if (this.#turn.hit()) {
      this.originalHi = oldHi;
      this.originalLo = oldLo;
    }
    return outcome;
  }
}

const CAUGHT = ['SCB_ATOMIC_WRITE', 'SCB_ATOMIC_ORDER', 'SEQ_ATOMIC'];

export const EXECUTION_FAULTS: readonly Fault[] = [
  {
    name: 'atomic_swap_always',
    block: 'atomics',
    description: 'a compare-and-swap swaps whatever the word holds',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: SwapAnyway }),
  },
  {
    name: 'atomic_compare_half',
    block: 'atomics',
    description: 'a compare-and-swap compares the lower half of the word only',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: HalfCompare }),
  },
  {
    name: 'atomic_swap_on_mismatch',
    block: 'atomics',
    description: 'a compare-and-swap swaps where the word is another, and not where it matches',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: SwapOnMismatch }),
  },
  {
    name: 'atomic_carry_lost',
    block: 'atomics',
    description: 'the carry from the lower half of a sum into the upper one is lost',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: NoCarry }),
  },
  {
    name: 'atomic_saturates',
    block: 'atomics',
    description: 'a sum stops at the largest number in place of wrapping',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: Saturating }),
  },
  {
    name: 'atomic_carry_negative',
    block: 'atomics',
    description: 'no carry into the upper half where the number that is added is negative',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: SignedHalves }),
  },
  {
    name: 'atomic_big_endian',
    block: 'atomics',
    description: 'the new value is written with its most significant byte first',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: BigEndianWord }),
  },
  {
    name: 'atomic_halves_swapped',
    block: 'atomics',
    description: 'the halves of the new value change places',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: HalvesSwapped }),
  },
  {
    name: 'atomic_not_written',
    block: 'atomics',
    description: 'every fifth new value is not written',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: Forgetful }),
  },
  {
    name: 'atomic_new_value',
    block: 'atomics',
    description: 'an atomic that changes its word answers with the new value',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: NewValue }),
  },
  {
    name: 'atomic_always_add',
    block: 'atomics',
    description: 'a compare-and-swap is executed as a fetch-and-add',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: AddsAlways }),
  },
  {
    name: 'atomic_not_alone',
    block: 'atomics',
    description: 'two atomics of different queue pairs may change a word at once',
    caughtBy: CAUGHT,
    needs: SHARED,
    create: planted({ atomics: NoLocks }),
  },
  {
    name: 'atomic_result_before',
    block: 'atomics',
    description: 'every sixth answer has the result of the atomic before',
    caughtBy: CAUGHT,
    needs: COUNTERS,
    create: planted({ atomics: StaleWord }),
  },
];
