/** How the bugs of recoveryFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { readsUnderFaults, shortUnderFaults, underFaults } from '../linkStimulus.ts';

const LOST = '+NET_FAULT=drop opcode=send,write every=9';

const ACK_LOST = '+NET_FAULT=drop opcode=ack every=3';

const ANSWER_LOST = '+NET_FAULT=drop opcode=read_response_middle every=5';

export const RECOVERY_ROWS = [
  {
    name: 'retries_kept',
    block: 'send completion',
    description: 'retries are counted on after progress, until there are none left',
    decides: 'completion RETRY_EXC_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: underFaults('+RETRY_CNT=5', LOST),
  },
  {
    name: 'retries_reloaded_by_rnr',
    block: 'send completion',
    description: 'an RNR NAK reloads the retries for want of an answer, so that both in turn never end',
    caughtBy: ['WIRE_RETRY'],
    needs: [
      ...['+UVM_TESTNAME=test_random_verbs', '+RC_QP_NUM=3', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=2'],
      ...[
        '+ACK_TIMEOUT=3',
        '+RETRY_CNT=1',
        '+RNR_RETRY=7',
        '+MIN_RNR_TIMER=1',
        '+LOSS_PCT=30',
        '+DRAW_KNOBS=0',
        '+DRAW_WIDE=0',
      ],
      ...['--seed', '42'],
    ],
  },
  {
    name: 'retry_exceeded_success',
    block: 'send completion',
    description: 'a request that is given up for want of an answer completes with success',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SCB_STATUS', 'SCB_DATA', 'SCB_EARLY'],
    needs: shortUnderFaults('+RETRY_CNT=1', '+NET_FAULT=drop host=0 opcode=send,write nth=3..999'),
  },
  {
    name: 'read_gap_from_start',
    block: 'send completion',
    description: 'a READ of which an answer is missing is asked for from its start',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: readsUnderFaults(ANSWER_LOST),
  },
  {
    name: 'read_rest_long',
    block: 'request packets',
    description: 'the rest of a READ is asked for with the length of all of it',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: readsUnderFaults(ANSWER_LOST),
  },
  {
    name: 'retry_without_timer',
    block: 'requester',
    description: 'nobody waits for answers to what is sent again',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_STUCK'],
    needs: shortUnderFaults(
      '+NET_FAULT=drop opcode=send,write every=5; drop opcode=send,write transmission=retransmission nth=1..20',
    ),
  },
  {
    name: 'retry_reads_uncounted',
    block: 'requester',
    description: 'after a loss one READ more is outstanding than is allowed',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: readsUnderFaults('+MAX_RD_ATOMIC=2', '+NET_FAULT=drop opcode=read_request every=3'),
  },
  {
    name: 'retry_unfenced',
    block: 'requester',
    description: 'what is sent again does not wait for READs that it is fenced against',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['SCB_FENCE'],
    needs: underFaults('+FENCE=100', ANSWER_LOST),
  },
  {
    name: 'nak_ignored',
    block: 'requester',
    description: 'a NAK for a gap is ignored, and the gap is there until the time-out',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['WIRE_UNPROVOKED', 'WIRE_NAK_IGNORED'],
    needs: underFaults(LOST),
  },
  {
    name: 'nak_acknowledges',
    block: 'requester',
    description: 'a NAK for a gap acknowledges the packet that it names',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SCB_DATA', 'SCB_EARLY'],
    needs: shortUnderFaults(LOST),
  },
  {
    name: 'nak_obeyed_twice',
    block: 'requester',
    description: 'a NAK for a gap has everything sent again twice',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: underFaults(LOST),
  },
  {
    name: 'nak_goes_behind',
    block: 'requester',
    description: 'after a NAK for a gap what is sent again begins behind the packet that is missing',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_RETRY'],
    needs: underFaults(LOST),
  },
  {
    name: 'stale_ack_obeyed',
    block: 'requester',
    description: 'an acknowledgement that is older than what is known has everything sent again',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: shortUnderFaults('+NET_FAULT=duplicate opcode=ack every=2 after=1us'),
  },
  {
    name: 'ack_ends_one',
    block: 'requester',
    description: 'an acknowledgement for several requests ends the oldest of them only',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: shortUnderFaults(ACK_LOST),
  },
  {
    name: 'read_gap_taken',
    block: 'requester',
    description: 'an answer with data is taken though the one before it is missing',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_DATA'],
    needs: readsUnderFaults(ANSWER_LOST),
  },
] as const satisfies readonly FaultRow[];
