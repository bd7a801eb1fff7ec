/** The three steps of `connectQp` with their defaults. */

import { ACCESS, MTU_BYTES, QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import type { ConnectAttributes, RemoteQp } from './hostApi.ts';
import { HostApiError } from './hostErrors.ts';
import type { AddressVector, QpAttributes } from './qpAttributes.ts';
import { describe } from './qpTransitions.ts';
import type { Qp } from './verbsObjects.ts';

const REMOTE_RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
const DEFAULT_QKEY = 0x1234_5678;
const DEFAULT_RD_ATOMIC = 16;

/** INIT, RTR, RTS for a queue pair. @throws HostApiError for a connected type without a remote, or a bad MTU. */
export function connectPlan(qp: Qp, remote: RemoteQp | null, attrs: ConnectAttributes): readonly QpAttributes[] {
  if (qp.type === QP_TYPE.raw) return rawPlan(attrs);
  if (qp.type === QP_TYPE.ud) return datagramPlan(attrs);
  if (remote === null) {
    throw new HostApiError(
      'ATTRIBUTE',
      describe(qp),
      'no remote queue pair is given',
      'give host, qpn and psn',
      remote,
    );
  }
  return connectedPlan(qp, remote, attrs);
}

function datagramPlan(attrs: ConnectAttributes): readonly QpAttributes[] {
  return [
    { state: QP_STATE.init, pkeyIndex: 0, port: attrs.port ?? 1, qkey: attrs.qkey ?? DEFAULT_QKEY },
    { state: QP_STATE.rtr },
    { state: QP_STATE.rts, sqPsn: attrs.psn ?? 0 },
  ];
}

function rawPlan(attrs: ConnectAttributes): readonly QpAttributes[] {
  return [{ state: QP_STATE.init, port: attrs.port ?? 1 }, { state: QP_STATE.rtr }, { state: QP_STATE.rts }];
}

function connectedPlan(qp: Qp, remote: RemoteQp, attrs: ConnectAttributes): readonly QpAttributes[] {
  const pathMtu = mtuCode(qp, attrs.mtu ?? 4096);
  const [toRtr, toRts] = qp.type === QP_TYPE.rc ? reliable(remote, attrs, pathMtu) : unreliable(remote, attrs, pathMtu);
  return [
    { state: QP_STATE.init, pkeyIndex: 0, port: attrs.port ?? 1, accessFlags: attrs.accessFlags ?? REMOTE_RIGHTS },
    toRtr,
    toRts,
  ];
}

/** RTR and RTS, written out: a plan is made for every queue pair. */
function reliable(remote: RemoteQp, attrs: ConnectAttributes, pathMtu: number): readonly [QpAttributes, QpAttributes] {
  return [
    {
      state: QP_STATE.rtr,
      av: vector(remote, attrs),
      pathMtu,
      destQpn: remote.qpn,
      rqPsn: remote.psn,
      maxDestRdAtomic: attrs.maxDestRdAtomic ?? DEFAULT_RD_ATOMIC,
      minRnrTimer: attrs.minRnrTimer ?? 1,
    },
    {
      state: QP_STATE.rts,
      sqPsn: attrs.psn ?? 0,
      timeout: attrs.timeout ?? 14,
      retryCnt: attrs.retryCnt ?? 7,
      rnrRetry: attrs.rnrRetry ?? 7,
      maxRdAtomic: attrs.maxRdAtomic ?? DEFAULT_RD_ATOMIC,
    },
  ];
}

function unreliable(
  remote: RemoteQp,
  attrs: ConnectAttributes,
  pathMtu: number,
): readonly [QpAttributes, QpAttributes] {
  return [
    { state: QP_STATE.rtr, av: vector(remote, attrs), pathMtu, destQpn: remote.qpn, rqPsn: remote.psn },
    { state: QP_STATE.rts, sqPsn: attrs.psn ?? 0 },
  ];
}

function vector(remote: RemoteQp, attrs: ConnectAttributes): AddressVector {
  return {
    remoteHost: remote.host,
    ipv6: attrs.ipv6 ?? false,
    serviceLevel: attrs.serviceLevel ?? 0,
    trafficClass: attrs.trafficClass ?? 0,
    flowLabel: attrs.flowLabel ?? 0,
    hopLimit: attrs.hopLimit ?? 64,
  };
}

/** MTU code of a number of bytes. @throws HostApiError */
export function mtuCode(qp: Qp, bytes: number): number {
  const code = (MTU_BYTES as readonly number[]).indexOf(bytes);
  if (code > 0) return code;
  throw new HostApiError('ATTRIBUTE', describe(qp), `MTU of ${bytes} bytes`, 'use 256, 512, 1024, 2048 or 4096', bytes);
}
