/** What the link has spoilt of the tries of requesters, where their wire is read by the rules of their kind alone. */
export interface LinkTries {
  /**
   * Whether, since a queue pair has heard of the last progress, the link may have seen to it that so many of its tries came
   * to nothing: true where that is not known.
   */
  mayHaveSpoilt(host: number, qpn: number, tries: number): boolean;
}

/** Nobody counts. */
export const UNCOUNTED_TRIES: LinkTries = { mayHaveSpoilt: () => true };
