/** The logical lines of a case script: continuations are joined. */

/** One logical line. */
export interface ScriptLine {
  readonly text: string;
  /** Line at which it begins, from 1. */
  readonly number: number;
}

/** Lines in order; empty ones and comments too, which a `\` does not continue. */
export function scriptLines(script: string): ScriptLine[] {
  const lines: ScriptLine[] = [];
  let open: string[] = [];
  for (const [i, part] of script.split(/\r?\n/).entries()) {
    const isContinued = isOpenAtEnd(part) && !(open.length === 0 && part.trimStart().startsWith('#'));
    open.push(isContinued ? part.slice(0, -1) : part);
    if (isContinued) continue;
    lines.push({ text: open.join(''), number: i + 2 - open.length });
    open = [];
  }
  if (open.length > 0) lines.push({ text: open.join(''), number: script.split('\n').length + 1 - open.length });
  return lines;
}

/** A `\` that no other one stands for. */
function isOpenAtEnd(part: string): boolean {
  return /(?<!\\)(?:\\\\)*\\$/.test(part);
}
