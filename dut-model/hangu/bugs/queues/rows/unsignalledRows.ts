/** How the bugs of unsignalledFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const UNSIGNALED_REQUESTS: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=unsignaled_requests'],
  ...['+RC_QP_NUM=4', '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+SEQ_COUNT=2'],
];
const SOME: readonly string[] = ['+UNSIGNALED_PCT=60'];

export const UNSIGNALLED_ROWS = [
  {
    name: 'signal_bit_ignored',
    block: 'send queue',
    description: 'requests complete that asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
  },
  {
    name: 'signal_bit_of_event',
    block: 'send queue',
    description: 'the event bit of a request is taken for the one that asks for a completion',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    needs: SOME,
  },
  {
    name: 'signal_all_ignored',
    block: 'send queue',
    description: 'of queue pairs that complete everything only what asks for that completes',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
  },
  {
    name: 'signal_solicited',
    block: 'send queue',
    description: 'requests that are solicited complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: ['+SOLICITED=50', ...SOME],
  },
  {
    name: 'signal_always_read',
    block: 'completion',
    description: 'READs and atomics complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
  },
  {
    name: 'signal_always_unreliable',
    block: 'completion',
    description: 'requests of unreliable services complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
  },
  {
    name: 'unsignalled_failure_silent',
    block: 'completion',
    description: 'a request that asked for no completion has none when it fails',
    caughtBy: ['SEQ_STATUS', 'SEQ_UNSIGNALED', 'SCB_STATUS', 'SCB_MISSING', 'SCB_STUCK'],
    needs: UNSIGNALED_REQUESTS,
  },
  {
    name: 'unsignalled_flush_silent',
    block: 'completion',
    description: 'a request that asked for no completion has none when it is flushed',
    caughtBy: ['SCB_MISSING', 'SCB_ORDER'],
    needs: UNSIGNALED_REQUESTS,
  },
  {
    name: 'unsignalled_fetched_silent',
    block: 'completion',
    description: 'a request that asked for no completion, and is fetched in the error state, is not flushed',
    caughtBy: ['SCB_MISSING', 'SCB_ORDER'],
    needs: UNSIGNALED_REQUESTS,
  },
  {
    name: 'unsignalled_failure_skipped',
    block: 'completion',
    description: 'a request that asked for no completion, and that its peer refuses, passes for done',
    caughtBy: ['WIRE_RETRY', 'SEQ_STATUS', 'SCB_STATUS', 'SCB_MISSING'],
    needs: UNSIGNALED_REQUESTS,
  },
  {
    name: 'unsignalled_ends_two',
    block: 'completion',
    description: 'the acknowledgement of a request without a completion ends the next one as well',
    caughtBy: ['SCB_EARLY', 'SCB_TRANSMISSIONS', 'SCB_DATA'],
    needs: SOME,
  },
  {
    name: 'unsignalled_undrained',
    block: 'completion',
    description: 'a send queue that ends with a request without a completion never counts as drained',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: UNSIGNALED_REQUESTS,
  },
  {
    name: 'unsignalled_room_kept',
    block: 'completion',
    description: 'the room of a request without a completion is never free again',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    needs: ['+DB_NUM=10', '+RC_QP_NUM=2', ...SOME],
  },
  {
    name: 'unsignalled_read_kept',
    block: 'completion',
    description: 'a READ or an atomic without a completion counts as outstanding for ever',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SCB_FENCE'],
    needs: ['+DB_NUM=10', '+RC_QP_NUM=2', ...SOME],
  },
  {
    name: 'unsignalled_first_named',
    block: 'completion',
    description: 'a completion names the first of the requests that it stands for',
    caughtBy: ['SCB_UNSIGNALLED', 'SCB_WR_ID'],
    needs: SOME,
  },
] as const satisfies readonly FaultRow[];
