/** How the bugs of gatherFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const GATHER_ROWS = [
  {
    name: 'gather_short',
    block: 'gather',
    description: 'the last byte of odd-sized pieces is not fetched',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_DATA', 'SCB_REVERIFY'],
  },
  {
    name: 'gather_long_list',
    block: 'gather',
    description: 'a packet that begins behind the eighth entry of a list takes its data from the first ones',
    caughtBy: ['SCB_DATA'],
    needs: ['+SG_NUM=12', '+READ_WQE_NUM=0'],
  },
  {
    name: 'gather_same_page',
    block: 'gather',
    description: 'payload that crosses a page is read from the first page twice',
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B'],
  },
  {
    name: 'gather_shifted',
    block: 'gather',
    description: 'every 20th piece is read eight bytes too far',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_DATA'],
  },
  {
    name: 'gather_stray',
    block: 'gather',
    description: 'memory that was never registered is read besides the payload',
    decides: 'NIC reads # B of memory',
    caughtBy: ['PCIE_READ'],
  },
  {
    name: 'gather_long_read',
    block: 'gather',
    description: 'what is behind the first 65536 packets of an answer to a READ is taken from its start again',
    caughtBy: ['SCB_DATA'],
    needs: [
      ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1', '+ONE_SIDE_LAUNCH=1', '+DB_NUM=1'],
      ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=1'],
      ...['+SG_NUM=1', '+DATA_CNT=20', '+DATA_UNIT=MB', '+MTU=256'],
    ],
  },
] as const satisfies readonly FaultRow[];
