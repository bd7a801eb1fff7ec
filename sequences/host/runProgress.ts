import { WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';

/** A request that has failed, of which its sequence may say later that this was meant. */
export interface FailedRequest {
  /** For messages. */
  readonly request: string;
  readonly status: number;
  readonly isExpected: boolean;
}

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

  /** Failed requests of sequences, in the order of their completions. */
  readonly #failures: FailedRequest[] = [];

  /** Failed requests that nobody has expected, and the first of them as `firstFailure` names it. */
  unexpected(): { readonly count: number; readonly first: string } {
    const meant = this.#failures.filter((failure) => failure.isExpected).length;
    const first = this.#failures.find((failure) => !failure.isExpected);
    return { count: this.failed - meant, first: first === undefined ? this.firstFailure : failureText(first) };
  }

  /** As `hasFailed`, of a request that may turn out to be expected. */
  mayHaveFailed(failure: FailedRequest): void {
    this.#failures.push(failure);
    this.hasFailed(failure.request, failure.status);
  }

  /** Counts a completion with an error, and keeps the first. @param request which one, for messages */
  hasFailed(request: string, status: number): void {
    const first = this.failed++ === 0;
    const gaveUp = status === WC_STATUS.retryExcErr || status === WC_STATUS.rnrRetryExcErr;
    if (!first && (!gaveUp || this.firstGivenUp !== '')) return;
    const text = failureText({ request, status });
    if (first) this.firstFailure = text;
    if (gaveUp) this.firstGivenUp = text;
  }
}

function failureText({ request, status }: Pick<FailedRequest, 'request' | 'status'>): string {
  return `${request} with ${WC_STATUS_NAME[status] ?? status}`;
}
