/** How the bugs of injectedFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const DROPPED = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=dropped_packets', '+SEQ_COUNT=1'];

const REFUSED = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=refused_packets', '+SEQ_COUNT=7', '+MTU=1024'];

const ANSWERED = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=bad_responses', '+SEQ_COUNT=5', '+ACK_TIMEOUT=5'];

export const INJECTED_ROWS = [
  {
    name: 'version_unchecked',
    block: 'parser',
    description: 'packets of other transport versions are taken',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_NO_MESSAGE', 'WIRE_ACK_PSN'],
    needs: DROPPED,
  },
  {
    name: 'partition_unchecked',
    block: 'responder',
    description: 'requests of other partitions are taken',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_NO_MESSAGE', 'WIRE_ACK_PSN'],
    needs: DROPPED,
  },
  {
    name: 'service_unchecked',
    block: 'responder',
    description: 'a reliable queue pair takes requests of an unreliable connection, and the other way round',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_NO_MESSAGE', 'WIRE_ACK_PSN'],
    needs: DROPPED,
  },
  {
    name: 'stale_nak_taken',
    block: 'requester',
    description: 'a refusal of what has been acknowledged ends the oldest request that has not',
    decides: 'completion REM_INV_REQ_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: DROPPED,
  },
  {
    name: 'ghost_ack_taken',
    block: 'requester',
    description: 'an acknowledgement of what was never sent acknowledges all that was',
    decides: 'completion RDMA_WRITE of the send queue',
    caughtBy: ['SCB_EARLY'],
    needs: DROPPED,
  },
  {
    name: 'reserved_opcode_counted',
    block: 'responder',
    description: 'a request of a reserved opcode is passed over, and the next one expected',
    decides: 'QUERY_QP of QP # begins',
    caughtBy: ['SEQ_STATUS', 'SCB_QUERY_QP'],
    needs: REFUSED,
  },
  {
    name: 'stray_packets_dropped',
    block: 'responder',
    description: 'a packet that continues no message is passed over, and the next one expected',
    decides: 'QUERY_QP of QP # begins',
    caughtBy: ['SEQ_STATUS', 'SCB_QUERY_QP'],
    needs: REFUSED,
  },
  {
    name: 'first_length_unchecked',
    block: 'responder',
    description: 'the first packet of a message may be shorter than the path MTU',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SEQ_STATUS', 'SCB_QUERY_QP', 'WIRE_ACK_PSN'],
    needs: REFUSED,
  },
  {
    name: 'only_length_unchecked',
    block: 'responder',
    description: 'the only packet of a message may be longer than the path MTU',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SEQ_STATUS', 'SCB_NO_MESSAGE', 'WIRE_ACK_PSN'],
    needs: REFUSED,
  },
  {
    name: 'reserved_nak_ignored',
    block: 'requester',
    description: 'a NAK of a reserved code is taken for nothing',
    caughtBy: ['SEQ_STATUS'],
    needs: ANSWERED,
  },
  {
    name: 'reserved_syndrome_acks',
    block: 'requester',
    description: 'a reserved syndrome is taken for an acknowledgement',
    decides: 'completion RDMA_WRITE of the send queue',
    caughtBy: ['SEQ_STATUS'],
    needs: ANSWERED,
  },
] as const satisfies readonly FaultRow[];
