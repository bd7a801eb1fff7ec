/** How the bugs of portFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const PORT_ROWS = [
  {
    name: 'read_length',
    block: 'PCIe port',
    description: 'every 50th request is longer than a page',
    caughtBy: ['PCIE_LEN'],
  },
  {
    name: 'request_data',
    block: 'PCIe port',
    description: 'every 50th request has its data outside the byte store',
    caughtBy: ['PCIE_DATA'],
  },
  {
    name: 'request_time',
    block: 'PCIe port',
    description: 'every 50th request is ready at no time',
    caughtBy: ['PCIE_READY'],
  },
  {
    name: 'byte_enables',
    block: 'PCIe port',
    description: 'every 50th request has byte enables with a hole',
    caughtBy: ['PCIE_BE'],
  },
  { name: 'request_bar', block: 'PCIe port', description: 'every 50th request names a BAR', caughtBy: ['PCIE_KIND'] },
  {
    name: 'poisoned_write',
    block: 'PCIe port',
    description: 'every 50th request is poisoned',
    caughtBy: ['PCIE_POISON'],
  },
  {
    name: 'message_unplaced',
    block: 'PCIe port',
    description: 'every 50th write is marked as an interrupt',
    caughtBy: ['PCIE_ADDR'],
  },
  {
    name: 'too_many_tags',
    block: 'PCIe port',
    description: 'twice as many reads are outstanding as the port allows',
    caughtBy: ['PCIE_TAG_LIMIT'],
    needs: ['+PCIE_TAGS=4'],
  },
  {
    name: 'request_repeated',
    block: 'PCIe port',
    description: 'every 50th request is sent a second time',
    caughtBy: ['PCIE_MISUSE'],
  },
  {
    name: 'bar_answer_status',
    block: 'PCIe port',
    description: 'every tenth BAR read is answered with unsupported request',
    caughtBy: ['PCIE_CPL_STATUS'],
  },
  {
    name: 'bar_answer_poisoned',
    block: 'PCIe port',
    description: 'every tenth BAR read is answered with poisoned data',
    caughtBy: ['PCIE_CPL_POISON'],
  },
  {
    name: 'bar_answer_missing',
    block: 'PCIe port',
    description: 'every tenth BAR read is not answered',
    caughtBy: ['PCIE_CPL_TIMEOUT'],
  },
  {
    name: 'bar_answer_repeated',
    block: 'PCIe port',
    description: 'every tenth BAR read is answered twice',
    caughtBy: ['PCIE_CPL'],
  },
  {
    name: 'frame_repeated',
    block: 'link port',
    description: 'every 50th frame is sent a second time',
    caughtBy: ['LINK_MISUSE'],
  },
  {
    name: 'frame_cut',
    block: 'link port',
    description: 'every 50th frame ends in its Ethernet header',
    caughtBy: ['LINK_LENGTH'],
  },
  {
    name: 'frame_data',
    block: 'link port',
    description: 'every 50th frame has its bytes outside the byte store',
    caughtBy: ['LINK_DATA'],
  },
  {
    name: 'frame_time',
    block: 'link port',
    description: 'every 50th frame is ready in the middle of a picosecond',
    caughtBy: ['LINK_READY'],
  },
  {
    name: 'ports_after_finish',
    block: 'PCIe port',
    description: 'the NIC sends a request and a frame when it is told that the run is over',
    caughtBy: ['PCIE_MISUSE', 'LINK_MISUSE'],
  },
] as const satisfies readonly FaultRow[];
