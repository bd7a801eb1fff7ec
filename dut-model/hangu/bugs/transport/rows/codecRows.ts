/** How the bugs of codecFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const caseOf = (id: string): readonly string[] => [
  '+UVM_TESTNAME=test_conformance',
  `+CASE=${id}`,
  '+RC_QP_NUM=1',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+ACK_TIMEOUT=5',
];

export const CODEC_ROWS = [
  {
    name: 'message_ends_empty',
    block: 'send queue',
    description: 'a message of two or more whole packets ends with an empty one',
    decides: 'RC SEND_MIDDLE, PSN #',
    caughtBy: ['WIRE_PAYLOAD'],
    needs: caseOf('T-007'),
  },
  {
    name: 'icrc_at_frame_end',
    block: 'parser',
    description: 'a receiver looks for the ICRC of a frame that is filled up at its very end',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_UNANSWERED'],
    needs: caseOf('T-008'),
  },
  {
    name: 'credits_unknown',
    block: 'parser',
    description: 'acknowledgements with a number of credits are overlooked',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['CASE_FAILED'],
    needs: caseOf('T-036'),
  },
  {
    name: 'range_wraps',
    block: 'responder',
    description: 'a WRITE to a range beyond the last address is taken for an empty one',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_STATUS'],
    needs: caseOf('T-053'),
  },
] as const satisfies readonly FaultRow[];
