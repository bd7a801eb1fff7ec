/**
 * Which modifications of a queue pair are legal: the table of roce-transport.md 6.2 and the value limits under it.
 */

import { QP_STATE, QP_STATE_NAME, QP_TYPE_NAME } from '../../rdma/verbs.ts';
import type { QpState, QpType } from '../../rdma/verbs.ts';
import { HostApiError } from './hostErrors.ts';
import { ATTRIBUTE_BIT, attributeMask } from './qpAttributes.ts';
import type { AddressVector, QpAttributeName, QpAttributes } from './qpAttributes.ts';
import { checkRemoteHost } from './remoteHostCheck.ts';
import type { Qp } from './verbsObjects.ts';

/** What a transition needs and what it allows besides. */
export interface Transition {
  readonly required: readonly QpAttributeName[];
  readonly optional: readonly QpAttributeName[];
  /** The required ones, and all that may be given, as `ATTRIBUTE_BIT`s. */
  readonly requiredBits: number;
  readonly allowedBits: number;
}

/** Limits of the device that attribute values are held against. */
export interface AttributeLimits {
  /** Largest MTU code of the port. */
  readonly maxMtu: number;
  readonly maxRdAtomic: number;
  readonly maxDestRdAtomic: number;
  readonly hosts: number;
  /** Ethernet ports of the NIC. */
  readonly ports: number;
}

type Names = readonly QpAttributeName[];
const bitsOf = (names: Names): number => names.reduce((bits, name) => bits | ATTRIBUTE_BIT[name], 0);
const rule = (required: Names, optional: Names = []): Transition => ({
  required,
  optional,
  requiredBits: bitsOf(required),
  allowedBits: bitsOf([...required, ...optional, 'state']),
});
const NONE = rule([]);

const S = QP_STATE;
const key = (from: QpState, to: QpState): number => from * 8 + to;

/** Same for RC and UC apart from what a reliable transport adds. */
function connectedRules(reliable: boolean): ReadonlyMap<number, Transition> {
  const rnr: Names = reliable ? ['minRnrTimer'] : [];
  const toRtr: Names = reliable ? ['maxDestRdAtomic', 'minRnrTimer'] : [];
  const toRts: Names = reliable ? ['timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic'] : [];
  const sqd: Names = reliable
    ? ['port', 'timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic', 'maxDestRdAtomic', 'minRnrTimer']
    : [];
  const live: Names = ['curState', 'accessFlags', ...rnr];
  const rules = new Map<number, Transition>([
    [key(S.reset, S.init), rule(['pkeyIndex', 'port', 'accessFlags'])],
    [key(S.init, S.init), rule([], ['pkeyIndex', 'port', 'accessFlags'])],
    [key(S.init, S.rtr), rule(['av', 'pathMtu', 'destQpn', 'rqPsn', ...toRtr], ['accessFlags', 'pkeyIndex'])],
    [key(S.rtr, S.rts), rule(['sqPsn', ...toRts], live)],
    [key(S.rts, S.rts), rule([], live)],
    [key(S.rts, S.sqd), rule([], ['enSqdAsyncNotify'])],
    [key(S.sqd, S.sqd), rule([], ['av', 'accessFlags', 'pkeyIndex', ...sqd])],
    [key(S.sqd, S.rts), rule([], live)],
  ]);
  if (!reliable) rules.set(key(S.sqe, S.rts), rule([], ['curState', 'accessFlags']));
  return rules;
}

const UD_RULES: ReadonlyMap<number, Transition> = new Map([
  [key(S.reset, S.init), rule(['pkeyIndex', 'port', 'qkey'])],
  [key(S.init, S.init), rule([], ['pkeyIndex', 'port', 'qkey'])],
  [key(S.init, S.rtr), rule([], ['pkeyIndex', 'qkey'])],
  [key(S.rtr, S.rts), rule(['sqPsn'], ['curState', 'qkey'])],
  [key(S.rts, S.rts), rule([], ['curState', 'qkey'])],
  [key(S.rts, S.sqd), rule([], ['enSqdAsyncNotify'])],
  [key(S.sqd, S.sqd), rule([], ['pkeyIndex', 'qkey'])],
  [key(S.sqd, S.rts), rule([], ['curState', 'qkey'])],
  [key(S.sqe, S.rts), rule([], ['curState', 'qkey'])],
]);

/** Frames of software: all that there is to say is the port (hangu-verbs.md, "Frames of software"). */
const RAW_RULES: ReadonlyMap<number, Transition> = new Map([
  [key(S.reset, S.init), rule(['port'])],
  [key(S.init, S.init), rule([], ['port'])],
  [key(S.init, S.rtr), rule([])],
  [key(S.rtr, S.rts), rule([])],
  [key(S.rts, S.rts), rule([], ['curState'])],
  [key(S.sqe, S.rts), rule([], ['curState'])],
]);

const RULES: Readonly<Record<QpType, ReadonlyMap<number, Transition>>> = {
  2: connectedRules(true),
  3: connectedRules(false),
  4: UD_RULES,
  8: RAW_RULES,
};

/** The rule for a transition, or null when it is not in the table. */
export function transition(type: QpType, from: QpState, to: QpState): Transition | null {
  if (to === S.reset) return NONE;
  if (to === S.err) return from === S.reset ? null : NONE;
  return RULES[type].get(key(from, to)) ?? null;
}

/**
 * Checks a modification against state, attribute set and value limits.
 * @throws HostApiError of kind STATE or ATTRIBUTE; nothing has changed then.
 */
