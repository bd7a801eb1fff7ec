/** The simple commands of a line, and what their execution depends on. */

import { shellTokens } from './shellTokens.ts';

/** A command with its arguments, not yet expanded. */
export interface ShellCommand {
  /** As written, at least one. */
  readonly words: readonly string[];
  /** Operator before the command; '' at the beginning. */
  readonly before: string;
}

/** A bracket stands for itself: `(` and `)` are commands of one word. */
const BRACKETS = new Set(['(', ')']);

/**
 * @returns undefined when a quote or a bracket is not closed
 */
export function shellCommands(line: string): ShellCommand[] | undefined {
  const tokens = shellTokens(line);
  if (tokens === undefined) return undefined;
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let before = '';
  const end = (): void => {
    if (words.length > 0) commands.push({ words, before });
    words = [];
  };
  for (const token of tokens) {
    if (token.kind === 'word') words.push(token.raw);
    else {
      end();
      if (BRACKETS.has(token.text)) commands.push({ words: [token.text], before });
      if (token.text !== ')') before = token.text === '(' ? '' : token.text;
    }
  }
  end();
  return commands;
}
