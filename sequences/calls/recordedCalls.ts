/** Calls of a host API as a scenario says them. */

import { operandsIn, operandTexts } from '../../config/scenario/atomicOperands.ts';
import type { KeyChange, RecvWr, SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import type { AhRequest } from '../../env/verbs/ah/ahAttributes.ts';
import type { ConnectAttributes, CqRequest, HostApi, MrRequest, RemoteQp } from '../../env/verbs/hostApi.ts';
import type { QpAttributes } from '../../env/verbs/qpAttributes.ts';
import type { DeviceRequest, SrqChange, SrqRequest } from '../../env/verbs/srq/srqRequests.ts';
import type { Ah, Cq, FastMr, Mr, Mw, MwType, Pd, Qp, QpInit, Srq } from '../../env/verbs/verbsObjects.ts';
import {
  ACCESS,
  QP_STATE_NAME,
  QP_TYPE,
  QP_TYPE_NAME,
  SEND_FLAG,
  WR_OPCODE,
  WR_OPCODE_NAME,
} from '../../rdma/verbs.ts';
import type {
  CallAttributes,
  CallChange,
  CallMemory,
  CallName,
  CallOf,
  CallQp,
  CallRecv,
  CallRegion,
  CallSend,
  CallSge,
  CallStep,
} from '../../config/scenario/calls/callScenario.ts';
import type { ObjectNames } from './objectNames.ts';

/** A call under way: what is known when it begins, and what is known when it has returned. */
export interface BegunCall {
  readonly step: CallStep;
  /** Adds the names of what it has made. */
  readonly made?: (result: unknown) => Partial<CallOf>;
}

type Describe = (args: never, names: ObjectNames, api: HostApi) => BegunCall;

/** How each method of the host API is written down. */
const METHODS: Readonly<Record<string, Describe>> = {
  openDevice: ([request]: [DeviceRequest | undefined], _names, api) =>
    call('openDevice', hostName(api), opening(request ?? {})),
  closeDevice: (_args, _names, api) => call('closeDevice', hostName(api)),
  allocPd: ([process]: [number], names, api) =>
    call('allocPd', hostName(api), { process }, (pd) => ({ as: names.pd(pd as Pd) })),
  deallocPd: ([pd]: [Pd], names) => call('deallocPd', names.of(pd)),
  regMr: ([pd, request]: [Pd, MrRequest], names) => registration(pd, [request], names),
  regMrs: ([pd, requests]: [Pd, readonly MrRequest[]], names) => registration(pd, requests, names),
  deregMr: ([mr]: [Mr], names, api) => call('deregMr', hostName(api), { mrs: [names.of(mr)] }),
  deregMrs: ([mrs]: [readonly Mr[]], names, api) =>
    call('deregMr', hostName(api), { mrs: mrs.map((mr) => names.of(mr)) }),
  queryMr: ([mr]: [Mr], names) => call('queryMr', names.of(mr)),
  allocMw: ([pd, type]: [Pd, MwType], names) =>
    call('allocMw', names.of(pd), { type }, (mw) => ({ as: names.mkey(mw as Mw) })),
  deallocMw: ([mw]: [Mw], names) => call('deallocMw', names.of(mw)),
  allocMr: ([pd, maxPages]: [Pd, number], names) =>
    call('allocMr', names.of(pd), { maxPages }, (mr) => ({ as: names.mkey(mr as FastMr) })),
  deallocMr: ([mr]: [FastMr], names) => call('deallocMr', names.of(mr)),
  createCq: ([process, { entries, solicitedEvents }]: [number, CqRequest], names, api) => {
    const args = { process, entries, ...(solicitedEvents === true ? { solicitedEvents } : {}) };
    return call('createCq', hostName(api), args, (cq) => ({ as: names.cq(cq as Cq) }));
  },
  destroyCq: ([cq]: [Cq], names) => call('destroyCq', names.of(cq)),
  resizeCq: ([cq, entries]: [Cq, number], names) => call('resizeCq', names.of(cq), { entries }),
  queryCq: ([cq]: [Cq], names) => call('queryCq', names.of(cq)),
  createSrq: ([pd, { maxWr, maxSge }]: [Pd, SrqRequest], names) =>
    call('createSrq', names.of(pd), { maxWr, maxSge }, (srq) => ({ as: names.srq(srq as Srq) })),
  modifySrq: ([srq, { limit = 0 }]: [Srq, SrqChange], names) => call('modifySrq', names.of(srq), { limit }),
  querySrq: ([srq]: [Srq], names) => call('querySrq', names.of(srq)),
  destroySrq: ([srq]: [Srq], names) => call('destroySrq', names.of(srq)),
  postSrqRecv: ([srq, wrs, count]: [Srq, readonly RecvWr[], number], names) =>
    call('postSrqRecv', names.of(srq), { requests: wrs.slice(0, count).map((wr) => recvOf(srq, wr, names)) }),
  createQp: ([pd, init]: [Pd, QpInit], names, api) =>
    call('createQp', names.of(pd), qpOf(init, names), (qp) => ({ as: names.qp(qp as Qp, api) })),
  destroyQp: ([qp]: [Qp], names) => call('destroyQp', names.of(qp)),
  modifyQp: ([qp, attr]: [Qp, QpAttributes], names) => call('modifyQp', names.of(qp), modification(qp, attr, names)),
  queryQp: ([qp]: [Qp], names) => call('queryQp', names.of(qp)),
  connectQp: ([qp, remote, attrs]: [Qp, RemoteQp | null, ConnectAttributes | undefined], names) => {
    const peer = remote === null ? {} : { peer: names.qpOf(remote.host, remote.qpn), peerPsn: remote.psn };
    return call('connectQp', names.of(qp), { ...peer, ...attributes(attrs ?? {}) });
  },
  createAh: ([pd, host, request]: [Pd, number, AhRequest | undefined], names) =>
    call('createAh', names.of(pd), { host, ...request }, (ah) => ({ as: names.ah(ah as Ah) })),
  queryAh: ([ah]: [Ah], names) => call('queryAh', names.of(ah)),
  destroyAh: ([ah]: [Ah], names) => call('destroyAh', names.of(ah)),
  postSend: ([qp, wrs, count]: [Qp, readonly SendWr[], number], names) =>
    call('postSend', names.of(qp), { requests: wrs.slice(0, count).map((wr) => sendOf(qp, wr, names)) }),
  postRecv: ([qp, wrs, count]: [Qp, readonly RecvWr[], number], names) =>
    call('postRecv', names.of(qp), { requests: wrs.slice(0, count).map((wr) => recvOf(qp, wr, names)) }),
  armCq: ([cq, solicitedOnly]: [Cq, boolean], names) => call('armCq', names.of(cq), { solicitedOnly }),
  maskEvents: ([masked]: [boolean], _names, api) => call('maskEvents', hostName(api), { masked }),
  waitDrained: ([qp]: [Qp], names) => ({ step: { wait: 'drained', on: names.of(qp) } }),
  waitEvent: (_args, _names, api) => ({ step: { wait: 'event', on: hostName(api) } }),
  takeCompletions: (_args, _names, api) => ({ step: { wait: 'completions', on: hostName(api) } }),
};

/** What to write down of a call; undefined for methods that change nothing, or are not software's to choose. */
export function begunCall(
  method: string,
  args: readonly unknown[],
  names: ObjectNames,
  api: HostApi,
): BegunCall | undefined {
  return Object.hasOwn(METHODS, method) ? (METHODS[method] as Describe)(args as never, names, api) : undefined;
}

export function hostName({ host }: { readonly host: number }): string {
  return `host${host}`;
}

function call(name: CallName, on: string, args?: object, made?: (result: unknown) => Partial<CallOf>): BegunCall {
  const step = { call: name, on, ...(args === undefined ? {} : { args }) } as CallStep;
  return made === undefined ? { step } : { step, made };
}

function registration(pd: Pd, requests: readonly MrRequest[], names: ObjectNames): BegunCall {
  const regions = requests.map(({ hi, lo, length, access, zeroBased }): Omit<CallRegion, 'mr'> => {
    const zero = zeroBased ?? (access & ACCESS.zeroBased) !== 0;
    const rights = bitNames(ACCESS, access).filter((name) => name !== 'zeroBased');
    return { ...names.place(pd.host, hi, lo), length, access: rights, ...(zero ? { zeroBased: true } : {}) };
  });
  const made = (result: unknown): Partial<CallOf> => {
    const mrs = Array.isArray(result) ? (result as readonly Mr[]) : [result as Mr];
    const named = regions.map((region, i) => ({ mr: names.mr(mrs[i] as Mr), ...region }));
    return { args: { regions: named } } as Partial<CallOf>;
  };
  const unnamed = regions.map((region) => ({ mr: 'unmade', ...region }));
  return call('regMr', names.of(pd), { regions: unnamed }, made);
}

function qpOf(init: QpInit, names: ObjectNames): CallQp {
  const { type, sendCq, recvCq, srq, maxSendWr, maxRecvWr, maxSge, maxInline = 0, signalAll = true } = init;
  return {
    type: QP_TYPE_NAME[type] as CallQp['type'],
    sendCq: names.of(sendCq),
    recvCq: names.of(recvCq),
    maxSendWr,
    maxRecvWr,
    ...(srq ? { srq: names.of(srq) } : {}),
    maxSge,
    ...(maxInline > 0 ? { maxInline } : {}),
    ...(signalAll ? {} : { signalAll }),
  };
}

/** Attributes by the names of the host API, those that are not given left out, rights by their names. */
function attributes(given: object): CallAttributes {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === 'accessFlags' ? bitNames(ACCESS, value as number) : value]),
  ) as CallAttributes;
}

