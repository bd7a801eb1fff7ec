/**
 * What a steady run plays. Plain data: it goes to a child process as JSON.
 *
 * The arguments are those of a published run; `work` says what the bench-owned source makes of them. Host 0 sends,
 * host 1 receives, as in the C reference.
 */

export interface SteadyWork {
  readonly kind: 'send' | 'write';
  /** Pieces of a message and bytes of each. */
  readonly pieces: number;
  readonly pieceBytes: number;
  /** Bytes from the start of a piece to that of the next: what is above `pieceBytes` is room for odd addresses. */
  readonly pitch: number;
  /** Queue pairs that send; the others stay idle. */
  readonly used: number;
  /** How many of these send in one batch: a divisor of `used`. They take turns. */
  readonly atOnce: number;
}

export interface SteadySpec {
  readonly work: SteadyWork;
  readonly plusargs: readonly string[];
  readonly seed: number;
  /** Requests before the first measurement. */
  readonly warmUp: number;
  /** Fewest requests of a measurement; it ends with a batch. */
  readonly perRound: number;
}

/** Requests that are played and discarded before anything is timed (performance design, section 7). */
const WARM_UP = 20_000;

/** Places that a queue pair's requests go round in, in units of a doorbell. */
const ROUND = 5;

export interface SteadyShape {
  readonly kind: SteadyWork['kind'];
  /** Bytes of a piece; default: 4096 of a WRITE, 10 of a SEND. */
  readonly pieceBytes?: number;
  /** Queue pairs of each host, how many of them send (default: all), and in one batch (default: all that send). */
  readonly pairs: number;
  readonly used?: number;
  readonly atOnce?: number;
  /** Requests per doorbell, 1 .. 30. */
  readonly perDoorbell: number;
  readonly perRound: number;
  readonly extra?: readonly string[];
}

/** Goal 1's work: WRITEs of one piece, at any address. Goal 2's: SENDs of 6 x 10 bytes. `slack`: bytes between pieces. */
const SIZES = {
  write: { pieces: 1, pieceBytes: 4096, slack: 256 },
  send: { pieces: 6, pieceBytes: 10, slack: 166 },
} as const;

/**
 * The steady run of a shape, everything on unless `extra` says otherwise.
 * @throws RangeError when the queue pairs that send cannot take turns of equal size
 */
export function steadySpec(shape: SteadyShape): SteadySpec {
  const { pieces, slack, pieceBytes: usual } = SIZES[shape.kind];
  const pieceBytes = shape.pieceBytes ?? usual;
  const pitch = pieceBytes + slack;
  const used = shape.used ?? shape.pairs;
  const atOnce = shape.atOnce ?? used;
  if (used % atOnce !== 0) throw new RangeError(`${used} queue pairs in turns of ${atOnce}`);
  const count = shape.kind === 'send' ? '+SEND_WQE_NUM' : '+WRITE_WQE_NUM';
  const plusargs = [
    `+RC_QP_NUM=${shape.pairs}`,
    `${count}=${shape.perDoorbell}`,
    `+SG_NUM=${pieces}`,
    // Not the length of a piece but what the areas have to hold for it.
    `+DATA_CNT=${pitch}`,
    `+DB_NUM=${ROUND}`,
    '+MR_GRANULARITY=qp',
    '+ONE_SIDE_LAUNCH=1',
    // A run with an error has no figure: it ends at once instead of playing on.
    '+UVM_MAX_QUIT_COUNT=1',
    ...(shape.extra ?? []),
  ];
  const work = { kind: shape.kind, pieces, pieceBytes, pitch, used, atOnce };
  return { work, plusargs, seed: 1, warmUp: WARM_UP, perRound: shape.perRound };
}
