/** How the bugs of outcomeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { LOST_CONTEXTS, PCIE_ERRORS } from '../pcieStimulus.ts';

export const OUTCOME_ROWS = [
  {
    name: 'pcie_bad_payload_sent',
    block: 'gather',
    description: 'a packet whose payload could not be read leaves in good shape before its queue pair fails',
    decides: 'RC SEND_FIRST, PSN #',
    caughtBy: ['SCB_WIRE_DATA', 'SCB_READ_AGAIN', 'SCB_DATA', 'SEQ_STATUS', 'SCB_STATUS', 'WIRE_SILENT'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_wrong_local_status',
    block: 'gather',
    description: 'a request whose data could not be read ends with LOC_LEN_ERR',
    decides: 'completion LOC_LEN_ERR of the send queue',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_key_blamed',
    block: 'gather',
    description: 'a responder that cannot read its memory answers with the NAK for a wrong key',
    decides: 'asynchronous event QP_ACCESS_ERR for number #',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_entry_flushed',
    block: 'sendQueue',
    description: 'a request whose entry could not be read completes as flushed, and is the first to do so',
    decides: 'completion WR_FLUSH_ERR of the send queue',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS', 'SCB_FAILED_READ'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_ring_taken_for_empty',
    block: 'receiveQueue',
    description: 'a receive queue that could not be read counts as empty: the sender is told to try again',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, RNR NAK, wait 10us',
    caughtBy: ['SCB_REFUSED', 'SCB_FAILED_READ', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_neighbour_flushed',
    block: 'sendCompletion',
    description: 'the next queue pair fails with one whose read failed',
    decides: 'RDMA_WRITE (wrId #, WQE #) posted',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS', 'SCB_MISSING', 'SCB_REFUSED', 'SCB_STUCK'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_old_line_served',
    block: 'icmCache',
    description: 'a table entry that could not be read is what its line has held before',
    caughtBy: ['SCB_ASYNC_EVENT', 'SEQ_STATUS', 'SCB_STUCK', 'SCB_MISSING', 'HCA_CMD_STATUS'],
    needs: LOST_CONTEXTS,
  },
  {
    name: 'pcie_loss_untold',
    block: 'eventUnit',
    description: 'no event says that the context of a queue pair could not be read',
    decides: 'ERR2RST of QP # begins',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_CONTEXTS,
  },
  {
    name: 'pcie_loss_of_another',
    block: 'eventUnit',
    description: 'the event about an unreadable context names the next queue pair',
    decides: 'asynchronous event QP_FATAL for number #',
    caughtBy: ['SCB_ASYNC_EVENT', 'SCB_EVENT_GROUNDLESS'],
    needs: LOST_CONTEXTS,
  },
] as const satisfies readonly FaultRow[];
