/** How the bugs of declaredFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Marks half of what is sent. */
const MARKED = '+ECN_PCT=50';

export const DECLARED_ROWS = [
  {
    name: 'migration_requested',
    block: 'frame builder',
    description: 'every packet has the MigReq bit, which the profile declares to be 0',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_DECLARED'],
  },
  {
    name: 'credits_none',
    block: 'frame builder',
    description: 'acknowledgements grant no credits, where the profile declares 31',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['WIRE_DECLARED'],
  },
  {
    name: 'fetch_add_compares',
    block: 'frame builder',
    description: 'the compare field of a FETCH_ADD repeats what is added, where the profile declares 0',
    decides: 'RC FETCH_ADD, PSN #',
    caughtBy: ['WIRE_DECLARED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=shared_words', '+RC_QP_NUM=2'],
  },
  {
    name: 'nak_behind_rnr',
    block: 'responder',
    description: 'the packet behind one that was refused for want of a receive is answered with a sequence NAK',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_NAK'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+RC_QP_NUM=2'],
  },
  {
    name: 'cnp_requests_alone',
    block: 'congestion',
    description: 'no CNP tells of marks on READ responses and on packets of UC',
    caughtBy: ['WIRE_CNP_MISSING'],
    needs: [
      '+UVM_TESTNAME=test_direct_param',
      '+RC_QP_NUM=4',
      '+READ_WQE_NUM=8',
      '+SEND_WQE_NUM=0',
      '+RECV_WQE_NUM=0',
      '+DATA_CNT=8',
      '+DATA_UNIT=KB',
      '+MTU=1024',
      MARKED,
    ],
  },
  {
    name: 'cnp_reliable_alone',
    block: 'congestion',
    description: 'no CNP tells of marks on packets of UC',
    decides: 'SEND_WITH_IMM (wrId #, WQE #) posted',
    caughtBy: ['WIRE_CNP_MISSING'],
    needs: [
      '+UVM_TESTNAME=test_direct_param',
      '+RC_QP_NUM=0',
      '+UC_QP_NUM=4',
      '+SEND_WQE_NUM=8',
      '+RECV_WQE_NUM=8',
      '+DATA_CNT=8',
      '+DATA_UNIT=KB',
      '+MTU=1024',
      MARKED,
    ],
  },
] as const satisfies readonly FaultRow[];
