import type { AccessArea } from '../../agents/pcie/faults/place/accessPlace.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';

/** Who looks on at the ports of the NICs, to tell of what happened when. It changes nothing. */
export interface TrafficWatcher {
  /** A frame has reached the NIC of a host: byte-store offset of its destination address, and bytes. */
  arrived(host: number, data: number, length: number): void;
  /** A NIC sends a frame, whose first bit is on the wire at `time`, ps. */
  sent(host: number, data: number, length: number, time: SimTime): void;
  /** A NIC reads or writes `length` bytes of host memory. @param area what lies there, as the kind of NIC says */
  accessed(host: number, isWrite: boolean, area: AccessArea, length: number): void;
}
