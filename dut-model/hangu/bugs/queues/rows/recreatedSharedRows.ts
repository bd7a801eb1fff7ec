/** How the bugs of recreatedSharedFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const RECREATED: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=recreated_shared_receives', '+UC_QP_NUM=0'],
  ...['+PROC_NUM=1', '+SEQ_COUNT=2'],
];
const RELIABLE: readonly string[] = [...RECREATED, '+RC_QP_NUM=3', '+UD_QP_NUM=0'];
const DATAGRAMS: readonly string[] = [...RECREATED, '+RC_QP_NUM=0', '+UD_QP_NUM=3'];
const block = 'shared receives';

export const RECREATED_SHARED_ROWS = [
  {
    name: 'srq_recreated_full',
    block,
    description: 'a shared receive queue begins with as many receives as the one of its number had left',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_ASYNC_EVENT', 'SCB_NO_MESSAGE', 'SCB_ORDER'],
    needs: RELIABLE,
  },
  {
    name: 'srq_recreated_armed',
    block,
    description: 'a shared receive queue begins with the limit that the one of its number had',
    decides: 'QUERY_SRQ of the NIC',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_QUERY_SRQ'],
    needs: RELIABLE,
  },
  {
    name: 'srq_recreated_place',
    block,
    description: 'a shared receive queue begins at the slot at which the one of its number has ended',
    decides: 'SRQ #: RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_ORDER', 'SCB_REFUSED', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_SURPLUS'],
    needs: RELIABLE,
  },
  {
    name: 'srq_domain_of_pair',
    block,
    description:
      'keys of shared receives are held against the protection domain of the queue pair and not of the queue',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, remote operational error',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED'],
    needs: RELIABLE,
  },
  {
    name: 'srq_limit_race_lost',
    block,
    description: 'a limit that is reached within 500 ns of the receive before it disarms without an event',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: RELIABLE,
  },
  {
    name: 'srq_limit_race_twice',
    block,
    description: 'a receive that is taken within 500 ns of the one that has reached the limit reaches it again',
    decides: 'asynchronous event SRQ_LIMIT_REACHED for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: RELIABLE,
  },
  {
    name: 'srq_datagram_length',
    block: 'responder',
    description: 'a datagram that takes a shared receive is completed without the length of its GRH',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_BYTE_LEN'],
    needs: DATAGRAMS,
  },
  {
    name: 'srq_datagram_source',
    block: 'responder',
    description: 'a datagram that takes a shared receive is completed with another source queue pair',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_REMOTE_QPN'],
    needs: DATAGRAMS,
  },
] as const satisfies readonly FaultRow[];
