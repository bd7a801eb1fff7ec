/** Values of parameters over the whole ranges that `docs/parameters.md` gives, the ends of the ranges preferred. */

import fc from 'fast-check';
import type { Parameter } from '../../../config/table/parameter.ts';
import { PARAMETERS } from '../../../config/table/parameterTable.ts';
import type { ParameterValues } from '../../../config/table/parameterTable.ts';

/** Where the table leaves the upper end to what memory holds. */
const MOST = 1e9;
const MOST_CHANGED = 4;
/** Names of files, folders and types, and the seed of nothing. */
const NO_RANGE = 'text';
/** What the link does to frames: not every service can be played on every link. */
const LINK = 'faults';

const rows: readonly Parameter[] = PARAMETERS;

/** `+NAME=value` of up to four parameters. */
export const anyParameters: fc.Arbitrary<readonly string[]> = fc
  .uniqueArray(fc.constantFrom(...rows.filter(({ kind, group }) => kind !== NO_RANGE && group !== LINK)), {
    minLength: 1,
    maxLength: MOST_CHANGED,
  })
  .chain((parameters) => fc.tuple(...parameters.map(anyValue)));

function anyValue(parameter: Parameter): fc.Arbitrary<string> {
  return anyIn(parameter).map((value) => `+${parameter.name}=${value}`);
}

function anyIn({ kind, min = 0, max = MOST, choices = [] }: Parameter): fc.Arbitrary<string | number> {
  switch (kind) {
    case 'switch':
      return fc.constantFrom(0, 1);
    case 'choice':
      return fc.constantFrom(...choices);
    case 'mtu':
      return fc.constantFrom(256, 512, 1024, 2048, 4096);
    case 'psn':
      return fc.oneof(fc.constantFrom('random', 'wrap', min, max), fc.integer({ min, max }));
    case 'percent':
      return within(0, 100);
    case 'size':
      return fc.integer({ min: Math.log2(min), max: Math.log2(max) }).map((log) => 2 ** log);
    case 'time':
      return within(min, max).map((ps) => `${ps}ps`);
    case 'int':
    case 'decimal':
    case 'rules':
    case 'pcie-rules':
    case 'inject-rules':
    case 'judge-rows':
    case 'text':
      return within(min, max);
  }
}

/** Ends first, then values of every order of magnitude. */
function within(min: number, max: number): fc.Arbitrary<number> {
  const steps = fc.double({ min: 0, max: 1, noNaN: true }).map((t) => Math.round(min + (max - min + 1) ** t - 1));
  return fc.oneof(fc.constantFrom(min, max), fc.constantFrom(Math.min(min + 1, max), Math.max(max - 1, min)), steps);
}

/** Roughly the requests that a run makes, and what bringing up its queue pairs is worth. */
export function predictedWork(test: string, v: ParameterValues): number {
  const pairs = v.HOST_NUM * (v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM);
  const generated = (v.WRITE_WQE_NUM + v.READ_WQE_NUM + v.SEND_WQE_NUM) * v.DB_NUM * v.SG_NUM;
  const each = test === 'test_sequence' ? v.SEQ_COUNT : test === 'test_random_verbs' ? v.SEQ_COUNT * 60 : generated;
  return pairs * (each + 20) * (v.RESTARTS + 1);
}
