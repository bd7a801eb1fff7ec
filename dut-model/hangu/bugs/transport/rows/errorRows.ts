/** How the bugs of errorFaults.ts show: what they need, and which checks must see them. */
import { CROSSING_ERRORS, type FaultRow, SEND_ERRORS, WRONG_KEYS } from '../../fault.ts';

export const ERROR_ROWS = [
  {
    name: 'requester_error_keeps_recvs',
    block: 'send completion',
    description: 'a queue pair of which a request has failed does not flush its receives',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: WRONG_KEYS,
  },
  {
    name: 'refusal_keeps_recvs',
    block: 'receive flush',
    description: 'a queue pair that has refused a request does not flush its receives',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: WRONG_KEYS,
  },
  {
    name: 'refusal_keeps_sends',
    block: 'receive flush',
    description: 'a queue pair that has refused a request does not flush its sends',
    decides: 'NIC reads # B of work queue of QP #, byte #',
    caughtBy: ['SCB_ORDER'],
    needs: CROSSING_ERRORS,
  },
  {
    name: 'refused_read_ignored',
    block: 'responder',
    description: 'a queue pair stays in RTS after it has refused a READ',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: WRONG_KEYS,
  },
  {
    name: 'failed_recv_ignored',
    block: 'responder',
    description: 'a queue pair of UC or UD stays in RTS after a receive of it has failed',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: [...WRONG_KEYS.slice(0, 2), '+RC_QP_NUM=0', '+UC_QP_NUM=4', '+UD_QP_NUM=4'],
  },
  {
    name: 'sqe_to_error_keeps_recvs',
    block: 'command engine',
    description: 'a queue pair that software takes from SQE to ERR does not flush its receives',
    decides: 'is in ERR',
    caughtBy: ['SCB_MISSING'],
    needs: [...SEND_ERRORS, '+RC_QP_NUM=0'],
  },
] as const satisfies readonly FaultRow[];
