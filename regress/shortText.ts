/** Keeps what a test has to say from filling journals and reports. */

/** More than any message of the harness has; the log and the record of the run keep all of it. */
const MOST_CHARACTERS = 4000;

/** The beginning of a long text, with what is missing. */
export function shortText(text: string): string {
  const missing = text.length - MOST_CHARACTERS;
  return missing <= 0 ? text : `${text.slice(0, MOST_CHARACTERS)} [${missing} more characters in the log]`;
}
