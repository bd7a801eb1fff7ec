/**
 * Where random requests put their data. Each doorbell has a window of its own in both areas of a queue pair, and each
 * use of memory a lane of its own in the window, so that the two ends can place buffers without asking each other and
 * nothing can overlap: source area = own sources, ranges the peer READs; receive area = RECV buffers, ranges the peer
 * WRITEs, own READ destinations. Within a lane buffers follow each other with a gap between any two.
 */
import type { ParameterValues } from '../../table/parameterTable.ts';
import { sgBytes } from '../../runConfig.ts';

/** Lanes of the window, in either area. */
export const LANE = { own: 0, peer: 1, read: 2 } as const;
const LANES = 3;

/** Largest gap that is put in front of a buffer: up to a page to reach a page boundary, and some bytes more. */
const MAX_GAP = 4096 + 128;
/** A receive buffer may be this much longer than the message that it waits for. */
export const MAX_SPARE = 64;
/** Room for a GRH entry with its gap. */
const GRH_ROOM = 256;

/** Bytes that one lane of one doorbell can need. */
function laneBytes(v: ParameterValues): number {
  const requests = Math.max(1, v.SEND_WQE_NUM + v.WRITE_WQE_NUM + v.READ_WQE_NUM);
  const request = sgBytes(v) * v.SG_NUM + MAX_SPARE + (v.SG_NUM + 1) * MAX_GAP + GRH_ROOM;
  return Math.ceil((requests * request) / 4096) * 4096;
}

/** Start of a lane of a doorbell's window. */
export function laneStart(v: ParameterValues, doorbell: number, lane: number): number {
  return (doorbell * LANES + lane) * laneBytes(v);
}

/** Bytes of an area that random requests may use. */
export function randomExtent(v: ParameterValues): number {
  return v.DB_NUM * LANES * laneBytes(v);
}
