import { WideningHits } from './widenings.ts';

/**
 * How certain the judge is of a run whose link may change what arrives. What a NIC makes of a packet that nobody has sent so is
 * not predicted: from there on the connection is judged by the rules that hold whatever has arrived, until it begins anew.
 */
export class Certainty {
  /** Messages that were sent while arrivals were followed, and those of them of which it was open what they must lead to. */
  messages = 0;
  undecided = 0;
  /**
   * `ACCEPTED_FOREIGN`: packets of reliable connections with the PSN that was expected which were forged, changed under a right
   * invariant CRC, or left over from an earlier connection. A NIC cannot tell, so that is no error.
   */
  acceptedForeign = 0;
  /** Why it is open what messages lead to, first seen first. */
  readonly reasons = new Set<string>();
  /** Of the rules of reliable connections. */
  readonly widenings = new WideningHits();

  /** A message is sent. @param isDecided it follows from what arrives what becomes of it */
  sent(isDecided: boolean): void {
    this.messages++;
    if (!isDecided) this.undecided++;
  }
}

/** For the summary; '' where nothing was followed. */
export function certaintyText({ messages, undecided, acceptedForeign }: Certainty): string {
  if (messages === 0) return '';
  const foreign = acceptedForeign === 0 ? '' : `, ${acceptedForeign} accepted that were foreign (ACCEPTED_FOREIGN)`;
  return `, ${undecided} of ${messages} messages undecided${foreign}`;
}

/** For the record of a run; nothing where nothing was followed. */
export function certaintyCounts({ messages, undecided, acceptedForeign }: Certainty): Readonly<Record<string, number>> {
  return messages === 0
    ? {}
    : { messages_followed: messages, messages_undecided: undecided, accepted_foreign: acceptedForeign };
}
