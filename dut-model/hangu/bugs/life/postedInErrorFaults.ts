/** Bugs of requests that are posted in the error state, while those before them are flushed. */
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { ReceiveFlush } from '../../model/transport/receiveFlush.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { POSTED_IN_ERROR_ROWS } from './rows/postedInErrorRows.ts';

/** Does not look again for receives that may have been posted behind the look that found none. */
class DeafFlush extends ReceiveFlush {
  override enterError(slot: QpSlot): void {
    super.enterError(slot);
    slot.rqFlushAgain = false;
  }
}

/** Loses the doorbells that come while it fetches a request to flush it. */
class DeafCompletion extends SendCompletion {
  override flushFetched(r: SendRequest): void {
    r.slot.doorbells = null;
    super.flushFetched(r);
  }
}

export const POSTED_IN_ERROR_FAULTS = faultsOf(POSTED_IN_ERROR_ROWS, {
  posted_in_error_receive: planted({ receiveFlush: DeafFlush }),
  posted_in_error_send: planted({ sendCompletion: DeafCompletion }),
});
