/** How the bugs of payloadFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, WRONG_KEYS } from '../../fault.ts';

export const PAYLOAD_ROWS = [
  {
    name: 'write_carry',
    block: 'responder',
    description: 'the upper half of an address does not count on between the packets of a WRITE',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK',
    caughtBy: ['SCB_STATUS', 'SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=address_carries'],
  },
  {
    name: 'payload_dropped',
    block: 'responder',
    description: 'every 13th piece of payload is acknowledged and not written',
    decides: '# B are in data',
    caughtBy: ['SCB_DATA'],
  },
  {
    name: 'write_rounded',
    block: 'responder',
    description: 'the end of a message is written as a whole dword, over the bytes behind it',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_GUARD'],
  },
  {
    name: 'scatter_shifted',
    block: 'responder',
    description: 'every tenth piece is written one byte too far',
    decides: '# B are in data',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
  },
  {
    name: 'data_after_completion',
    block: 'responder',
    description: 'the end of every fourth message is written after its completion',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
  },
  {
    name: 'write_overtaken',
    block: 'responder',
    description: 'the data of WRITEs are written after the messages that follow them have been received',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_OVERTAKEN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=write_order'],
  },
  {
    name: 'grh_time_to_live',
    block: 'responder',
    description: 'the IP header in front of a datagram has lost its time to live',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_UD_GRH'],
  },
  {
    name: 'data_written_twice',
    block: 'responder',
    description: 'every sixth piece is written again after the buffer was given back',
    decides: '# B are in data',
    caughtBy: ['SCB_STRAY_WRITE'],
  },
  {
    name: 'recv_key_ignored',
    block: 'responder',
    description: 'what the keys of a receive do not open is left out, and the receive completes with success',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
  },
  {
    name: 'recv_long_list',
    block: 'responder',
    description: 'a packet that begins behind the eighth entry of a receive is placed at the first ones',
    caughtBy: ['SCB_DATA'],
    needs: ['+SG_NUM=12', '+MTU=256', '+UD_QP_NUM=0'],
  },
] as const satisfies readonly FaultRow[];
