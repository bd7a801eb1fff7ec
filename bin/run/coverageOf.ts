/** The coverage of a run, as a store keeps it. */

import type { MeasuredRun } from '../../regress/coverage/measuredRun.ts';
import { hitsByGroup } from '../../regress/coverage/writeStore.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import type { GroupHits } from '../../uvm/coverage/coverageCollector.ts';
import { hexHash } from '../../uvm/coverage/model.ts';

/** Arguments that change nothing in what a run does to the device. */
const NO_PART_OF_THE_RUN = /^\+(COV|UVM_TESTNAME|UVM_VERBOSITY|CASEID|PCAP|DUMP_SCENARIO)\b/i;

/**
 * @param measured what covergroups have counted
 * @param cpuMs processor time of the run
 * @returns undefined for a run with a planted bug: what a wrong NIC is brought to says nothing about a right one
 */
export function coverageOf(record: RunRecord, measured: readonly GroupHits[], cpuMs: number): MeasuredRun | undefined {
  const { test, seed, parameters, versions, testPath, scenario, verdict, counts, replay, id: name } = record;
  if ((parameters['DUT_FAULT'] ?? '') !== '') return undefined;
  const plusargs = record.plusargs.filter((arg) => !NO_PART_OF_THE_RUN.test(arg));
  const nic = String(parameters['DUT'] ?? '');
  const sources = [versions.sources, testPath.sha256, scenario.sha256];
  return {
    groups: measured.map(({ group }) => group),
    run: {
      id: hexHash(test, seed, nic, ...sources, ...plusargs),
      name,
      test,
      seed,
      plusargs,
      nic,
      passed: verdict === 'passed',
      events: counts['events'] ?? 0,
      cpuMs: Math.round(cpuMs * 10) / 10,
      replay,
      hits: hitsByGroup(measured),
    },
  };
}
