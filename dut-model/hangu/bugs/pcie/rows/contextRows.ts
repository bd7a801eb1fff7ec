/** How the bugs of contextFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { LOST_CONTEXTS, LOST_DEVICES, LOST_QUEUES, LOST_TRANSLATIONS, PCIE_ERRORS } from '../pcieStimulus.ts';

export const CONTEXT_ROWS = [
  {
    name: 'pcie_neighbour_lost',
    block: 'eventUnit',
    description: 'QP_FATAL comes of the next queue pair too when a context could not be read',
    decides: 'asynchronous event QP_FATAL for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: LOST_CONTEXTS,
  },
  {
    name: 'pcie_always_fatal',
    block: 'eventUnit',
    description: 'DEVICE_FATAL comes in place of QP_FATAL, though one queue pair is all that is lost',
    decides: 'asynchronous event DEVICE_FATAL for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_ASYNC_EVENT'],
    needs: LOST_CONTEXTS,
  },
  {
    name: 'pcie_device_untold',
    block: 'eventUnit',
    description: 'no DEVICE_FATAL says that the device has stopped',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_DEVICES,
  },
  {
    name: 'pcie_device_as_pair',
    block: 'eventUnit',
    description: 'QP_FATAL comes in place of DEVICE_FATAL when the device has stopped',
    decides: 'asynchronous event QP_FATAL for number #',
    caughtBy: ['SCB_ASYNC_EVENT', 'SCB_EVENT_GROUNDLESS'],
    needs: LOST_DEVICES,
  },
  {
    name: 'pcie_queue_untold',
    block: 'completionUnit',
    description: 'no CQ_ERR comes of a completion queue whose context could not be read',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_QUEUES,
  },
  {
    name: 'pcie_entry_dropped',
    block: 'completionUnit',
    description: 'completions for a queue in error are dropped, and their queue pair goes on',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_QUEUES,
  },
  {
    name: 'pcie_translation_is_key',
    block: 'responder',
    description: 'a responder that cannot read a translation answers with the NAK for a wrong key',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED', 'SCB_FAILED_READ', 'SCB_ASYNC_EVENT'],
    needs: LOST_TRANSLATIONS,
  },
  {
    name: 'pcie_translation_is_entry',
    block: 'gather',
    description: 'a request whose local translation could not be read ends with LOC_QP_OP_ERR',
    decides: 'completion LOC_QP_OP_ERR of the send queue',
    caughtBy: ['SCB_STATUS', 'SCB_FAILED_READ'],
    needs: LOST_TRANSLATIONS,
  },
  {
    name: 'pcie_event_dropped',
    block: 'eventUnit',
    description: 'an event whose place could not be read is dropped',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_TRANSLATIONS,
  },
  {
    name: 'pcie_fatal_untold',
    block: 'eventUnit',
    description: 'no QP_FATAL comes of a responder that could not read what a READ asks for',
    decides: 'ERR2RST of QP # begins',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: PCIE_ERRORS,
  },
] as const satisfies readonly FaultRow[];
