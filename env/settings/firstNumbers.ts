/**
 * Where the host software of a NIC begins to number what it makes. Each is 0 for its usual beginning; others bring numbers
 * near a power of two, where carries between their bits and tables that are cut too short show.
 */
export interface FirstNumbers {
  /** Queue pairs. */
  readonly qpn: number;
  /** Completion queues. */
  readonly cqn: number;
  /** Memory regions, by their keys. */
  readonly key: number;
  /** Entries of the translation table; those before it stay unused. */
  readonly mtt: number;
  /** Completions of each completion queue, as its NIC counts them. */
  readonly cqIndex: number;
}

export const USUAL_NUMBERS: FirstNumbers = { qpn: 0, cqn: 0, key: 0, mtt: 0, cqIndex: 0 };
