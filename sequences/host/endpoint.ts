import type { Qp } from '../../env/verbs/verbsObjects.ts';

/**
 * One end of a connection as both sides need it to write work requests: where its areas start and which key opens
 * which region. What applications exchange out of band.
 */
export class Endpoint {
  /** Replaced when a sequence destroys it and makes another one in its place. */
  qp: Qp;
  /**
   * Starts of the areas of all queue pairs of the host, and where this one's begin: source area and receive area, as
   * signed halves, hi and lo of each.
   */
  readonly bases: Int32Array;
  readonly firstBase: number;
  /** Keys of all queue pairs of the host, and where this one's begin. */
  readonly keys: Int32Array;
  readonly firstKey: number;
  /** The other end; null before the connection, and for a queue pair without one. */
  peer: Endpoint | null = null;
  /** Ends of all queue pairs of the host, by index: of those of one process each opens what the others have registered. */
  readonly siblings: readonly Endpoint[];
  /** UD: address handle of the peer's host. */
  ah = 0;

  constructor(
    qp: Qp,
    bases: Int32Array,
    firstBase: number,
    keys: Int32Array,
    firstKey: number,
    siblings: readonly Endpoint[] = [],
  ) {
    this.qp = qp;
    this.bases = bases;
    this.firstBase = firstBase;
    this.keys = keys;
    this.firstKey = firstKey;
    this.siblings = siblings;
  }
}
