/**
 * Finds a user sequence that cannot run: none of the queue pairs of the run is of a type that it uses, or the NIC does not
 * have what it needs.
 */

import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { QP_TYPE, QP_TYPE_NAME, type TransportType } from '../../rdma/verbs.ts';
import { CONFORMANCE_TEST, PERF_TEST, SEQUENCE_TEST } from '../../config/parameters.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import { caseIds, caseNamed } from '../../sequences/conformance/cases.ts';
import { lackOf } from '../../sequences/user/sequenceNeeds.ts';
import { UserSequence } from '../../sequences/user/userSequence.ts';
import type { Factory } from '../../uvm/base/factory.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import type { RunSpec } from './runSpec.ts';

/** The parameter that says how many queue pairs of a type there are. */
const COUNTS: Readonly<Record<TransportType, 'RC_QP_NUM' | 'UC_QP_NUM' | 'UD_QP_NUM'>> = {
  [QP_TYPE.rc]: 'RC_QP_NUM',
  [QP_TYPE.uc]: 'UC_QP_NUM',
  [QP_TYPE.ud]: 'UD_QP_NUM',
};

/**
 * @param lineage of the test
 * @param limits of the NIC
 * @returns what is wrong, and what to give instead; undefined when the sequence can run, or nothing is known of it
 */
export function sequenceNeeds(
  { plusargs, scenarioFile }: RunSpec,
  lineage: readonly string[],
  values: ParameterValues,
  limits: DeviceLimits,
  factory: Factory,
): string | undefined {
  const { UVM_TEST_SEQ: name } = values;
  // Calls are played in its place.
  if ((scenarioFile?.calls ?? null) !== null) return undefined;
  if (lineage.includes(CONFORMANCE_TEST)) return caseNeeds(values, limits);
  if (lineage.includes(PERF_TEST)) return perfNeeds(values, limits);
  if (!lineage.includes(SEQUENCE_TEST) || plusargs.some((arg) => /^\+uvm_set_(type|inst)_override=/i.test(arg))) return;
  const sequence = sequenceNamed(name, factory);
  if (sequence === undefined) return;
  const { services } = sequence;
  const lack = [...lackOf(sequence.needs, limits), ...foreign(services, limits)];
  if (lack.length > 0) return `+UVM_TEST_SEQ=${name} needs what ${values.DUT} does not have: ${lack.join(', ')}`;
  if (services.length === 0 || services.some((type) => values[COUNTS[type]] > 0)) return;
  return noQueuePairs(name, services);
}

/** What a NIC lacks for a case of the conformance list, or that there is none of this id. */
function caseNeeds({ CASE: id, DUT }: ParameterValues, limits: DeviceLimits): string | undefined {
  const found = caseNamed(id);
  const lack = found === undefined ? [] : lackOf(found.needs, limits);
  if (lack.length > 0) return `+CASE=${id} needs what ${DUT} does not have: ${lack.join(', ')}`;
  if (found !== undefined) return undefined;
  return `+CASE=${id}: no case of this id is written out${didYouMean(id, caseIds()) || '; docs/conformance.md has all'}`;
}

/** What a NIC, or its queue pairs, lack for a measurement. */
function perfNeeds(values: ParameterValues, { capabilities }: DeviceLimits): string | undefined {
  const { PERF: test, RC_QP_NUM, UC_QP_NUM, UD_QP_NUM, PERF_BYTES, MTU, DUT } = values;
  if (test.startsWith('atomic') && !capabilities.atomics)
    return `+PERF=${test} needs what ${DUT} does not have: atomics`;
  if (RC_QP_NUM + UC_QP_NUM + UD_QP_NUM === 0) return `+PERF=${test}: no queue pairs; give +RC_QP_NUM=1`;
  if (UD_QP_NUM > 0 && !test.startsWith('send')) return `+PERF=${test}: not on UD; give +UD_QP_NUM=0`;
  if (UC_QP_NUM > 0 && /^(read|atomic)/.test(test)) return `+PERF=${test}: not on UC; give +UC_QP_NUM=0`;
  if (UD_QP_NUM > 0 && PERF_BYTES > MTU)
    return `+PERF_BYTES=${PERF_BYTES}: a datagram has no more bytes than +MTU=${MTU}; give no more`;
  return undefined;
}

/** The types of queue pairs that a sequence runs on, in words, where the NIC has none of them. */
function foreign(services: readonly TransportType[], { capabilities }: DeviceLimits): string[] {
  const has = (type: TransportType): boolean =>
    type === QP_TYPE.uc ? capabilities.uc : type === QP_TYPE.ud ? capabilities.ud : true;
  if (services.length === 0 || services.some(has)) return [];
  return [`${services.map((type) => QP_TYPE_NAME[type]).join(' or ')} queue pairs`];
}

function noQueuePairs(name: string, services: readonly TransportType[]): string {
  const types = services.map((type) => QP_TYPE_NAME[type]).join(' and ');
  const counts = services.map((type) => `+${COUNTS[type]}`);
  const none = counts.map((count) => `${count}=0`).join(' ');
  const given = counts.map((count) => `${count}=1`).join(' or ');
  return `+UVM_TEST_SEQ=${name} runs on ${types} queue pairs only, of which there are none (${none}); give ${given}`;
}

/** A sequence, for what it declares; undefined when it cannot be asked outside a run. */
function sequenceNamed(name: string, factory: Factory): UserSequence | undefined {
  if (!factory.has(name) || factory.conflict(name) !== '') return undefined;
  try {
    const sequence = factory.createObject(name, name);
    return sequence instanceof UserSequence ? sequence : undefined;
  } catch {
    // Whatever is wrong with its constructor is said by the run, with a stack.
    return undefined;
  }
}
