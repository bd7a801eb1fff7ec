/** The collector of a run, which reports illegal hits as errors of the run. */

import { Findings } from '../report/findings.ts';
import type { ReportServer } from '../report/reportServer.ts';
import { SEVERITY } from '../report/severity.ts';
import { UVM_NONE } from '../report/verbosity.ts';
import { CoverageCollector, type CoverageReportId } from './coverageCollector.ts';

/** Component that reports of covergroups come from. */
const REPORTER = 'coverage';

export function runCollector(enabled: boolean, reports: ReportServer): CoverageCollector {
  if (!enabled) return new CoverageCollector(null);
  const reporter = reports.reporter(REPORTER);
  const findings = new Findings<CoverageReportId>({
    error: (id, text) => reporter.report(SEVERITY.error, id, text, UVM_NONE),
    countError: (id, text) => reporter.reportPart('count', SEVERITY.error, id, text),
    errorNote: (id, text) => reporter.reportPart('text', SEVERITY.error, id, text),
  });
  return new CoverageCollector((text) => findings.error('COV_ILLEGAL_BIN', text, []));
}
