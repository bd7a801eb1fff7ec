/** Stimulus for bugs that show only where PCIe fails, is late, or cuts and reorders answers. */

/** Every case of reads that fail, on reliable connections, and answers in pieces and out of order. */
export const PCIE_ERRORS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=pcie_errors',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

/** Contexts that cannot be read, on more queue pairs than the cache holds. */
export const LOST_CONTEXTS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=lost_contexts',
  '+NIC_QPC_CACHE=4',
  '+ACK_TIMEOUT=5',
  '+RC_QP_NUM=8',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

/** The same of NICs whose whole device stops then. */
export const LOST_DEVICES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=lost_devices',
  ...['+NIC_CONTEXT_FATAL=1', '+NIC_QPC_CACHE=4', '+ACK_TIMEOUT=5'],
  ...['+RC_QP_NUM=8', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
];

/** Completion queues whose contexts cannot be read. */
export const LOST_QUEUES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=lost_queues',
  ...['+NIC_CQC_CACHE=4', '+ACK_TIMEOUT=5'],
  ...['+RC_QP_NUM=8', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
];

/** Translation entries that cannot be read, of every kind of request and ring. */
export const LOST_TRANSLATIONS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=lost_translations',
  ...['+NIC_MPT_CACHE=8', '+NIC_MTT_CACHE=8', '+ACK_TIMEOUT=5', '+SEQ_COUNT=32'],
  ...['+RC_QP_NUM=6', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
];

/** Commands whose mailboxes cannot be read. */
export const FAILED_COMMANDS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=failed_commands',
  '+SEQ_COUNT=8',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];
