/** What the wrong values of a finding look like, in lines. */

import type { ReportSubject } from '../../../../uvm/report/reportMessage.ts';
import type { BytesSubject, ValueSubject } from '../../../../rdma/subject.ts';
import { isWrongValue } from '../../../../rdma/subjectParts.ts';
import type { LoggedEvent } from '../../../../env/trace/eventLog.ts';
import type { Accused } from '../subject.ts';
import { bytesLikenessesOf, likenessesOf } from './likeness.ts';
import { sameValueOf } from './sameValues.ts';

/** Likenesses of one value that are told. */
const MOST = 3;

/** One line for each wrong value that looks like anything. @param time of the finding, ps */
export function looksLikeLines(
  subject: ReportSubject | undefined,
  events: readonly LoggedEvent[],
  accused: Accused,
  time: number,
): string[] {
  return (subject ?? []).filter(isWrongValue).flatMap((value) => {
    if (value.kind === 'bytes')
      return lineOf('data', bytesTextOf(value), bytesLikenessesOf(value.found, value.expected));
    const same = sameValueOf(value, events, accused, time);
    const alike = likenessesOf(value.found, value.expected, value.bits);
    return lineOf(value.field, valueTextOf(value), [...alike, ...(same === undefined ? [] : [same])]);
  });
}

function lineOf(name: string, values: string, likenesses: readonly string[]): string[] {
  return likenesses.length === 0 ? [] : [`${name} ${values}: ${likenesses.slice(0, MOST).join('; ')}`];
}

function valueTextOf({ found, expected }: ValueSubject): string {
  const isNumber = found < 10_000n && expected < 10_000n;
  const text = (value: bigint): string => (isNumber ? String(value) : `0x${value.toString(16)}`);
  return `${text(found)} in place of ${text(expected)}`;
}

function bytesTextOf({ found, expected }: BytesSubject): string {
  const text = (bytes: Uint8Array): string =>
    Buffer.from(bytes.subarray(0, 4))
      .toString('hex')
      .replace(/(..)(?!$)/g, '$1 ');
  return `${text(found)} ... in place of ${text(expected)} ...`;
}
