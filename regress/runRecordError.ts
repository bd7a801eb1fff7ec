/** A file is not a run record; the message says which file and what is wrong with it. */
export class RunRecordError extends Error {}
