/** Items of a host's analysis ports that are not in agents/verbs. Reused: valid while `write` runs. */

/** What an allowed area is; `queue` and `inbox` mark memory that the NIC may read but never write. */
export type AreaKind = 'cq' | 'eq' | 'icm' | 'outbox' | 'msix' | 'queue' | 'inbox';

/** The NIC may, or may no longer, write a range of physical memory, or read one of kind `queue` or `inbox`. */
export class AreaItem {
  host = 0;
  kind: AreaKind = 'icm';
  hi = 0;
  lo = 0;
  length = 0;
  /** Queue that the range is a piece of (-1 = it stands alone), the piece's place in its ring, the ring's size. */
  id = -1;
  offset = 0;
  ringBytes = 0;
  /** Bytes of an entry of the ring; 1 where that was not said. */
  entryBytes = 1;
  /** The queue has had another ring so far. */
  continues = false;
  allowed = true;
}

/** Software has armed a completion queue. */
export class CqArmed {
  host = 0;
  cqn = 0;
  /** For solicited completions only, also after what was asked for before. */
  solicitedOnly = false;
  /** Completions in memory that it has not taken. */
  unseen = 0;
}

/** A completion queue has sent an event, or was destroyed. */
export class CqNumber {
  host = 0;
  cqn = 0;
}

/** A queue pair left RTS for good (reset or destroyed), or only says which one is meant. */
export class QpGone {
  host = 0;
  qpn = 0;
}

/** Software stops a queue pair. */
export class QpStopped {
  host = 0;
  qpn = 0;
  /** It destroys it; otherwise it takes it to ERR. */
  destroyed = false;
}

/** A queue pair has come to SQD, where what is not begun waits, or has left it. */
export class QpHeld {
  host = 0;
  qpn = 0;
  held = false;
}

/** A region was deregistered. */
export class MrGone {
  host = 0;
  key = 0;
}

/** Data memory of a process that software has just written. */
export interface DataWritten {
  readonly host: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}
