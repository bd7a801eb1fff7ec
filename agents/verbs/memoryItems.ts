/** What is said of host memory besides regions. */

/** What an allowed area is; `queue` and `inbox` mark memory that the NIC may read but never write, `aq` results of atomics. */
export type AreaKind = 'cq' | 'eq' | 'icm' | 'outbox' | 'msix' | 'queue' | 'inbox' | 'aq';

/** The NIC may, or may no longer, write a range of physical memory, or read one of kind `queue` or `inbox`. Reused. */
export class AreaItem {
  host = 0;
  kind: AreaKind = 'icm';
  hi = 0;
  lo = 0;
  length = 0;
  /** Queue pair whose work queue the range is a piece of; -1 = of none, or of several. */
  qpn = -1;
  /** Queue that the range is a piece of (-1 = it stands alone), the piece's place in its ring, the ring's size. */
  id = -1;
  offset = 0;
  ringBytes = 0;
  /** Bytes of an entry of the ring, of which whole ones must be written; 1 where that was not said. */
  entryBytes = 1;
  /** Of a completion queue: offset in its ring of the entry that is written first. */
  start = 0;
  /** The queue has had another ring so far. */
  continues = false;
}

/** Data memory of a process that software writes. */
export interface DataWritten {
  readonly host: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** It goes through the NIC, which writes it between the two calls. Default: software writes it itself, at once. */
  readonly throughNic?: boolean;
}
