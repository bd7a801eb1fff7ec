/** How the bugs of responseFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, SLOW_LINK, SLOW_READS, WRONG_KEYS } from '../../fault.ts';

/** READs and nothing else, several at once. */
const READS_AT_ONCE = [
  ...SLOW_READS.filter((arg) => /^\+\w+_NUM=/.test(arg) && !arg.startsWith('+READ')),
  '+READ_WQE_NUM=8',
];

export const RESPONSE_ROWS = [
  {
    name: 'ack_wrong_psn',
    block: 'response',
    description: 'every third acknowledgement carries the PSN after the right one',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_PSN', 'SCB_STATUS', 'SCB_STUCK'],
  },
  {
    name: 'msn_stuck',
    block: 'response',
    description: 'the MSN of acknowledgements stays at 1',
    caughtBy: ['WIRE_MSN'],
  },
  {
    name: 'msn_zero',
    block: 'response',
    description: 'the MSN of acknowledgements is always 0',
    caughtBy: ['WIRE_MSN'],
  },
  {
    name: 'msn_of_refused',
    block: 'response',
    description: 'the MSN of a NAK counts the message that it refuses',
    caughtBy: ['WIRE_MSN'],
    needs: WRONG_KEYS,
  },
  {
    name: 'credits_invented',
    block: 'response',
    description: 'acknowledgements offer 32 receives, whatever is posted',
    caughtBy: ['SCB_CREDITS'],
  },
  {
    name: 'rnr_timer',
    block: 'response',
    description: 'a receiver that is not ready asks for the shortest time, whatever its queue pair was given',
    caughtBy: ['WIRE_RNR'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+MIN_RNR_TIMER=3'],
  },
  {
    name: 'answers_after_stop',
    block: 'response',
    description: 'a queue pair goes on answering READs after it was stopped',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3'],
  },
  {
    name: 'nak_repeated',
    block: 'response',
    description: 'a NAK that takes its queue pair to the error state is sent twice',
    caughtBy: ['WIRE_SILENT'],
    needs: WRONG_KEYS,
  },
  {
    name: 'dest_read_limit',
    block: 'response',
    description: 'READs are answered for which the queue pair has no resources',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=6'],
  },
  {
    name: 'read_unanswered',
    block: 'response',
    description: 'every seventh READ is overlooked until it is asked for again',
    caughtBy: ['SCB_UNANSWERED'],
    needs: ['+ACK_TIMEOUT=3'],
  },
  {
    name: 'read_rest_early',
    block: 'response',
    description: 'the rest of a READ that is asked for again is taken from one packet further back in memory',
    caughtBy: ['SCB_READ_AGAIN'],
    needs: SLOW_READS,
  },
  {
    name: 'read_forgotten',
    block: 'response',
    description: 'of the READs that it must know a responder has forgotten the oldest when that is asked for again',
    caughtBy: ['SCB_READ_FORGOTTEN'],
    needs: [...SLOW_LINK, ...READS_AT_ONCE, '+MAX_RD_ATOMIC=2'],
  },
  {
    name: 'read_wrap_forgotten',
    block: 'response',
    description: 'the rest of a READ is not answered again when the PSN wraps between its start and what is asked for',
    caughtBy: ['SCB_READ_FORGOTTEN'],
    needs: [...SLOW_READS, '+PSN=0xfffffe'],
  },
  {
    name: 'answers_last',
    block: 'response',
    description: 'the answers to READs wait as long as there is anything else to send',
    caughtBy: ['SCB_STARVED'],
    needs: [
      ...READS_AT_ONCE.filter((arg) => !/^\+(READ|WRITE|RC)_/.test(arg)),
      ...['+RC_QP_NUM=2', '+READ_WQE_NUM=1', '+WRITE_WQE_NUM=8', '+DB_NUM=1', '+SG_NUM=1', '+LINK_GBPS=10'],
      ...['+DATA_CNT=700000', '+DATA_UNIT=B', '+MTU=256'],
    ],
  },
  {
    name: 'read_resource_missing',
    block: 'response',
    description: 'a READ is refused when it needs the last of several resources of its queue pair',
    caughtBy: ['SCB_STATUS'],
    needs: [...READS_AT_ONCE, '+MAX_RD_ATOMIC=2', '+PCIE_MEMORY_NS=20000'],
  },
  {
    name: 'read_refused_from_start',
    block: 'response',
    description: 'a READ that fails halfway is refused from its first packet on',
    caughtBy: ['WIRE_NAK'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=stop_midway',
      '+RC_QP_NUM=11',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
  },
] as const satisfies readonly FaultRow[];
