/** Bugs of what a responder does with the word of an atomic. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import type { AtomicOperation } from '../../model/transport/atomics/atomicOperation.ts';
import { ATOMIC, AtomicUnit } from '../../model/transport/atomics/atomicUnit.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { MemoryTarget } from '../../../roce/memoryTarget.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { EXECUTION_ROWS } from './rows/executionRows.ts';

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

export const EXECUTION_FAULTS = faultsOf(EXECUTION_ROWS, {
  atomic_swap_always: planted({ atomics: SwapAnyway }),
  atomic_compare_half: planted({ atomics: HalfCompare }),
  atomic_swap_on_mismatch: planted({ atomics: SwapOnMismatch }),
  atomic_carry_lost: planted({ atomics: NoCarry }),
  atomic_saturates: planted({ atomics: Saturating }),
  atomic_carry_negative: planted({ atomics: SignedHalves }),
  atomic_big_endian: planted({ atomics: BigEndianWord }),
  atomic_halves_swapped: planted({ atomics: HalvesSwapped }),
  atomic_not_written: planted({ atomics: Forgetful }),
  atomic_new_value: planted({ atomics: NewValue }),
  atomic_always_add: planted({ atomics: AddsAlways }),
  atomic_not_alone: planted({ atomics: NoLocks }),
  atomic_result_before: planted({ atomics: StaleWord }),
});
