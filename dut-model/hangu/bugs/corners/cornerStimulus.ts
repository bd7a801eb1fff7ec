/** Stimulus that several bugs of corners share; each adds what it needs besides. */

/** Calls in any order on three connections, with losses. */
export const LOSSY_CALLS = [
  '+UVM_TESTNAME=test_random_verbs',
  '+RC_QP_NUM=3',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SEQ_COUNT=1',
  '+LOSS_PCT=3',
  '+ACK_TIMEOUT=5',
] as const;

/** Receives that come late, with losses. */
export const LOSSY_WAITS = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=late_receives',
  '+RC_QP_NUM=4',
  '+LOSS_PCT=6',
  '+ACK_TIMEOUT=4',
  '+SEQ_COUNT=20',
] as const;

/** All kinds of requests with fences, events and immediates, over the wrap of PSNs, with losses. */
export const LOSSY_MIX = [
  '+UVM_TESTNAME=test_direct_param',
  '+HOST_NUM=2',
  '+PROC_NUM=1',
  '+RC_QP_NUM=4',
  '+DB_NUM=3',
  '+SEND_WQE_NUM=5',
  '+RECV_WQE_NUM=5',
  '+WRITE_WQE_NUM=4',
  '+READ_WQE_NUM=4',
  '+DATA_CNT=3000',
  '+DATA_UNIT=B',
  '+MTU=256',
  '+LOSS_PCT=2',
  '+ACK_TIMEOUT=5',
  '+FENCE=40',
  '+SOLICITED=50',
  '+IMM=40',
  '+PSN=wrap',
] as const;

/** Calls in drawn surroundings, with losses. */
export const LOSSY_DRAWS = [
  '+UVM_TESTNAME=test_random_verbs',
  '+DRAW_WIDE=0',
  '+DRAW_KNOBS=0',
  '+RC_QP_NUM=4',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+HOST_NUM=2',
  '+LOSS_PCT=3',
  '+ACK_TIMEOUT=5',
  '+SEQ_COUNT=2',
] as const;

/** A hundred small messages on each connection. */
export const MANY_SENDS = [
  '+UVM_TESTNAME=test_direct_param',
  '+HOST_NUM=2',
  '+PROC_NUM=1',
  '+RC_QP_NUM=2',
  '+DB_NUM=10',
  '+SEND_WQE_NUM=10',
  '+RECV_WQE_NUM=10',
  '+DATA_CNT=8',
  '+DATA_UNIT=B',
] as const;
