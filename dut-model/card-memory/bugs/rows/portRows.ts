/** How the bugs of portFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const FOUR = ['+RC_QP_NUM=4', '+UC_QP_NUM=2'] as const;

export const PORT_ROWS = [
  {
    name: 'port_of_another',
    description: 'every seventh frame leaves by the port of the frame before it',
    caughtBy: ['WIRE_PORT'],
    needs: FOUR,
  },
  {
    name: 'answers_by_first_port',
    description: 'acknowledgements leave by port 1, whatever the port of their queue pair',
    caughtBy: ['WIRE_PORT'],
    needs: FOUR,
  },
  {
    name: 'port_number_short',
    description: 'the number of a port has a bit too few: ports 3 and 4 are taken for 1 and 2',
    caughtBy: ['WIRE_PORT'],
    needs: FOUR,
  },
] as const satisfies readonly CardFaultRow[];
