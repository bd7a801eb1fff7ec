/** How the bugs of changeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with queue pairs that are changed in RTS and SQD. */
const CHANGED_ATTRIBUTES: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=changed_attributes'];

/** Stimulus with queue pairs that are changed in RTS while they are at work. */
const CHANGED_MIDWAY: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=changed_midway',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

export const CHANGE_ROWS = [
  {
    name: 'change_ignored',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD is answered with success, and not made',
    caughtBy: ['SCB_QUERY_QP'],
    needs: CHANGED_ATTRIBUTES,
  },
  {
    name: 'change_refused',
    block: 'command engine',
    description: 'a change of a queue pair in RTS is made, and refused as if it were in another state',
    decides: 'RTS2RTS of QP #',
    caughtBy: ['HCA_CMD_STATUS'],
    needs: CHANGED_ATTRIBUTES,
  },
  {
    name: 'change_psn',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD sets its PSN back',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['WIRE_PSN', 'SCB_QUERY_QP'],
    needs: CHANGED_ATTRIBUTES,
  },
  {
    name: 'change_path',
    block: 'command engine',
    description: 'packets keep the headers of before after the path of their queue pair was changed in SQD',
    decides: 'UC WRITE_FIRST, PSN #',
    caughtBy: ['WIRE_PATH'],
    needs: CHANGED_ATTRIBUTES,
  },
  {
    name: 'change_ends_wait',
    block: 'command engine',
    description: 'a change of a queue pair in RTS ends the wait for a receiver that is not ready',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_RNR'],
    needs: CHANGED_MIDWAY,
  },
  {
    name: 'change_forgets_message',
    block: 'command engine',
    description: 'a change of a queue pair in RTS makes it forget the message that it is receiving',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK',
    caughtBy: ['SCB_REFUSED'],
    needs: CHANGED_MIDWAY,
  },
  {
    name: 'change_forgets_message_uc',
    block: 'command engine',
    description: 'a change of a UC queue pair in RTS makes it forget the message that it is receiving',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_STUCK'],
    needs: [...CHANGED_MIDWAY.filter((arg) => !/_QP_NUM/.test(arg)), '+RC_QP_NUM=0', '+UC_QP_NUM=2', '+UD_QP_NUM=0'],
  },
  {
    name: 'change_forgets_reads',
    block: 'command engine',
    description: 'a change of a queue pair in RTS makes it forget how many READs are outstanding',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: [...CHANGED_MIDWAY, '+MAX_RD_ATOMIC=1'],
  },
] as const satisfies readonly FaultRow[];
