/** Stimulus for bugs that show only where the link loses, repeats, disorders, damages or marks frames. */

const CONNECTIONS = [
  '+RC_QP_NUM=2',
  '+DB_NUM=1',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SG_NUM=1',
  '+IMM=0',
  '+ACK_TIMEOUT=5',
];

/** Messages of several packets on reliable connections, and what happens to their frames. */
export function underFaults(...faults: readonly string[]): readonly string[] {
  return [...CONNECTIONS, '+MTU=256', '+DATA_CNT=1500', ...faults];
}

/** The same with messages of one packet. */
export function shortUnderFaults(...faults: readonly string[]): readonly string[] {
  return [...CONNECTIONS, '+MTU=1024', '+DATA_CNT=700', ...faults];
}

/** READs of several packets alone, and what happens to their frames. */
export function readsUnderFaults(...faults: readonly string[]): readonly string[] {
  const work = ['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=6'];
  return [...CONNECTIONS, ...work, '+MTU=256', '+DATA_CNT=1500', ...faults];
}

/** Messages of UC with several packets, and what happens to their frames. */
export function ucUnderFaults(...faults: readonly string[]): readonly string[] {
  const services = ['+RC_QP_NUM=0', '+UC_QP_NUM=2', '+DB_NUM=1', '+UD_QP_NUM=0', '+READ_WQE_NUM=0'];
  return [...services, '+SG_NUM=1', '+MTU=256', '+DATA_CNT=1500', ...faults];
}
