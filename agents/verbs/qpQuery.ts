/** QUERY_QP: what a NIC said of a queue pair, and what software knew of it before and after. */

import type { QpState } from '../../rdma/verbs.ts';

/** The path of a connection, as far as it is named. */
export interface QueriedPath {
  readonly remoteHost?: number;
  readonly ipv6?: boolean;
  readonly serviceLevel?: number;
  readonly trafficClass?: number;
  readonly flowLabel?: number;
  readonly hopLimit?: number;
}

/** What the answer says; what is absent the NIC does not tell. Names and units as in a modification. */
export interface QueriedAttributes {
  readonly state: QpState;
  readonly pkeyIndex?: number;
  readonly port?: number;
  readonly accessFlags?: number;
  readonly qkey?: number;
  readonly av?: QueriedPath;
  readonly pathMtu?: number;
  readonly destQpn?: number;
  readonly rqPsn?: number;
  readonly maxDestRdAtomic?: number;
  readonly minRnrTimer?: number;
  readonly timeout?: number;
  readonly retryCnt?: number;
  readonly rnrRetry?: number;
  readonly sqPsn?: number;
  readonly maxRdAtomic?: number;
}

/** What is known of a queue pair at one moment: running counts since its last reset. */
export interface KnownQp {
  readonly state: QpState;
  readonly sqPosted: number;
  readonly sqFreed: number;
  readonly sqFailed: number;
  readonly rqFreed: number;
  /** Beginnings and ends of modifications: odd while one is under way. */
  readonly changes: number;
}

/** A queue pair with the attributes that software has written. */
export interface WrittenQp extends KnownQp, Required<QueriedPath> {
  readonly host: number;
  readonly qpn: number;
  readonly type: number;
  /** Requests posted of which nothing is sent: they take no PSN. */
  readonly sqSilent: number;
  readonly pkeyIndex: number;
  readonly port: number;
  readonly accessFlags: number;
  readonly qkey: number;
  readonly pathMtu: number;
  readonly destQpn: number;
  readonly rqPsn: number;
  readonly maxDestRdAtomic: number;
  readonly minRnrTimer: number;
  readonly timeout: number;
  readonly retryCnt: number;
  readonly rnrRetry: number;
  readonly sqPsn: number;
  readonly maxRdAtomic: number;
}

/** The answer has come. */
export interface QpQuery {
  /** When the command was given. */
  readonly before: KnownQp;
  /** Now. */
  readonly now: WrittenQp;
  readonly said: QueriedAttributes;
}