function modification(qp: Qp, attr: QpAttributes, names: ObjectNames): CallAttributes {
  const { state, destQpn, av, ...others } = attr;
  const host = av?.remoteHost ?? qp.remoteHost;
  const peer = destQpn === undefined ? undefined : names.qpOf(host, destQpn);
  const { remoteHost, ...path } = av ?? { remoteHost: undefined };
  return {
    state: QP_STATE_NAME[state] as string,
    ...(peer === undefined ? attributes({ destQpn }) : { peer }),
    ...(av === undefined ? {} : { av: attributes(peer === undefined ? { remoteHost, ...path } : path) }),
    ...attributes(others),
  };
}

/** What is asked of a device beyond the usual; undefined where nothing is. */
function opening({ srqs = 0, keyTags = 0, keysSoon = false, numbersSoon = false }: DeviceRequest): object | undefined {
  const asked = {
    ...(srqs > 0 ? { srqs } : {}),
    ...(keyTags > 0 ? { keyTags } : {}),
    ...(keysSoon ? { keysSoon } : {}),
    ...(numbersSoon ? { numbersSoon } : {}),
  };
  return Object.keys(asked).length === 0 ? undefined : asked;
}

function changeOf(qp: Qp, change: KeyChange, names: ObjectNames): CallChange {
  const { key, mrKey, hi, lo, length, access, zeroBased = false, type } = change;
  return {
    ...names.place(qp.host, hi, lo),
    key: names.key(qp.host, key),
    ...(type === 0 ? {} : { mr: names.key(qp.host, mrKey) }),
    length,
    access: bitNames(ACCESS, access),
    ...(zeroBased ? { zeroBased } : {}),
    type,
  };
}