export function checkModify(qp: Qp, attr: QpAttributes, limits: AttributeLimits): void {
  const from = startState(qp, attr);
  const found = transition(qp.type, from, attr.state);
  if (found === null) throw illegalTransition(qp, from, attr.state);
  const given = attributeMask(attr);
  if ((found.requiredBits & ~given) !== 0 || (given & ~found.allowedBits) !== 0) checkNames(qp, attr, found, from);
  checkPlain(qp, attr);
  checkRange(qp, 'port', attr.port, 1, limits.ports);
  checkRange(qp, 'pathMtu', attr.pathMtu, 1, limits.maxMtu);
  checkRange(qp, 'maxRdAtomic', attr.maxRdAtomic, 0, limits.maxRdAtomic);
  checkRange(qp, 'maxDestRdAtomic', attr.maxDestRdAtomic, 0, limits.maxDestRdAtomic);
  if (attr.av !== undefined) checkPath(qp, attr.av, limits.hosts);
}

function checkPath(qp: Qp, av: AddressVector, hosts: number): void {
  checkRemoteHost(describe(qp), 'av.remoteHost', av.remoteHost, qp.host, hosts);
  checkRange(qp, 'av.serviceLevel', av.serviceLevel, 0, 7);
  checkRange(qp, 'av.trafficClass', av.trafficClass, 0, 0xff);
  checkRange(qp, 'av.flowLabel', av.flowLabel, 0, 0xf_ffff);
  checkRange(qp, 'av.hopLimit', av.hopLimit, 1, 0xff);
}

/** Inclusive ranges of the plain values. */
function checkPlain(qp: Qp, attr: QpAttributes): void {
  checkRange(qp, 'pkeyIndex', attr.pkeyIndex, 0, 0);
  checkRange(qp, 'accessFlags', attr.accessFlags, 0, 0x3f);
  checkRange(qp, 'qkey', attr.qkey, 0, 0xffff_ffff);
  checkRange(qp, 'destQpn', attr.destQpn, 0, 0xff_ffff);
  checkRange(qp, 'rqPsn', attr.rqPsn, 0, 0xffff_ffff);
  checkRange(qp, 'sqPsn', attr.sqPsn, 0, 0xffff_ffff);
  checkRange(qp, 'minRnrTimer', attr.minRnrTimer, 0, 31);
  checkRange(qp, 'timeout', attr.timeout, 0, 31);
  checkRange(qp, 'retryCnt', attr.retryCnt, 0, 7);
  checkRange(qp, 'rnrRetry', attr.rnrRetry, 0, 7);
}

/**
 * Whether the state from which a queue pair starts is for the NIC to say: it goes from RTS to SQE by itself, and who gives
 * one of the two as `curState` means either (roce-transport.md 6.2).
 */
export function mayHaveMoved(qp: Qp, attr: QpAttributes): boolean {
  return attr.curState !== undefined && isSending(attr.curState) && isSending(qp.state);
}

function isSending(state: QpState): boolean {
  return state === S.rts || state === S.sqe;
}

/** The caller may say which state it believes in; it must be right, but that RTS and SQE are one. */
function startState(qp: Qp, attr: QpAttributes): QpState {
  const believed = attr.curState;
  if (believed === undefined || believed === qp.state || mayHaveMoved(qp, attr)) return qp.state;
  throw new HostApiError(
    'STATE',
    describe(qp),
    `curState ${QP_STATE_NAME[believed]} given but the queue pair is in ${QP_STATE_NAME[qp.state]}`,
    'leave curState out or give the real state',
    believed,
  );
}

function checkNames(qp: Qp, attr: QpAttributes, found: Transition, from: QpState): void {
  const step = `${QP_STATE_NAME[from]} -> ${QP_STATE_NAME[attr.state]}`;
  for (const name of found.required) {
    if (attr[name] !== undefined) continue;
    throw new HostApiError(
      'ATTRIBUTE',
      describe(qp),
      `${step} needs ${name}`,
      `give ${found.required.join(', ')}`,
      name,
    );
  }
  for (const name of Object.keys(attr) as QpAttributeName[]) {
    if (name === 'state' || attr[name] === undefined) continue;
    if (found.required.includes(name) || found.optional.includes(name)) continue;
    const allowed = [...found.required, ...found.optional].join(', ') || 'none';
    throw new HostApiError('ATTRIBUTE', describe(qp), `${step} does not take ${name}`, `allowed: ${allowed}`, name);
  }
}

function checkRange(qp: Qp, name: string, value: number | undefined, low: number, high: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= low && value <= high)) return;
  throw new HostApiError('ATTRIBUTE', describe(qp), `${name} is ${value}`, `it must be ${low} .. ${high}`, value);
}

function illegalTransition(qp: Qp, from: QpState, to: QpState): HostApiError {
  const legal = ([0, 1, 2, 3, 4, 5, 6] as const).filter((s) => transition(qp.type, from, s) !== null);
  const names = legal.map((s) => QP_STATE_NAME[s]).join(', ');
  const step = `${QP_STATE_NAME[from]} -> ${QP_STATE_NAME[to]}`;
  return new HostApiError(
    'STATE',
    describe(qp),
    `${step} is not allowed for ${QP_TYPE_NAME[qp.type]}`,
    `from here: ${names}`,
    to,
  );
}

/** `host 0 RC QP 14`. */
export function describe(qp: Qp): string {
  return `host ${qp.host} ${QP_TYPE_NAME[qp.type] ?? '?'} QP ${qp.qpn}`;
}
