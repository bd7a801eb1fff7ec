/** How the bugs of commandFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with every command that must be refused. */
const REFUSED_COMMANDS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=refused_commands',
  '+SEQ_COUNT=50',
];

export const COMMAND_ROWS = [
  {
    name: 'mtu_doubled',
    block: 'command engine',
    description: 'requests are cut at twice the path MTU',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['WIRE_MTU'],
    needs: ['+MTU=256', '+DATA_CNT=3000', '+DATA_UNIT=B'],
  },
  {
    name: 'read_mtu_doubled',
    block: 'command engine',
    description: 'answers to READs are cut at twice the path MTU',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['WIRE_READ_LENGTH'],
    needs: [
      ...['+MTU=256', '+DATA_CNT=3000', '+DATA_UNIT=B', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
      ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=2'],
    ],
  },
  {
    name: 'query_unanswered',
    block: 'command engine',
    description: 'every fifth query ends with success and without an answer in its outbox',
    decides: 'QUERY_QP of QP # begins',
    caughtBy: ['HCA_CMD_OUTBOX'],
  },
  {
    name: 'status_early',
    block: 'command engine',
    description: 'a status is shown while a command is being carried out',
    decides: 'INIT_HCA of the NIC',
    caughtBy: ['HCA_CMD_EARLY_STATUS'],
  },
  {
    name: 'limits_context_size',
    block: 'command engine',
    description: 'QUERY_DEV_LIM tells another size of completion-queue contexts',
    decides: 'QUERY_DEV_LIM of the NIC',
    caughtBy: ['HCA_DEV_LIM'],
  },
  {
    name: 'refusal_ok',
    block: 'command engine',
    description: 'a change of state that is not possible is answered with success, and not made',
    decides: 'RST2INIT of QP #',
    caughtBy: ['HCA_CMD_REFUSAL'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'refusal_status',
    block: 'command engine',
    description: 'whatever is wrong with a command, its status is BAD_PARAM',
    decides: 'HW2SW_MPT of key #',
    caughtBy: ['HCA_CMD_REFUSAL'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'refused_query',
    block: 'command engine',
    description: 'a query that is refused is answered all the same',
    decides: 'NIC writes # B of memory',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'refused_region',
    block: 'command engine',
    description: 'a region that is refused for its key leaves its protection domain in the region that has the key',
    decides: 'completion LOC_PROT_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'refused_transition',
    block: 'command engine',
    description: 'a change of state that is refused sets the PSN back',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: ['WIRE_PSN', 'SCB_QUERY_QP', 'SCB_STUCK'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'opcode_cut',
    block: 'command engine',
    description: 'of the opcode of a command only the lower eight bits count',
    decides: 'command # of the NIC',
    caughtBy: ['HCA_CMD_REFUSAL'],
    needs: REFUSED_COMMANDS,
  },
  {
    name: 'go_ignored',
    block: 'command engine',
    description: 'a command begins when its last dword is written, whatever its go bit',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS'],
    needs: REFUSED_COMMANDS,
  },
] as const satisfies readonly FaultRow[];
