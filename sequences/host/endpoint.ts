import type { Qp } from '../../env/verbsObjects.ts';

/**
 * One end of a connection as both sides need it to write work requests: where its areas start and which key opens
 * which region. What applications exchange out of band.
 */
export class Endpoint {
  readonly qp: Qp;
  /** Start of the source area and of the receive area, as signed halves: hi and lo of each. */
  readonly base: Int32Array = new Int32Array(4);
  /** Keys of all queue pairs of the host, and where this one's begin. */
  readonly keys: Int32Array;
  readonly firstKey: number;
  /** The other end; null before the connection, and for a queue pair without one. */
  peer: Endpoint | null = null;
  /** UD: address handle of the peer's host. */
  ah = 0;

  constructor(qp: Qp, keys: Int32Array, firstKey: number) {
    this.qp = qp;
    this.keys = keys;
    this.firstKey = firstKey;
  }
}
