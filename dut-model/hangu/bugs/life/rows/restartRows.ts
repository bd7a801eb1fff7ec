/** How the bugs of restartFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const RESTARTED: readonly string[] = ['+RESTARTS=1'];

export const RESTART_ROWS = [
  {
    name: 'kept_event_index',
    block: 'event unit',
    description: 'an event queue that is set up anew goes on where it ended before',
    caughtBy: ['HCA_MSIX'],
    needs: [...RESTARTED, '+CQ_EVENT=1'],
  },
  {
    name: 'kept_cq_index',
    block: 'command engine',
    description: 'a completion queue goes on where the one of its number ended before',
    caughtBy: ['HCA_CQE_INDEX', 'SCB_CQE_ADDR'],
    needs: RESTARTED,
  },
  {
    name: 'kept_rq_head',
    block: 'command engine',
    description: 'a queue pair looks for its first receive where the one of its number would have found the next',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_REFUSED', 'SCB_STUCK', 'SCB_DATA', 'SCB_ORDER', 'SCB_WR_ID'],
    needs: RESTARTED,
  },
  {
    name: 'kept_msn',
    block: 'command engine',
    description: 'a queue pair goes on counting messages where the one of its number ended before',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['WIRE_MSN'],
    needs: RESTARTED,
  },
  {
    name: 'kept_pages',
    block: 'translation',
    description: 'the pages of a completion queue are those of the first one with its key',
    decides: 'NIC writes # B of memory',
    caughtBy: ['SCB_CQE_ADDR', 'SCB_CQ', 'SCB_STRAY_WRITE'],
    needs: RESTARTED,
  },
] as const satisfies readonly FaultRow[];
