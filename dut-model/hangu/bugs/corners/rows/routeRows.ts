/** How the bugs of routeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { LOSSY_CALLS } from '../cornerStimulus.ts';

export const ROUTE_ROWS = [
  {
    name: 'immediate_in_send_cq',
    block: 'responder',
    description: 'receives of WRITEs with immediate data of one packet complete in the completion queue of requests',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
    needs: [
      '+UVM_TESTNAME=test_direct_param',
      '+HOST_NUM=2',
      '+PROC_NUM=1',
      '+RC_QP_NUM=2',
      '+UC_QP_NUM=1',
      '+WRITE_WQE_NUM=4',
      '+IMM=100',
      '+SPLIT_CQ=1',
      '+DATA_CNT=64',
      '+DATA_UNIT=B',
    ],
  },
  {
    name: 'solicited_in_send_cq',
    block: 'responder',
    description: 'receives of solicited messages complete in the completion queue of requests',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
    needs: [
      '+UVM_TESTNAME=test_direct_param',
      '+HOST_NUM=2',
      '+PROC_NUM=1',
      '+RC_QP_NUM=2',
      '+SEND_WQE_NUM=4',
      '+RECV_WQE_NUM=4',
      '+SOLICITED=50',
      '+SPLIT_CQ=1',
      '+DATA_CNT=64',
      '+DATA_UNIT=B',
    ],
  },
  {
    name: 'empty_in_send_cq',
    block: 'responder',
    description: 'receives of messages of no bytes complete in the completion queue of requests',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
    needs: [...LOSSY_CALLS, '--seed', '3'],
  },
  {
    name: 'failed_in_receive_cq',
    block: 'send completion',
    description: 'requests that fail complete in the completion queue of receives',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=4', '+SPLIT_CQ=1'],
  },
  {
    name: 'peer_of_former_datagram',
    block: 'completion unit',
    description: 'datagrams complete with the number of the first sender',
    caughtBy: ['SCB_REMOTE_QPN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=datagram_peers', '+UD_QP_NUM=3'],
  },
  {
    name: 'event_of_odd_queues',
    block: 'event unit',
    description: 'completion events of queues with odd numbers go to the other event queue',
    caughtBy: ['HCA_EQE'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '+DRAW_CORNERS=1', '--seed', '1'],
  },
  {
    name: 'event_of_former_pair',
    block: 'event unit',
    description: 'an asynchronous event tells the number of the event of its type before',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: [...LOSSY_CALLS, '--seed', '1'],
  },
] as const satisfies readonly FaultRow[];
