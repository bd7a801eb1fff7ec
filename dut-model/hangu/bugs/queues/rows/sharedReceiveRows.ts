/** How the bugs of sharedReceiveFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const MESSAGES: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=shared_receives'],
  ...['+RC_QP_NUM=4', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=2'],
];
const EVENTS: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=shared_receive_events'],
  ...['+RC_QP_NUM=2', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1'],
];
const block = 'shared receives';

export const SHARED_RECEIVE_ROWS = [
  {
    name: 'srq_overlooked',
    block,
    description: 'every fifth message to a queue pair with shared receives is refused although one is there',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, RNR NAK, wait 10us',
    caughtBy: ['SCB_REFUSED', 'SCB_ORDER'],
    needs: EVENTS,
  },
  {
    name: 'srq_slot_skipped',
    block,
    description: 'every seventh receive of a shared queue leads to the slot behind the one that it names',
    decides: 'SRQ #: RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE', 'SCB_MISSING', 'SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_SURPLUS'],
    needs: MESSAGES,
  },
  {
    name: 'srq_ring_order',
    block,
    description: 'receives of a shared queue are taken in the order of their slots, and not in that of their list',
    caughtBy: ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE', 'SCB_MISSING', 'SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_SURPLUS'],
    needs: [
      ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=random_verbs', '+SRQ_NUM=1', '+PROC_NUM=1', '+SEQ_COUNT=2'],
      ...['+RC_QP_NUM=6', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+MAX_RECV_WR=12'],
    ],
  },
  {
    name: 'srq_slot_repeated',
    block,
    description: 'every ninth receive of a shared queue is taken twice',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_SURPLUS'],
    needs: MESSAGES,
  },
  {
    name: 'srq_doorbell_lost',
    block,
    description: 'every fifth doorbell of a shared queue is not counted until the next one',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, RNR NAK, wait 10us',
    caughtBy: ['SCB_REFUSED', 'SCB_STUCK'],
    needs: MESSAGES,
  },
  {
    name: 'srq_limit_reached',
    block,
    description: 'the limit event comes when as many receives are left as the limit says, and not fewer',
    decides: 'asynchronous event SRQ_LIMIT_REACHED for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_QUERY_SRQ'],
    needs: EVENTS,
  },
  {
    name: 'srq_limit_lost',
    block,
    description: 'a limit that is reached disarms without an event',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: EVENTS,
  },
  {
    name: 'srq_limit_again',
    block,
    description: 'a limit is not disarmed by its event',
    decides: 'asynchronous event',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_QUERY_SRQ'],
    needs: EVENTS,
  },
  {
    name: 'srq_limit_once',
    block,
    description: 'a limit is armed only once in the life of a NIC',
    caughtBy: ['SCB_ASYNC_EVENT', 'SCB_QUERY_SRQ'],
    needs: EVENTS,
  },
  {
    name: 'srq_limit_of_next',
    block,
    description: 'the limit event names the queue behind its own',
    decides: 'asynchronous event SRQ_LIMIT_REACHED for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: EVENTS,
  },
  {
    name: 'srq_query_stale',
    block,
    description: 'QUERY_SRQ says the limit that was set last, also when it has been reached',
    decides: 'QUERY_SRQ of the NIC',
    caughtBy: ['SCB_QUERY_SRQ'],
    needs: EVENTS,
  },
  {
    name: 'srq_entry_lost',
    block,
    description: 'a receive that a failing queue pair has taken from a shared queue is not flushed',
    decides: 'asynchronous event QP_LAST_WQE_REACHED for number #',
    caughtBy: ['SCB_MISSING', 'SCB_ORDER', 'SCB_STUCK'],
    needs: EVENTS,
  },
  {
    name: 'last_wqe_lost',
    block,
    description: 'a queue pair with shared receives does not say that its last one has completed',
    decides: 'is in ERR',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: EVENTS,
  },
  {
    name: 'last_wqe_twice',
    block,
    description: 'a queue pair with shared receives says twice that its last one has completed',
    decides: 'asynchronous event QP_LAST_WQE_REACHED for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: EVENTS,
  },
  {
    name: 'last_wqe_early',
    block,
    description: 'a queue pair says that its last shared receive has completed before that has',
    decides: 'asynchronous event QP_LAST_WQE_REACHED for number #',
    caughtBy: ['SCB_ORDER'],
    needs: EVENTS,
  },
] as const satisfies readonly FaultRow[];
