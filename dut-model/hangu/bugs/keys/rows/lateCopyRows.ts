/** How the bugs of lateCopyFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { sequence } from '../keyStimulus.ts';

export const LATE_COPY_ROWS = [
  {
    name: 'late_write_executed',
    block: 'responder',
    description: 'a WRITE that comes again is carried out again, with what its key opens by then',
    caughtBy: ['WIRE_NAK', 'SCB_STRAY_WRITE', 'SCB_STATUS'],
    needs: sequence('late_copies', 1),
  },
  {
    name: 'late_invalidation_repeated',
    block: 'responder',
    description: 'a SEND with invalidate that comes again takes its key away again, whatever that opens by then',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS'],
    needs: sequence('late_copies', 3),
  },
  {
    name: 'late_read_answered',
    block: 'memory keys',
    description: 'a window that is invalidated stays open to READs',
    caughtBy: ['SCB_ANSWERED', 'SCB_STATUS'],
    needs: sequence('late_copies', 4),
  },
] as const satisfies readonly FaultRow[];
