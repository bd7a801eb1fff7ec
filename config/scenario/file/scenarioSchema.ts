/**
 * The shape of an explicit scenario as a schema. The schema library is loaded when the first file is read: a run
 * without a scenario file does not pay for it.
 */
import { createRequire } from 'node:module';
import type { ZodType } from 'zod';
import { MTU_BYTES } from '../../../rdma/verbs.ts';
import { AREA_BYTES, AREA_NAMES, LARGEST_INLINE, MAX_PROCESS_NUMBER, MOST_PER_DOORBELL } from '../scenario.ts';
import { ACCESS_NAMES, EXPLICIT_OPCODES, type ExplicitScenario, SCENARIO_FORMAT } from './explicitScenario.ts';

const MAX_REGION_ID = 65_535;
const MAX_HOSTS = 8;
const MAX_QPS = 8192;

/** Builds the schema of `ExplicitScenario`. Unknown fields are errors. */
export function scenarioSchema(): ZodType<ExplicitScenario> {
  const { z } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const int = (min: number, max: number) => z.int().min(min).max(max);
  const region = z.strictObject({
    id: int(0, MAX_REGION_ID),
    area: z.enum(AREA_NAMES),
    offset: int(0, AREA_BYTES - 1),
    length: int(1, AREA_BYTES),
    access: z.array(z.enum(ACCESS_NAMES)),
  });
  const sge = z.strictObject({ region: int(0, MAX_REGION_ID), at: z.int(), length: int(0, 2 ** 31) });
  const operand = z.string().regex(/^0x[0-9a-f]{1,16}$/i);
  const send = z.strictObject({
    opcode: z.enum(EXPLICIT_OPCODES),
    imm: int(0, 2 ** 32 - 1).optional(),
    solicited: z.boolean().optional(),
    fence: z.boolean().optional(),
    inline: z.boolean().optional(),
    unsignaled: z.boolean().optional(),
    sges: z.array(sge).max(16),
    remote: z
      .strictObject({ region: int(0, MAX_REGION_ID), at: z.int(), qp: int(0, MAX_QPS - 1).optional() })
      .optional(),
    compare: operand.optional(),
    add: operand.optional(),
    swap: operand.optional(),
  });
  const recv = z.strictObject({ sges: z.array(sge).max(16) });
  const doorbell = z.strictObject({
    regions: z.array(region),
    sends: z.array(send).max(MOST_PER_DOORBELL),
    recvs: z.array(recv).max(MOST_PER_DOORBELL),
  });
  const qp = z.strictObject({
    type: z.enum(['RC', 'UC', 'UD']),
    process: int(1, MAX_PROCESS_NUMBER),
    sendCq: int(0, MAX_QPS - 1),
    recvCq: int(0, MAX_QPS - 1),
    peer: z.strictObject({ host: int(0, MAX_HOSTS - 1), qp: int(0, MAX_QPS - 1) }).nullable(),
    psn: int(0, 0xff_ffff),
    mtu: z.union(MTU_BYTES.slice(1).map((bytes) => z.literal(bytes))),
    maxSendWr: int(1, 32_768),
    maxRecvWr: int(1, 32_768),
    maxSge: int(1, 16),
    maxInline: int(0, LARGEST_INLINE).optional(),
    signalAll: z.boolean().optional(),
    regions: z.array(region),
    doorbells: z.array(doorbell),
  });
  const cq = z.strictObject({ process: int(1, MAX_PROCESS_NUMBER), entries: int(1, 32_768) });
  return z.strictObject({
    format: z.literal(SCENARIO_FORMAT),
    parameters: z.record(z.string(), z.string()),
    processes: int(1, MAX_PROCESS_NUMBER),
    doorbells: int(0, 1000),
    hosts: z
      .array(z.strictObject({ cqs: z.array(cq).max(MAX_QPS), qps: z.array(qp).max(MAX_QPS) }))
      .min(2)
      .max(MAX_HOSTS),
  }) as unknown as ZodType<ExplicitScenario>;
}
