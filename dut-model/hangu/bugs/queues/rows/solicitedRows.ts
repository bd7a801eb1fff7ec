/** How the bugs of solicitedFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with queues that are armed for solicited completions, on every service. */
const SOLICITED_EVENTS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=solicited_events',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=2',
  '+UD_QP_NUM=2',
];

/** The same, with shared receives and requests that ask for no completion. */
const SHARED: readonly string[] = [
  ...SOLICITED_EVENTS,
  ...['+PROC_NUM=1', '+SRQ_NUM=1', '+MAX_RECV_WR=15', '+UNSIGNALED_PCT=50'],
];

export const SOLICITED_ROWS = [
  {
    name: 'solicited_long',
    block: 'responder',
    description: 'no solicited event comes for a message of several packets',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
  },
  {
    name: 'solicited_write',
    block: 'responder',
    description: 'no solicited event comes for a WRITE with immediate data',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
  },
  {
    name: 'solicited_error',
    block: 'event unit',
    description: 'a queue that is armed for solicited completions sends no event for an error',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
  },
  {
    name: 'solicited_any',
    block: 'event unit',
    description: 'a queue that is armed for solicited completions sends its event for the next one',
    decides: 'NIC writes # B of event queue #',
    caughtBy: ['SCB_UNSOLICITED'],
    needs: SOLICITED_EVENTS,
  },
  {
    name: 'solicited_early',
    block: 'event unit',
    description: 'arming for solicited completions fires for any that came while the doorbell was in flight',
    decides: 'NIC writes # B of event queue #',
    caughtBy: ['SCB_UNSOLICITED'],
    needs: SOLICITED_EVENTS,
  },
  {
    name: 'solicited_shared',
    block: 'responder',
    description: 'no solicited event comes for a message that takes a shared receive',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SHARED,
  },
  {
    name: 'solicited_shared_kept',
    block: 'responder',
    description: 'a slot of a shared receive queue keeps that the message before was solicited',
    decides: 'NIC writes # B of event queue #',
    caughtBy: ['SCB_UNSOLICITED'],
    needs: SHARED,
  },
  {
    name: 'arming_weakened',
    block: 'event unit',
    description: 'arming for solicited completions takes back that the queue was armed for any',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
  },
] as const satisfies readonly FaultRow[];
