/** How the bugs of sharedFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const SHARED_ROWS = [
  {
    name: 'shared_byte_order',
    block: 'frame builder',
    description:
      'payload goes over the wire with the bytes of each dword in reverse order, and is taken so by the receiver',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_WIRE_DATA'],
  },
  {
    name: 'shared_read_data',
    block: 'frame builder',
    description: 'the answer to a READ goes over the wire inverted, and is taken so by the receiver',
    decides: 'RC READ_RESPONSE_ONLY, PSN #',
    caughtBy: ['SCB_WIRE_DATA'],
  },
  {
    name: 'shared_immediate',
    block: 'frame builder',
    description: 'immediate data go over the wire in reverse order, and is taken so by the receiver',
    decides: 'RC SEND_ONLY_IMM, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
  },
  {
    name: 'shared_key',
    block: 'frame builder',
    description: 'an R_Key goes over the wire in reverse order, and is taken so by the receiver',
    decides: 'RC WRITE_ONLY, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
  },
  {
    name: 'shared_address',
    block: 'frame builder',
    description:
      'the lower half of a remote address goes over the wire in reverse order, and is taken so by the receiver',
    decides: 'RC WRITE_ONLY, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
  },
  {
    name: 'shared_qkey',
    block: 'frame builder',
    description: 'a Q_Key goes over the wire in reverse order, and is taken so by the receiver',
    decides: 'UD SEND_ONLY_IMM, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
  },
] as const satisfies readonly FaultRow[];
