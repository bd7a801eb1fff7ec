/** How the bugs of apertureFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const HANDLES = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=device_memory',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SEQ_COUNT=4',
] as const;

export const APERTURE_ROWS = [
  {
    name: 'doorbell_passes_data',
    description: 'a doorbell passes data that software has written through the aperture before',
    caughtBy: ['SCB_WIRE_DATA', 'SCB_DATA', 'SEQ_APERTURE'],
    needs: [...HANDLES, '+NIC_APERTURE_NS=20000'],
  },
  {
    name: 'byte_enables_ignored',
    description: 'the aperture ignores byte enables: whole dwords are written, zeros around the bytes',
    caughtBy: ['SCB_STRAY_WRITE', 'SEQ_APERTURE', 'SCB_DATA'],
    needs: HANDLES,
  },
  {
    name: 'aperture_bit_lost',
    description: 'the aperture decodes one address bit too few: odd sub-windows of 64 KiB alias even ones',
    caughtBy: ['SCB_STRAY_WRITE', 'SEQ_APERTURE'],
    needs: HANDLES,
  },
  {
    name: 'aperture_read_passes',
    description:
      'a read of the aperture does not push the writes before it: software takes its data for written too early',
    caughtBy: ['SCB_STRAY_WRITE', 'SEQ_APERTURE', 'SCB_DATA'],
    needs: [...HANDLES, '+NIC_APERTURE_NS=20000'],
  },
  {
    name: 'aperture_reads_alias',
    description: 'reads of the aperture decode one address bit too few, writes do not: odd pages are read as even ones',
    caughtBy: ['HCA_APERTURE'],
    needs: ['+MEM_DOMAIN=card'],
  },
] as const satisfies readonly CardFaultRow[];
