/** The queue pair of frames of software: all of it is the driver's own. */

import { type Pd, Qp, type QpInit } from '../../../../env/verbs/verbsObjects.ts';
import { QP_STATE } from '../../../../rdma/verbs.ts';
import { slotsFor } from '../blueObjects.ts';

/** Of the only one; queue pairs of the NIC begin with 256. */
const RAW_QPN = 1;

export interface RawSend {
  readonly wrId: number;
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly status: number;
  readonly signalled: boolean;
}

export interface RawReceive {
  readonly wrId: number;
  readonly number: number;
  readonly pieces: readonly { readonly hi: number; readonly lo: number; readonly length: number }[];
  readonly room: number;
  readonly isOpen: boolean;
}

export class BlueRawQp extends Qp {
  readonly sqSlots: number;
  readonly rqSlots: number;
  readonly sends: RawSend[] = [];
  readonly receives: RawReceive[] = [];

  constructor(pd: Pd, init: QpInit) {
    super(pd, RAW_QPN, init);
    this.sqSlots = slotsFor(init.maxSendWr);
    this.rqSlots = slotsFor(init.maxRecvWr);
    this.maxSendWr = this.sqSlots;
    this.maxRecvWr = this.rqSlots;
  }

  /** Software sees it in an error once it polls one. */
  noteError(isSend: boolean): void {
    if (isSend) this.sqFailed++;
    if (this.state === QP_STATE.reset || this.state === QP_STATE.err) return;
    this.state = isSend ? QP_STATE.sqe : QP_STATE.err;
  }
}
