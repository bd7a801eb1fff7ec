/** Stimuli of shipped sequences with atomics. */
const SEQUENCE = '+UVM_TESTNAME=test_sequence';
const RC_ALONE = ['+UC_QP_NUM=0', '+UD_QP_NUM=0'];

/** The arguments that play a sequence on RC alone, `count` times. */
function playing(sequence: string, qps: number, more: readonly string[], count = 1): readonly string[] {
  return [SEQUENCE, `+UVM_TEST_SEQ=${sequence}`, `+RC_QP_NUM=${qps}`, `+SEQ_COUNT=${count}`, ...RC_ALONE, ...more];
}

/** Values that carry, wrap and do not match. */
export const COUNTERS = playing('atomic_counters', 2, []);
/** Answers are lost. */
export const REPEATS = playing('atomic_repeats', 2, ['+ACK_TIMEOUT=5'], 3);
/** The same with PSNs that wrap in the middle of a group. */
export const REPEATS_WRAP = playing('atomic_repeats', 2, ['+ACK_TIMEOUT=5', '+PSN=wrap'], 3);
/** Forged repeats from far back. */
export const DEEP = playing('deep_repeats', 1, []);
/** The same with few entries. */
export const DEEP_SMALL = playing('deep_repeats', 1, ['+NIC_AQ_DEPTH=16', '+NIC_AQ_GROUP=4']);
/** The same with one context on the chip. */
export const DEEP_CACHE = playing('deep_repeats', 3, ['+NIC_AQ_CACHE=1']);
/** The same with few entries. */
export const DEEP_SMALL_CACHE = playing('deep_repeats', 3, ['+NIC_AQ_CACHE=1', '+NIC_AQ_DEPTH=16', '+NIC_AQ_GROUP=4']);
/** All that must be refused. */
export const REFUSED = playing('refused_atomics', 12, []);
/** Many queue pairs on one word. */
export const SHARED = playing('shared_words', 8, ['+PROC_NUM=1'], 2);
/** Fences. */
export const FENCED = playing('fenced_atomics', 2, []);
/** Atomics one behind the other with one outstanding at a time. */
export const LIMITED = playing('shared_words', 2, ['+MAX_RD_ATOMIC=1']);
/** Requests behind an atomic that a NIC drops. */
export const DISCARDED = playing('discarded_atomics', 1, ['+NIC_ATOMIC_DISCARD=1', '+ACK_TIMEOUT=4', '+RETRY_CNT=1']);
/** The same, which its peer permits before it comes again. */
export const REVIVED = playing('revived_atomics', 1, ['+NIC_ATOMIC_DISCARD=1', '+ACK_TIMEOUT=4']);
/** As many READs and atomics at once as there may be. */
export const MANY = playing('many_outstanding', 1, [
  ...['+MAX_RD_ATOMIC=256', '+MAX_SEND_WR=512', '+NIC_REQUESTS_PER_QP=512', '+NIC_PSN_WINDOW=512'],
  ...['+ACK_TIMEOUT=11', '+LINK_LATENCY_NS=200000', '+LINK_GBPS=5'],
]);
/** Results that cannot be read when they are asked for. */
export const LOST_RESULTS = playing('lost_results', 2, ['+ACK_TIMEOUT=5'], 4);
/** Many atomics on four words while frames are lost. */
export const STORM = playing('atomic_storm', 8, ['+PROC_NUM=1', '+ACK_TIMEOUT=6', '+LOSS_PCT=4']);
/** READs and WRITEs that have entries in the ACK queue, on a link that loses parts of long answers. */
export const KEPT_READS: readonly string[] = [
  '+UVM_TESTNAME=test_direct_param',
  '+NIC_AQ_REPEATS=1',
  '+RC_QP_NUM=2',
  ...RC_ALONE,
  '+READ_WQE_NUM=6',
  '+WRITE_WQE_NUM=6',
  '+DB_NUM=2',
  '+DATA_CNT=3000',
  '+MTU=1024',
  '+ACK_TIMEOUT=6',
  '+LOSS_PCT=5',
];
