/**
 * Where things lie in the memory of a host with a blue-rdma NIC. Rings, which are contiguous, in the kernel's area: upper
 * half of the address 0, physical equal to virtual. Data by index of the queue pair. Data only.
 */

/** Lower halves. The rings of channel c are `CHANNEL_BYTES * c` behind these. */
export const SEND_RING_LO = 0x1000_0000;
export const REPORT_RING_LO = 0x1002_0000;
export const CHANNEL_BYTES = 0x4_0000;
export const COMMAND_REQUEST_LO = 0x1010_0000;
export const COMMAND_RESPONSE_LO = 0x1012_0000;
export const RAW_SEND_LO = 0x1014_0000;
export const RAW_RECEIVE_LO = 0x1016_0000;
/** Slots of received raw frames, frames to be sent, and arrays of page addresses. */
export const RAW_SLOTS_LO = 0x1020_0000;
export const RAW_FRAMES_LO = 0x1040_0000;
export const PAGE_ARRAYS_LO = 0x1060_0000;
/** Frames of software that are to be sent. */
export const SOFTWARE_FRAMES_LO = 0x1080_0000;

/** Data of the queue pair with index i: [47] = 1, [46:33] = i, [32] = 0 source, 1 receive; 4 GiB each. */
export const BLUE_DATA = { hi: 0x8000, indexShift: 1, receiveHi: 1 } as const;
