/**
 * Whether software tells its NIC how many completions it has taken (consumer indices), so that a queue which overflows is found: when
 * it has taken one of `parts` parts of a ring, or all that there is, and before it posts. 0 parts: it never does.
 */
export interface CqIndices {
  readonly parts: number;
}

export const NO_CQ_INDICES: CqIndices = { parts: 0 };
