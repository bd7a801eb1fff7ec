/** All cases that are written out: conformance/*.yaml names the others by the runs that show them. */
import { ATOMIC_RIGHTS, FOREIGN_ATOMICS, FOREIGN_DOMAINS, RIGHTS } from './cases/access.ts';
import { ATOMICS } from './cases/atomics.ts';
import { DATAGRAMS } from './cases/datagrams.ts';
import { DEVICE_LIMITS, WINDOW_LIMITS } from './cases/deviceLimits.ts';
import { EMPTY_REGIONS } from './cases/emptyRegions.ts';
import { ATOMIC_EVENTS, EVENTS } from './cases/events.ts';
import { ANSWERS, EVERY_OPCODE, LENGTHS } from './cases/frames.ts';
import { INVARIANT_CRC } from './cases/invariantCrc.ts';
import { INLINE, LISTS, MESSAGES, NOT_READY, REFUSED_MESSAGES, SEND_ERRORS } from './cases/messages.ts';
import { BURSTS, DESTRUCTION, OTHER_TYPES } from './cases/mixedPairs.ts';
import * as objects from './cases/objects.ts';
import { OVERFLOWS } from './cases/overflows.ts';
import { BOTH_ERRORS, EMPTY, LOCAL_ERRORS, RDMA, REMOTE_ERRORS } from './cases/rdma.ts';
import { ATOMICS_TO_STATES, LIFE_CYCLES, REUSE, TRANSITIONS, UNREADY } from './cases/states.ts';
import { SHARED_RECEIVE_ERRORS, SHARED_RECEIVE_EVENTS, SHARED_RECEIVES } from './cases/sharedReceives.ts';
import { UNSIGNALED, UNSIGNALED_ATOMICS, UNSIGNALED_DATAGRAMS, UNSIGNALED_REFUSED } from './cases/unsignaled.ts';
import { INVALIDATING_SENDS, UNSIGNALED_KEYS, WINDOW_ATOMICS, WINDOWS } from './cases/windows.ts';
import type { ConformanceCase } from './caseBench.ts';

const CASES: readonly ConformanceCase[] = [
  ...[MESSAGES, LISTS, REFUSED_MESSAGES, NOT_READY, SEND_ERRORS, INLINE],
  ...[RDMA, EMPTY, EMPTY_REGIONS, REMOTE_ERRORS, LOCAL_ERRORS, BOTH_ERRORS],
  ...[RIGHTS, ATOMIC_RIGHTS, FOREIGN_DOMAINS, FOREIGN_ATOMICS, ATOMICS],
  ...[EVENTS, ATOMIC_EVENTS, DATAGRAMS],
  ...[EVERY_OPCODE, LENGTHS, ANSWERS, INVARIANT_CRC],
  ...[TRANSITIONS, REUSE, LIFE_CYCLES, UNREADY, ATOMICS_TO_STATES],
  ...[DEVICE_LIMITS, WINDOW_LIMITS, OTHER_TYPES, BURSTS, DESTRUCTION],
  ...OVERFLOWS,
  ...[SHARED_RECEIVES, SHARED_RECEIVE_EVENTS, SHARED_RECEIVE_ERRORS],
  ...[UNSIGNALED, UNSIGNALED_REFUSED, UNSIGNALED_ATOMICS, UNSIGNALED_DATAGRAMS],
  ...[WINDOWS, WINDOW_ATOMICS, UNSIGNALED_KEYS, INVALIDATING_SENDS],
  ...Object.values(objects),
].flat();

const BY_ID: ReadonlyMap<string, ConformanceCase> = new Map(CASES.map((each) => [each.id, each]));

/** The case of a behaviour; undefined where there is none. @param id `G263`, `T-031` */
export function caseNamed(id: string): ConformanceCase | undefined {
  return BY_ID.get(id);
}

/** Ids of all behaviours that have a case here, in no order. */
export function caseIds(): readonly string[] {
  return [...BY_ID.keys()];
}
