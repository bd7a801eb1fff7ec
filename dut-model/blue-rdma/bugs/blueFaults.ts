/** All bugs that can be planted in the blue-rdma NIC. */
import type { BlueFault } from './blueFault.ts';
import { RECEIVE_FAULTS } from './receiveFaults.ts';
import { RING_FAULTS } from './ringFaults.ts';
import { SEND_FAULTS } from './sendFaults.ts';
import { TABLE_FAULTS } from './tableFaults.ts';
import { WINDOW_FAULTS } from './windowFaults.ts';

export const BLUE_FAULTS: readonly BlueFault[] = [
  ...WINDOW_FAULTS,
  ...RECEIVE_FAULTS,
  ...SEND_FAULTS,
  ...TABLE_FAULTS,
  ...RING_FAULTS,
];
