import { WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';

/** How far a run has come: plain counters that the progress line and the summary read. */
export class RunProgress {
  /** Send-queue requests of the whole scenario; 0 while it is not known. */
  requestsTotal = 0;
  /** Send-queue requests that have completed. */
  requestsDone = 0;
  /** Receive-queue requests that have completed. */
  receivesDone = 0;
  /** Payload bytes of posted send-queue requests. */
  bytesPosted = 0;
  /** Completions with a status other than success. */
  failed = 0;
  /** The first of them: which request, and its status. */
  firstFailure = '';
  /** The first of them whose requester gave up: it got no answer, or its peer was never ready. */
  firstGivenUp = '';
  batchesTotal = 0;
  batchesDone = 0;
  /** What is going on: `bring-up`, `batch 3`, `tear-down`. */
  stage = '';
  /** Simulated time between the first doorbell and the last completion, summed over the batches (ps). */
  busyTime = 0;

  /** Counts a completion with an error, and keeps the first. @param request which one, for messages */
  hasFailed(request: string, status: number): void {
    const first = this.failed++ === 0;
    const gaveUp = status === WC_STATUS.retryExcErr || status === WC_STATUS.rnrRetryExcErr;
    if (!first && (!gaveUp || this.firstGivenUp !== '')) return;
    const text = `${request} with ${WC_STATUS_NAME[status] ?? status}`;
    if (first) this.firstFailure = text;
    if (gaveUp) this.firstGivenUp = text;
  }
}
