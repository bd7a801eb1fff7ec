/**
 * Job arrays of LSF: `bsub -J "name[1-5]" command` runs the command once for each index, with the index in
 * `$LSB_JOBINDEX` and, in names of its files, as `%I`.
 */

/** Says what is wrong with an array, and what to write instead. */
export class JobArrayError extends Error {}

/** More is taken for a slip of the pen; the farm itself allows 1000 unless it is told otherwise. */
const MOST = 10_000;
/** `name[list]`, with a limit of jobs at a time that means nothing here. */
const ARRAY = /^([^[\]]*)\[([^[\]]*)\](?:%\d+)?$/;
const PART = /^\s*(\d+)(?:-(\d+)(?::(\d+))?)?\s*$/;
/** Options that name a file for the output. */
const FILES = new Set(['-o', '-oo', '-e', '-eo']);
/** What the farm sets for each job; alone, not as the beginning of a longer name. */
const VARIABLE = /\$(?:LSB_JOBINDEX(_STEP|_END)?(?!\w)|\{LSB_JOBINDEX(_STEP|_END)?\})/g;

interface Part {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/**
 * What a submission runs: its words for each job, with the index put in.
 * @param words expanded words from `bsub` on
 * @param count words that belong to the submission; the others are the command's
 * @throws JobArrayError when the list of indices cannot be right
 */
export function submittedJobs(words: readonly string[], count: number): readonly (readonly string[])[] {
  const at = words.indexOf('-J') + 1;
  const name = at > 0 && at < count ? (words[at] as string) : '';
  const match = ARRAY.exec(name);
  if (match === null) {
    if (/[[\]]/.test(name)) throw wrong(name, 'the brackets are not those of a list of indices');
    return [words.map((word) => withIndex(word, 0, 0, 0))];
  }
  const [, base = '', list = ''] = match;
  const parts = list.split(',').map((text) => partOf(name, text));
  const jobs = parts.flatMap((part) => indicesOf(name, part).map((index) => ({ index, part })));
  if (jobs.length > MOST) throw wrong(name, `${jobs.length} jobs are more than ${MOST}`);
  if (new Set(jobs.map((job) => job.index)).size < jobs.length) throw wrong(name, 'an index is named twice');
  return jobs.map(({ index, part }) => {
    const put = words.map((word) => withIndex(word, index, part.step, part.end));
    for (let i = 0; i < count; i++) if (FILES.has(put[i] as string)) put[i + 1] = fileOf(put[i + 1], index);
    put[at] = `${base}-${index}`;
    return put;
  });
}

function partOf(name: string, text: string): Part {
  const match = PART.exec(text);
  if (match === null) throw wrong(name, `"${text}" is not start-end:step`);
  const start = Number(match[1]);
  const end = Number(match[2] ?? start);
  const step = Number(match[3] ?? 1);
  if (start < 1 || step < 1) throw wrong(name, `"${text}" must consist of positive integers`);
  if (end < start) throw wrong(name, `"${text}" ends before it starts`);
  return { start, end, step };
}

function indicesOf(name: string, { start, end, step }: Part): number[] {
  const count = Math.floor((end - start) / step) + 1;
  if (count > MOST) throw wrong(name, `${count} jobs are more than ${MOST}`);
  return Array.from({ length: count }, (_, i) => start + i * step);
}

function withIndex(word: string, index: number, step: number, end: number): string {
  return word.replace(VARIABLE, (_all, plain?: string, braced?: string) => {
    const which = plain ?? braced;
    return String(which === '_STEP' ? step : which === '_END' ? end : index);
  });
}

/** `%I` is the index; `%%` is a percent sign. */
function fileOf(word: string | undefined, index: number): string {
  return (word ?? '').replace(/%%|%I/g, (found) => (found === '%I' ? String(index) : '%'));
}

function wrong(name: string, what: string): JobArrayError {
  return new JobArrayError(`-J ${name}: ${what}; write for example -J "name[1-5]", "name[2,4-8:2]"`);
}
