/** The logical lines of a shell script: continuations and open quotes joined, here-documents set apart. */

import { hereDocumentEnd, shellTokens } from './shellTokens.ts';

/** One logical line, or the text of a here-document. */
export interface ScriptLine {
  readonly text: string;
  /** Line at which it begins, from 1. */
  readonly number: number;
  /** Text that a command of the line above reads, not commands. */
  readonly isDocument: boolean;
  /** A quote or bracket is not closed to the end of the script. */
  readonly isOpen: boolean;
}

/** Lines in order; empty ones too. */
export function scriptLines(script: string): ScriptLine[] {
  const parts = script.split(/\r?\n/);
  const lines: ScriptLine[] = [];
  for (let i = 0; i < parts.length; ) {
    const number = i + 1;
    let text = parts[i++] as string;
    for (; continues(text) && i < parts.length; i++) text = `${text.slice(0, -1)} ${parts[i]}`;
    const closed = closeQuotes(text, parts, i);
    if (closed !== undefined) ({ text, next: i } = closed);
    lines.push({ text, number, isDocument: false, isOpen: closed === undefined });
    const end = closed === undefined ? undefined : hereDocumentEnd(text);
    if (end === undefined) continue;
    for (; i < parts.length && (parts[i] as string).trim() !== end; i++)
      lines.push({ text: parts[i] as string, number: i + 1, isDocument: true, isOpen: false });
    i++;
  }
  return lines;
}

function continues(text: string): boolean {
  return text.endsWith('\\') && !text.trimStart().startsWith('#');
}

/** Adds further lines until all quotes are closed; undefined when they never are. */
function closeQuotes(text: string, parts: readonly string[], next: number): { text: string; next: number } | undefined {
  let joined = text;
  for (let i = next; ; i++) {
    if (shellTokens(joined) !== undefined) return { text: joined, next: i };
    if (i >= parts.length) return undefined;
    joined += `\n${parts[i]}`;
  }
}
