/** How the bugs of executionFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { COUNTERS, SHARED } from '../atomicStimulus.ts';

const CAUGHT = ['SCB_ATOMIC_WRITE', 'SCB_ATOMIC_ORDER', 'SEQ_ATOMIC'];

export const EXECUTION_ROWS = [
  {
    name: 'atomic_swap_always',
    block: 'atomics',
    description: 'a compare-and-swap swaps whatever the word holds',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_compare_half',
    block: 'atomics',
    description: 'a compare-and-swap compares the lower half of the word only',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_swap_on_mismatch',
    block: 'atomics',
    description: 'a compare-and-swap swaps where the word is another, and not where it matches',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_carry_lost',
    block: 'atomics',
    description: 'the carry from the lower half of a sum into the upper one is lost',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_saturates',
    block: 'atomics',
    description: 'a sum stops at the largest number in place of wrapping',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_carry_negative',
    block: 'atomics',
    description: 'no carry into the upper half where the number that is added is negative',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_big_endian',
    block: 'atomics',
    description: 'the new value is written with its most significant byte first',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_halves_swapped',
    block: 'atomics',
    description: 'the halves of the new value change places',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_not_written',
    block: 'atomics',
    description: 'every fifth new value is not written',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_new_value',
    block: 'atomics',
    description: 'an atomic that changes its word answers with the new value',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_always_add',
    block: 'atomics',
    description: 'a compare-and-swap is executed as a fetch-and-add',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
  {
    name: 'atomic_not_alone',
    block: 'atomics',
    description: 'two atomics of different queue pairs may change a word at once',
    caughtBy: CAUGHT,
    needs: SHARED,
  },
  {
    name: 'atomic_result_before',
    block: 'atomics',
    description: 'every sixth answer has the result of the atomic before',
    caughtBy: CAUGHT,
    needs: COUNTERS,
  },
] as const satisfies readonly FaultRow[];
