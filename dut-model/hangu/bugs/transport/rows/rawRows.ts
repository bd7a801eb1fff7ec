/** How the bugs of rawFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const RAW_FRAMES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=raw_frames',
  '+RC_QP_NUM=1',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SEQ_COUNT=2',
];

export const RAW_ROWS = [
  {
    name: 'raw_fill_dirty',
    block: 'gather',
    description: 'frames of software that are shorter than 60 bytes are not filled up with zeros',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SCB_RAW_SENT'],
    needs: RAW_FRAMES,
  },
  {
    name: 'raw_length_unchecked',
    block: 'send queue',
    description: 'frames of software that are shorter than an Ethernet header are sent',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_RAW_COMPLETION', 'WIRE_FOREIGN'],
    needs: RAW_FRAMES,
  },
  {
    name: 'raw_promiscuous',
    block: 'frame receiver',
    description: 'frames for other ports are received by the raw packet queue pair',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_RAW_RECEIVED'],
    needs: RAW_FRAMES,
  },
  {
    name: 'raw_counts_fcs',
    block: 'frame receiver',
    description: 'completions of raw receives count the check sequence, which is not in memory',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_RAW_RECEIVED'],
    needs: RAW_FRAMES,
  },
  {
    name: 'raw_lost',
    block: 'frame receiver',
    description: 'every fifth frame of software is dropped although a receive is posted',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_RAW_MISSING'],
    needs: RAW_FRAMES,
  },
] as const satisfies readonly FaultRow[];
