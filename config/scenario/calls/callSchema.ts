/**
 * The shape of a scenario of calls as schemas: one for the file, one for each kind of step, so that what is wrong with a
 * step is said by what its call needs. The schema library is loaded when the first file is read.
 */

import { OPERAND, OPERAND_HINT } from '../atomicOperands.ts';
import { createRequire } from 'node:module';
import type { ZodType } from 'zod';
import { ACCESS, QP_STATE_NAME, SEND_FLAG, WR_OPCODE_NAME } from '../../../rdma/verbs.ts';
import { MAX_PROCESS_NUMBER } from '../scenario.ts';
import { CALL_FORMAT, CALLS, type CallName } from './callScenario.ts';
import { PACKET_FLAGS, PACKET_NUMBERS } from './packetFields.ts';

const MAX_HOSTS = 8;
const MAX_REGION = 2 ** 32;
const MOST_SGE = 64;
const MOST_REQUESTS = 65_536;
const WORD = 2 ** 32 - 1;
const PSN = 0xff_ffff;
const MAX_CQ_ENTRIES = 2 ** 24;
const MOST_SRQS = 2 ** 16;

/** Schemas of the parts of a file. */
export interface CallSchemas {
  /** Everything but what is in a step. */
  readonly file: ZodType;
  readonly wait: ZodType;
  readonly calls: Readonly<Record<CallName, ZodType>>;
}

