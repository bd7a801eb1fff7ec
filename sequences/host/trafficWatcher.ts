import type { SimTime } from '../../uvm/kernel/scheduler.ts';

/** Who looks on at the ports of the NICs, to tell of what happened when. It changes nothing. */
export interface TrafficWatcher {
  /** A frame has reached the NIC of a host: byte-store offset of its destination address, and bytes. */
  arrived(host: number, data: number, length: number): void;
  /** A NIC sends a frame, whose first bit is on the wire at `time`, ps. */
  sent(host: number, data: number, length: number, time: SimTime): void;
  /** A NIC reads or writes host memory: address in halves, and bytes. */
  accessed(host: number, isWrite: boolean, hi: number, lo: number, length: number): void;
}
