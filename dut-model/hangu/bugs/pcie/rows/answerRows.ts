/** How the bugs of answerFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { PCIE_ERRORS } from '../pcieStimulus.ts';

const DATA = ['SCB_WIRE_DATA', 'SCB_DATA', 'SCB_FAILED_READ', 'SCB_STATUS', 'SEQ_STATUS', 'SCB_WIRE_REQUEST'];

export const ANSWER_ROWS = [
  {
    name: 'pcie_poison_taken',
    block: 'dmaEngine',
    description: 'poisoned data are used as if they were good',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_ur_is_success',
    block: 'dmaEngine',
    description: 'a read that is refused as unsupported counts as answered',
    decides: 'RC SEND_FIRST, PSN #',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_ca_is_success',
    block: 'dmaEngine',
    description: 'a read that its completer aborts counts as answered',
    decides: 'NIC writes # B of data of process #',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_no_timeout',
    block: 'dmaEngine',
    description: 'a read without an answer is never given up',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SEQ_STATUS', 'SEQ_NOT_QUIET', 'HCA_CMD_TIMEOUT'],
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_parts_swapped',
    block: 'dmaEngine',
    description: 'an answer in several parts is put together in the wrong order',
    decides: 'RC WRITE_FIRST, PSN #',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
  },
  {
    name: 'pcie_tag_ignored',
    block: 'dmaEngine',
    description: 'an answer that overtakes others is taken for that to an older read of the same length',
    decides: 'RC WRITE_MIDDLE, PSN #',
    caughtBy: [...DATA, 'SCB_STUCK', 'SCB_STRAY_WRITE', 'WIRE_OPCODE'],
    needs: PCIE_ERRORS,
  },
] as const satisfies readonly FaultRow[];