/** Builds them. Unknown fields are errors. */
export function callSchemas(): CallSchemas {
  const { z } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const int = (min: number, max: number) => z.int().min(min).max(max);
  const name = z.string();
  const process = int(1, MAX_PROCESS_NUMBER);
  const rights = z.array(z.enum(Object.keys(ACCESS) as [string]));
  const place = { area: name.optional(), at: z.int().optional(), address: z.string().optional() };
  const key = { of: name.optional(), tag: int(0, 255).optional(), key: int(0, WORD).optional() };
  const memory = { ...place, ...key, mr: name.optional(), flip: int(0, WORD).optional() };
  const sges = z.array(z.strictObject({ ...memory, length: int(0, 2 ** 31) })).max(MOST_SGE);
  const region = z.strictObject({
    mr: name,
    ...place,
    length: int(1, MAX_REGION),
    access: rights,
    zeroBased: z.literal(true).optional(),
  });
  const change = z.strictObject({
    ...place,
    key: z.strictObject(key),
    mr: z.strictObject(key).optional(),
    length: int(0, MAX_REGION),
    access: rights,
    zeroBased: z.literal(true).optional(),
    type: int(0, 2),
  });
  const operand = z.string().regex(OPERAND, OPERAND_HINT);
  const send = z.strictObject({
    id: int(0, Number.MAX_SAFE_INTEGER),
    opcode: z.enum(WR_OPCODE_NAME),
    flags: z.array(z.enum([...Object.keys(SEND_FLAG), 'unsignaled'] as [string])).optional(),
    imm: int(0, WORD).optional(),
    invalidates: z.strictObject(key).optional(),
    change: change.optional(),
    add: operand.optional(),
    compare: operand.optional(),
    swap: operand.optional(),
    sges,
    remote: z.strictObject(memory).optional(),
    ah: name.optional(),
    to: name.optional(),
    toQpn: int(0, 0xff_ffff).optional(),
    qkey: int(0, WORD).optional(),
  });
  const number = z.number();
  const path = {
    ipv6: z.boolean().optional(),
    serviceLevel: number.optional(),
    trafficClass: number.optional(),
    flowLabel: number.optional(),
    hopLimit: number.optional(),
  };
  const timers = {
    accessFlags: rights.optional(),
    qkey: number.optional(),
    timeout: number.optional(),
    retryCnt: number.optional(),
    rnrRetry: number.optional(),
    minRnrTimer: number.optional(),
    maxRdAtomic: number.optional(),
    maxDestRdAtomic: number.optional(),
  };
  const receives = z.strictObject({
    requests: z.array(z.strictObject({ id: int(0, Number.MAX_SAFE_INTEGER), sges })).max(MOST_REQUESTS),
  });
  const args: Readonly<Record<CallName, ZodType | null>> = {
    openDevice: z
      .strictObject({
        srqs: int(1, MOST_SRQS).optional(),
        keyTags: int(1, 8).optional(),
        keysSoon: z.literal(true).optional(),
        numbersSoon: z.literal(true).optional(),
      })
      .optional(),
    closeDevice: null,
    allocPd: z.strictObject({ process }),
    deallocPd: null,
    regMr: z.strictObject({ regions: z.array(region) }),
    deregMr: z.strictObject({ mrs: z.array(name) }),
    allocMw: z.strictObject({ type: z.union([z.literal(1), z.literal(2)]) }),
    deallocMw: null,
    allocMr: z.strictObject({ maxPages: int(1, 2 ** 20) }),
    deallocMr: null,
    createCq: z.strictObject({ process, entries: int(1, MAX_CQ_ENTRIES), solicitedEvents: z.literal(true).optional() }),
    destroyCq: null,
    resizeCq: z.strictObject({ entries: int(1, MAX_CQ_ENTRIES) }),
    createSrq: z.strictObject({ maxWr: int(1, 2 ** 20), maxSge: int(1, MOST_SGE) }),
    modifySrq: z.strictObject({ limit: int(0, 2 ** 20) }),
    querySrq: null,
    destroySrq: null,
    postSrqRecv: receives,
    createQp: z.strictObject({
      type: z.enum(['RC', 'UC', 'UD']),
      sendCq: name,
      recvCq: name,
      maxSendWr: int(1, 2 ** 20),
      maxRecvWr: int(1, 2 ** 20),
      srq: name.optional(),
      maxSge: int(1, MOST_SGE),
      maxInline: int(0, 4096).optional(),
      signalAll: z.boolean().optional(),
    }),
    destroyQp: null,
    modifyQp: z.strictObject({
      state: z.enum(QP_STATE_NAME),
      curState: number.optional(),
      enSqdAsyncNotify: z.boolean().optional(),
      peer: name.optional(),
      destQpn: number.optional(),
      pkeyIndex: number.optional(),
      port: number.optional(),
      av: z.strictObject({ remoteHost: number.optional(), ...path }).optional(),
      pathMtu: number.optional(),
      rqPsn: number.optional(),
      sqPsn: number.optional(),
      ...timers,
    }),
    queryQp: null,
    connectQp: z.strictObject({
      peer: name.optional(),
      peerPsn: int(0, 0xff_ffff).optional(),
      port: number.optional(),
      psn: number.optional(),
      mtu: number.optional(),
      ...timers,
      ...path,
    }),
    createAh: z.strictObject({
      host: int(0, MAX_HOSTS - 1),
      ipv6: z.boolean().optional(),
      gidIndex: number.optional(),
      trafficClass: number.optional(),
      flowLabel: number.optional(),
      hopLimit: number.optional(),
    }),
    queryCq: null,
    queryMr: null,
    queryAh: null,
    destroyAh: null,
    postSend: z.strictObject({ requests: z.array(send).max(MOST_REQUESTS) }),
    postRecv: receives,
    armCq: z.strictObject({ solicitedOnly: z.boolean() }),
    maskEvents: z.strictObject({ masked: z.boolean() }),
    write: z.strictObject({ process, ...place, bytes: z.string().regex(/^([0-9a-f]{2})*$/i) }),
    refusedCommand: z.strictObject({ mr: name, what: z.string() }),
    addFault: z.strictObject({ rule: z.string() }),
    stopFault: null,
    inject: z.strictObject({
      from: z.string().regex(/^host\d$/, 'is a host, such as host0'),
      to: name,
      destQp: int(0, PSN).optional(),
      opcode: z.union([z.string(), int(0, 0xff)]),
      ahead: int(-PSN, PSN).optional(),
      psn: int(0, PSN).optional(),
      payload: z.union([z.string().regex(/^([0-9a-f]{2})*$/i), int(0, 4096)]).optional(),
      remote: z.strictObject(memory).optional(),
      ...Object.fromEntries(PACKET_NUMBERS.map((field) => [field, int(0, WORD).optional()])),
      ...Object.fromEntries(PACKET_FLAGS.map((field) => [field, z.boolean().optional()])),
      icrc: z.enum(['right', 'wrong']).optional(),
    }),
  };
  const call = (of: CallName): ZodType => {
    const own = args[of];
    const common = { call: z.literal(of), on: name, as: name.optional(), refused: z.string().optional() };
    return own === null ? z.strictObject(common) : z.strictObject({ ...common, args: own });
  };
  return {
    file: z.strictObject({
      format: z.literal(CALL_FORMAT),
      test: z.string(),
      seed: int(0, WORD),
      hosts: int(2, MAX_HOSTS),
      processes: process,
      receivesMayRemain: z.boolean(),
      parameters: z.record(z.string(), z.string()),
      faults: z.array(z.string()),
      laziness: z.record(z.string(), z.record(z.string(), z.string())),
      stages: z.array(
        z.strictObject({
          threads: z.array(
            z.strictObject({ name: z.string(), daemon: z.literal(true).optional(), steps: z.array(z.looseObject({})) }),
          ),
        }),
      ),
    }),
    wait: z.strictObject({
      wait: z.string(),
      time: z.string().optional(),
      on: name.optional(),
      queue: z.enum(['send', 'receive']).optional(),
      id: int(0, Number.MAX_SAFE_INTEGER).optional(),
    }),
    calls: Object.fromEntries(CALLS.map((of) => [of, call(of)])) as Record<CallName, ZodType>,
  };
}
