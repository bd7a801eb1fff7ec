/**
 * Attributes of `modifyQp` and `queryQp`, named as in roce-transport.md 6.2. Alternate paths do not exist here.
 */

import type { QpState } from '../../rdma/verbs.ts';
import type { Qp } from './verbsObjects.ts';

/** The path to the peer. Hosts are named by number; their MAC and IP addresses follow from it. */
export interface AddressVector {
  /** Another host: nothing comes back from the link. */
  readonly remoteHost: number;
  /** RoCEv2 over IPv6 instead of IPv4. Default false. */
  readonly ipv6?: boolean;
  /** 0 .. 7. Default 0. */
  readonly serviceLevel?: number;
  /** 0 .. 255. Default 0. */
  readonly trafficClass?: number;
  /** 20 bits. Default 0. */
  readonly flowLabel?: number;
  /** 1 .. 255. Default 64. */
  readonly hopLimit?: number;
}

/** A set of attributes; what is absent is left alone. @public */
export interface QpAttributes {
  /** Always present in a modification. */
  readonly state: QpState;
  readonly curState?: QpState;
  readonly pkeyIndex?: number;
  readonly port?: number;
  /** `ACCESS` bits; only the remote rights count. */
  readonly accessFlags?: number;
  readonly qkey?: number;
  readonly av?: AddressVector;
  /** MTU code 1 .. 5. */
  readonly pathMtu?: number;
  readonly destQpn?: number;
  readonly rqPsn?: number;
  readonly maxDestRdAtomic?: number;
  /** Code 0 .. 31. */
  readonly minRnrTimer?: number;
  /** Local ACK timeout code 0 .. 31; 0 = none. */
  readonly timeout?: number;
  readonly retryCnt?: number;
  readonly rnrRetry?: number;
  readonly sqPsn?: number;
  readonly maxRdAtomic?: number;
  readonly enSqdAsyncNotify?: boolean;
}

/** Name of an attribute. */
export type QpAttributeName = keyof QpAttributes;

/** Bits of an attribute set, numbered as the attribute mask of verbs. */
export const ATTRIBUTE_BIT: Readonly<Record<QpAttributeName, number>> = {
  state: 0x1,
  curState: 0x2,
  enSqdAsyncNotify: 0x4,
  accessFlags: 0x8,
  pkeyIndex: 0x10,
  port: 0x20,
  qkey: 0x40,
  av: 0x80,
  pathMtu: 0x100,
  timeout: 0x200,
  retryCnt: 0x400,
  rnrRetry: 0x800,
  rqPsn: 0x1000,
  maxRdAtomic: 0x2000,
  minRnrTimer: 0x8000,
  sqPsn: 0x10000,
  maxDestRdAtomic: 0x20000,
  destQpn: 0x100000,
};

/** Which attributes are given, as `ATTRIBUTE_BIT`s. Every modification asks, hence no loop over names. */
export function attributeMask(attr: QpAttributes): number {
  const bit = ATTRIBUTE_BIT;
  return (
    bit.state |
    (attr.curState === undefined ? 0 : bit.curState) |
    (attr.enSqdAsyncNotify === undefined ? 0 : bit.enSqdAsyncNotify) |
    (attr.accessFlags === undefined ? 0 : bit.accessFlags) |
    (attr.pkeyIndex === undefined ? 0 : bit.pkeyIndex) |
    (attr.port === undefined ? 0 : bit.port) |
    (attr.qkey === undefined ? 0 : bit.qkey) |
    (attr.av === undefined ? 0 : bit.av) |
    (attr.pathMtu === undefined ? 0 : bit.pathMtu) |
    (attr.timeout === undefined ? 0 : bit.timeout) |
    (attr.retryCnt === undefined ? 0 : bit.retryCnt) |
    (attr.rnrRetry === undefined ? 0 : bit.rnrRetry) |
    (attr.rqPsn === undefined ? 0 : bit.rqPsn) |
    (attr.maxRdAtomic === undefined ? 0 : bit.maxRdAtomic) |
    (attr.minRnrTimer === undefined ? 0 : bit.minRnrTimer) |
    (attr.sqPsn === undefined ? 0 : bit.sqPsn) |
    (attr.maxDestRdAtomic === undefined ? 0 : bit.maxDestRdAtomic) |
    (attr.destQpn === undefined ? 0 : bit.destQpn)
  );
}

/** Takes over what `attr` holds. PSNs are masked to 24 bits. The state is the caller's business. */
export function applyAttributes(qp: Qp, attr: Omit<QpAttributes, 'state'>): void {
  qp.pkeyIndex = attr.pkeyIndex ?? qp.pkeyIndex;
  qp.port = attr.port ?? qp.port;
  qp.accessFlags = attr.accessFlags ?? qp.accessFlags;
  qp.qkey = attr.qkey ?? qp.qkey;
  qp.pathMtu = attr.pathMtu ?? qp.pathMtu;
  qp.destQpn = attr.destQpn ?? qp.destQpn;
  qp.rqPsn = (attr.rqPsn ?? qp.rqPsn) & 0xff_ffff;
  qp.sqPsn = (attr.sqPsn ?? qp.sqPsn) & 0xff_ffff;
  qp.maxDestRdAtomic = attr.maxDestRdAtomic ?? qp.maxDestRdAtomic;
  qp.maxRdAtomic = attr.maxRdAtomic ?? qp.maxRdAtomic;
  qp.minRnrTimer = attr.minRnrTimer ?? qp.minRnrTimer;
  qp.timeout = attr.timeout ?? qp.timeout;
  qp.retryCnt = attr.retryCnt ?? qp.retryCnt;
  qp.rnrRetry = attr.rnrRetry ?? qp.rnrRetry;
  if (attr.av !== undefined) applyVector(qp, attr.av);
}

/** What `applyAttributes` must be given for the queue pair to have again what it has now. */
export function attributesOf(qp: Qp): Omit<QpAttributes, 'state'> {
  const { pkeyIndex, port, accessFlags, qkey, pathMtu, destQpn, rqPsn, sqPsn, maxDestRdAtomic, maxRdAtomic } = qp;
  const { minRnrTimer, timeout, retryCnt, rnrRetry } = qp;
  const { remoteHost, ipv6, serviceLevel, trafficClass, flowLabel, hopLimit } = qp;
  const av = { remoteHost, ipv6, serviceLevel, trafficClass, flowLabel, hopLimit };
  const path = { pkeyIndex, port, accessFlags, qkey, pathMtu, destQpn, rqPsn, sqPsn, av };
  return { ...path, maxDestRdAtomic, maxRdAtomic, minRnrTimer, timeout, retryCnt, rnrRetry };
}

function applyVector(qp: Qp, av: AddressVector): void {
  qp.remoteHost = av.remoteHost;
  qp.ipv6 = av.ipv6 ?? false;
  qp.serviceLevel = av.serviceLevel ?? 0;
  qp.trafficClass = av.trafficClass ?? 0;
  qp.flowLabel = av.flowLabel ?? 0;
  qp.hopLimit = av.hopLimit ?? 64;
}
