/** The verdicts of a run, and the number of the record's form: apart from the schema, which only readers need. */

/** Raised when a reader of the old form could misread the new one; added fields do not raise it. */
export const RUN_RECORD_FORMAT = 1;

/** `vacuous`: ended without error but checked nothing. `error`: the harness, not the DUT, stopped the run. */
export const VERDICTS = ['passed', 'failed', 'vacuous', 'error'] as const;
export type Verdict = (typeof VERDICTS)[number];
