/** ACK time-outs with which a requester finds out soon that nobody answers. */
import { ACK_TIMER_PS } from '../../rdma/timers.ts';

/** Code of the longest time-out with which a loss that no NAK tells of is over soon: 4 ms. */
const LONGEST_TIMEOUT = 10;
export const ACK_TIMEOUTS = [4, 5, 6, 8, LONGEST_TIMEOUT] as const;

/** Nobody is told of the loss of a last packet: its sender waits for its ACK timer. */
export function waitsLong(timeout: number): boolean {
  return timeout === 0 || (ACK_TIMER_PS[timeout] as number) > (ACK_TIMER_PS[LONGEST_TIMEOUT] as number);
}
