/** What is told of a query of a completion queue. */

/** What a NIC says of a completion queue. */
export interface CqAttributes {
  /** Completions that it holds. */
  readonly entries: number;
  /** It has overflowed. */
  readonly overflowed: boolean;
  /** Completions written since it was made, modulo 2^32. */
  readonly written: number;
}

/** What a NIC has said of one, and what software knows of it. */
export interface CqQuery {
  readonly host: number;
  readonly cqn: number;
  /** As it was granted; undefined where it was given another size meanwhile. */
  readonly entries: number | undefined;
  /** Completions that were in memory, and whether it was in error, when software began to ask. */
  readonly written: number;
  readonly wasInError: boolean;
  readonly said: CqAttributes;
}
