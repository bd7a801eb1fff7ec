/** How the bugs of queueFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import {
  DEEP,
  DEEP_CACHE,
  DEEP_SMALL,
  DEEP_SMALL_CACHE,
  KEPT_READS,
  LOST_RESULTS,
  REPEATS,
  REPEATS_WRAP,
} from '../atomicStimulus.ts';

/** Of repeats that are answered with another value, as the wire and who looks at the memory of the requester see it. */
const REPEATED = ['WIRE_ATOMIC_REPEAT', 'SCB_ATOMIC_RESULT', 'SEQ_ATOMIC'];

const CAUGHT = ['SEQ_ATOMIC', 'SEQ_STATUS', 'SCB_STUCK'];

export const QUEUE_ROWS = [
  {
    name: 'aq_wrong_group',
    block: 'ACK queue',
    description: 'a look-up reads the group behind the right one',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_first_group',
    block: 'ACK queue',
    description: 'a look-up reads the first group, whatever the PSN',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_short_group',
    block: 'ACK queue',
    description: 'a look-up leaves the last entry of a full group out',
    caughtBy: CAUGHT,
    needs: DEEP_SMALL,
  },
  {
    name: 'aq_psn_wrap',
    block: 'ACK queue',
    description: 'a look-up finds no group where PSNs have wrapped',
    caughtBy: ['SCB_UNANSWERED', ...CAUGHT],
    needs: REPEATS_WRAP,
  },
  {
    name: 'aq_overwritten_early',
    block: 'ACK queue',
    description: 'entries are overwritten after eight results',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_entry_further',
    block: 'ACK queue',
    description: 'a result is written one entry too far',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_result_forgotten',
    block: 'ACK queue',
    description: 'every fourth result is not kept',
    caughtBy: CAUGHT,
    needs: REPEATS,
  },
  {
    name: 'aq_half_result',
    block: 'ACK queue',
    description: 'the upper half of results is not kept',
    caughtBy: REPEATED,
    needs: REPEATS,
  },
  {
    name: 'aq_keeps_operand',
    block: 'ACK queue',
    description: 'the operand is kept in place of the result',
    caughtBy: REPEATED,
    needs: REPEATS,
  },
  {
    name: 'aq_neighbour',
    block: 'ACK queue',
    description: 'a repeat is answered from the entry of a neighbour',
    caughtBy: REPEATED,
    needs: REPEATS,
  },
  {
    name: 'aq_short_psn',
    block: 'ACK queue',
    description: 'entries are known by four bits of their PSN',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_other_qp',
    block: 'ACK queue',
    description: 'a repeat is answered with the latest result of all queue pairs',
    caughtBy: REPEATED,
    needs: REPEATS,
  },
  {
    name: 'aq_survives_reset',
    block: 'ACK queue',
    description: 'the ACK queue of a queue pair is not emptied by a reset',
    caughtBy: CAUGHT,
    needs: DEEP,
  },
  {
    name: 'aq_context_lost',
    block: 'ACK queue',
    description: 'contexts of ACK queues leave the chip without being written back',
    caughtBy: ['SCB_STRAY_WRITE', ...CAUGHT],
    needs: DEEP_CACHE,
  },
  {
    name: 'aq_context_miscounted',
    block: 'ACK queue',
    description: 'a context that is written back counts a result too many',
    caughtBy: CAUGHT,
    needs: DEEP_SMALL_CACHE,
  },
  {
    name: 'aq_read_from_start',
    block: 'ACK queue',
    description: 'a READ that is repeated from the middle on is answered from its beginning (+NIC_AQ_REPEATS=1)',
    caughtBy: ['SCB_READ_AGAIN', 'SCB_WIRE_DATA', 'SCB_DATA'],
    needs: KEPT_READS,
  },
  {
    name: 'aq_unread_is_miss',
    block: 'ACK queue',
    description: 'entries that cannot be read count as such that are not there',
    caughtBy: ['SCB_ASYNC_EVENT', 'SEQ_STATUS'],
    needs: LOST_RESULTS,
  },
  {
    name: 'aq_unread_goes_on',
    block: 'ACK queue',
    description: 'a queue pair whose entries could not be read tells of it and goes on',
    caughtBy: ['SEQ_STATUS'],
    needs: LOST_RESULTS,
  },
] as const satisfies readonly FaultRow[];