/** Requests that name no memory of the other side. */
const WITHOUT_REMOTE: readonly number[] = [WR_OPCODE.localInv, WR_OPCODE.bindMw, WR_OPCODE.regMr];
const SEND = 'SEND';

function sendOf(qp: Qp, wr: SendWr, names: ObjectNames): CallSend {
  const opcode = WR_OPCODE_NAME[wr.opcode] ?? String(wr.opcode);
  const flags = bitNames(SEND_FLAG, wr.flags).filter((name) => name !== 'signaled');
  return {
    id: wr.wrId,
    opcode,
    ...(flags.length > 0 ? { flags } : {}),
    ...((wr.flags & SEND_FLAG.signaled) !== 0 || qp.signalAll ? {} : { flags: [...flags, 'unsignaled'] }),
    ...(opcode.endsWith('_IMM') ? { imm: wr.imm >>> 0 } : {}),
    ...(wr.opcode === WR_OPCODE.localInv ? { invalidates: names.key(qp.host, wr.imm) } : {}),
    ...(wr.opcode === WR_OPCODE.sendWithInv ? { invalidates: names.key(qp.remoteHost, wr.imm) } : {}),
    ...(wr.change === null ? {} : { change: changeOf(qp, wr.change, names) }),
    ...operandTexts(wr.opcode, ...operandsIn(wr)),
    sges: sgesOf(qp, wr, names),
    ...(opcode.startsWith(SEND) || WITHOUT_REMOTE.includes(wr.opcode) ? {} : { remote: remoteOf(qp, wr, names) }),
    ...(qp.type === QP_TYPE.ud ? datagram(qp, wr, names) : {}),
  };
}

function remoteOf(qp: Qp, wr: SendWr, names: ObjectNames): CallMemory {
  return names.memory(qp.remoteHost, wr.rkey, wr.remoteHi, wr.remoteLo);
}

function datagram(qp: Qp, wr: SendWr, names: ObjectNames): Partial<CallSend> {
  const ah = names.ahOf(qp.host, wr.ah);
  const to = ah === undefined ? undefined : names.qpOf(ah.remoteHost, wr.remoteQpn);
  const known = names.qpNamed(to);
  const qkey = wr.remoteQkey >>> 0;
  return {
    ...(ah === undefined ? {} : { ah: names.of(ah) }),
    ...(to === undefined ? { toQpn: wr.remoteQpn } : { to }),
    ...(known !== undefined && known.qkey >>> 0 === qkey ? {} : { qkey }),
  };
}

function recvOf(qp: Qp | Srq, wr: RecvWr, names: ObjectNames): CallRecv {
  return { id: wr.wrId, sges: sgesOf(qp, wr, names) };
}

function sgesOf(qp: Qp | Srq, { sges, numSge }: SendWr | RecvWr, names: ObjectNames): CallSge[] {
  return sges.slice(0, numSge).map(({ hi, lo, length, lkey }: Sge) => {
    return { ...names.memory(qp.host, lkey, hi, lo), length };
  });
}

function bitNames(bits: Readonly<Record<string, number>>, value: number): string[] {
  return Object.entries(bits).flatMap(([name, bit]) => ((value & bit) !== 0 ? [name] : []));
}
