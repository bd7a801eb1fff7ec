/** How the bugs of memoryFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, WRONG_KEYS } from '../../fault.ts';

const LARGE = ['+DATA_CNT=20000', '+DATA_UNIT=B', '+MR_GRANULARITY=qp'];

const THRASH = ['+NIC_QPC_CACHE=16', '+NIC_CACHE_WAYS=1', '+RC_QP_NUM=64'];

const STRAY = ['SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_STATUS', 'SCB_STUCK'];

export const MEMORY_ROWS = [
  {
    name: 'mtt_next_entry',
    block: 'translation',
    description: 'from the third page of a region on, the translation entry after the right one is used',
    caughtBy: STRAY,
    needs: LARGE,
  },
  {
    name: 'mtt_page_boundary',
    block: 'translation',
    description: 'the first byte of a page is looked up in the page before',
    decides: 'NIC reads # B of data of process #',
    caughtBy: STRAY,
    needs: LARGE,
  },
  {
    name: 'rights_ignored',
    block: 'translation',
    description: 'the rights of a region are not looked at',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
  },
  {
    name: 'local_write_suffices',
    block: 'translation',
    description: 'a peer may write into a region that only its owner may write',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=narrow_regions',
      '+RC_QP_NUM=6',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
  },
  {
    name: 'bounds_ignored',
    block: 'translation',
    description: 'an access may run over the end of its region',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
  },
  {
    name: 'end_rounded',
    block: 'translation',
    description: 'an access may run over the end of its region up to the next multiple of eight bytes',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
  },
  {
    name: 'tag_cut',
    block: 'translation',
    description: 'the highest bit of a key is not compared',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: WRONG_KEYS,
  },
  {
    name: 'domain_ignored',
    block: 'translation',
    description: 'a region opens to the queue pairs of all protection domains',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
  },
  {
    name: 'cache_loses_changes',
    block: 'caches',
    description: 'changed entries are not written back when they are evicted',
    caughtBy: [...STRAY, 'HCA_CMD_STATUS', 'SCB_QUERY_QP'],
    needs: THRASH,
  },
  {
    name: 'closed_key_revived',
    block: 'caches',
    description: 'that a key was closed is forgotten when its entry leaves the cache',
    decides: 'RDMA_WRITE (wrId #, WQE #) posted',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE', 'SEQ_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=old_keys', '+RC_QP_NUM=2', '+NIC_MPT_CACHE=8'],
  },
  {
    name: 'cache_half_line',
    block: 'caches',
    description: 'only the first half of a changed entry is written back',
    decides: 'SEND_WITH_IMM (wrId #, WQE #) posted',
    caughtBy: [...STRAY, 'HCA_CMD_STATUS', 'SCB_QUERY_QP'],
    needs: THRASH,
  },
  {
    name: 'dma_crosses_page',
    block: 'dma',
    description: 'requests are not cut at 4 KiB',
    caughtBy: ['PCIE_4K'],
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B', '+PAGE_SCATTER=0'],
  },
  {
    name: 'dma_oversized',
    block: 'dma',
    description: 'maximum payload and read request sizes are ignored',
    decides: 'NIC reads # B of inbox',
    caughtBy: ['PCIE_MPS', 'PCIE_MRRS'],
    needs: ['+PCIE_MPS=256', '+PCIE_MRRS=256', '+DATA_CNT=3000', '+DATA_UNIT=B'],
  },
  {
    name: 'dma_tag_reused',
    block: 'dma',
    description: 'a tag is used again while its read is outstanding',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['PCIE_TAG'],
  },
  {
    name: 'read_after_release',
    block: 'dma',
    description: 'a region is given back while reads of it wait to be sent',
    decides: 'ERR2RST of QP #',
    caughtBy: ['PCIE_READ'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3', '+PCIE_TAGS=1', '+PCIE_GBPS=2'],
  },
  {
    name: 'board_id',
    block: 'command engine',
    description: 'QUERY_ADAPTER returns a wrong board id',
    decides: 'QUERY_ADAPTER of the NIC',
    caughtBy: ['HCA_ADAPTER'],
  },
  {
    name: 'command_hangs',
    block: 'command engine',
    description: 'the 40th command never clears its go bit',
    decides: 'WRITE_MTT of # translation entries begins',
    caughtBy: ['HCA_CMD_TIMEOUT'],
  },
  {
    name: 'command_refused',
    block: 'command engine',
    description: 'every 50th command ends with a false status',
    decides: 'WRITE_MTT of # translation entries',
    caughtBy: ['HCA_CMD_STATUS'],
  },
] as const satisfies readonly FaultRow[];
