import { HARNESS } from '../rdma/subjectParts.ts';
import { CommandError, DeviceLimitError, HostApiError } from '../env/verbs/hostErrors.ts';
import type { EnvReportId } from '../env/reportIds.ts';
import type { Component } from '../uvm/base/component.ts';
import { type Proc, ProcessError } from '../uvm/kernel/process.ts';
import { SEVERITY } from '../uvm/report/severity.ts';

/**
 * Runs the work of a test. A command that the NIC refuses or never answers has been reported as an error; here it ends
 * the test with a sentence: software cannot go on without its command, and that is no defect of the harness. So does a
 * NIC that is too small for the run, which is no defect of the NIC either. And software that believes what a broken NIC has
 * told it, such as a completion that comes twice, soon makes a call that it must not make: where errors have been counted
 * that is what came of them, and no mistake in a sequence.
 */
export function* endOnRefusal(test: Component, work: Proc): Proc {
  try {
    yield* work;
  } catch (error) {
    const origin = originOf(error);
    if (origin instanceof DeviceLimitError) {
      const limits: EnvReportId = 'HCA_LIMITS';
      test.fatal(limits, `${origin.message}. The test ends here, and what it has not done is not judged`);
    }
    if (origin instanceof HostApiError && test.run.reports.severityCount(SEVERITY.error) > 0)
      test.fatal('SEQ_MISLED', `${origin.message}. ${MISLED}`, [HARNESS]);
    if (!(origin instanceof CommandError)) throw error;
    const id: EnvReportId = idOf(origin);
    test.fatal(id, `${origin.message}; the host software cannot go on without it, so the test ends here`);
  }
}

const MISLED = 'The host software went by what the NIC has told it, in which errors were found; the test ends here';

const ID_OF_STATUS: Readonly<Record<number, EnvReportId>> = { [-1]: 'HCA_CMD_TIMEOUT', 0: 'HCA_CMD_OUTBOX' };

/** Under which a command error has been reported. */
function idOf({ status }: CommandError): EnvReportId {
  return ID_OF_STATUS[status] ?? 'HCA_CMD_STATUS';
}

/** What was thrown below the errors that name the processes it passed through. */
function originOf(error: unknown): unknown {
  return error instanceof ProcessError ? originOf(error.cause) : error;
}
