/**
 * The room of atomics (roce-transport.md 3.10, 9): what compare-and-swap and fetch-and-add did to the words that they name,
 * judged by what they returned and by the writes of the NIC that are seen. What is promised is one order of all atomics of
 * one NIC, in which each queue pair's own stand in the order of their PSNs; software and other requests may write between.
 *
 * Who calls it: `checks/oracle` tells `AtomicChecks` of requests, packets, answers and completions, `memory/ranges/writeGuard`
 * of writes to the words. `serialOrder` is the search, a pure function; `contradiction` makes its failure small;
 * `wordTimeline` feeds both as a run goes on; `atomicWords` finds the words by their place in memory.
 *
 * This file: one atomic, as the search sees it. Words and operands are unsigned 64-bit numbers.
 */

/** Operations on a word; `read` looks at it, `write` is that of anybody else, which may have happened or not. */
export type WordOperation = 'compareSwap' | 'fetchAdd' | 'read' | 'write';

/** An operation on a word. */
export interface WordAtomic {
  readonly operation: WordOperation;
  /** Compared with the word, or added to it. */
  readonly operand: bigint;
  /** What a compare-and-swap stores, or a write; of a write undefined where that is not known. */
  readonly swap: bigint | undefined;
  /** Those with the same number are executed in the order in which they are given: they come from one queue pair. */
  readonly chain: number;
  /** What it found in the word, as its answer says; undefined while there is none. */
  readonly returned: bigint | undefined;
  /** It was not executed before, nor after (ps); `Infinity` while that is open. */
  readonly from: number;
  readonly until: number;
}

/** Words are this wide. */
const WORD_BITS = 64;

/** What the word holds after an operation that found `value`; undefined where that is not known. */
export function effectOf({ operation, operand, swap }: WordAtomic, value: bigint): bigint | undefined {
  switch (operation) {
    case 'compareSwap':
      return value === operand ? swap : value;
    case 'fetchAdd':
      return BigInt.asUintN(WORD_BITS, value + operand);
    case 'read':
      return value;
    case 'write':
      return swap;
  }
}

/** Whether it may also never have been executed, by itself: what nobody has answered, and what others write. */
export function isOpen({ operation, returned }: WordAtomic): boolean {
  return operation === 'write' || returned === undefined;
}

/** Whether it leaves every word as it is, whatever that holds. */
export function neverChanges({ operation, operand, swap }: WordAtomic): boolean {
  return operation === 'fetchAdd'
    ? operand === 0n
    : operation === 'read' || (operation === 'compareSwap' && operand === swap);
}
