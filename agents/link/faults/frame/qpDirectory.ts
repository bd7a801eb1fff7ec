/** What fault rules know of queue pairs. A queue pair of the host API is one of these. */
export interface QpEntry {
  readonly qpn: number;
  /** Ordinal among those that its host has made, from 0. */
  readonly ordinal: number;
  /** `QP_TYPE`. */
  readonly type: number;
  /** Connected peer; -1 without one. */
  readonly remoteHost: number;
  readonly destQpn: number;
  /** First PSN that it sends, and that it expects. */
  readonly sqPsn: number;
  readonly rqPsn: number;
  /** Code of the path MTU, 1 .. 5; 0 where there is none yet. */
  readonly pathMtu: number;
}

/** Finds queue pairs by their numbers. */
export interface QpDirectory {
  /** Undefined for one that does not exist (any more). */
  find(host: number, qpn: number): QpEntry | undefined;
}
