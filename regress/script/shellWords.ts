/** Splits a line of a POSIX shell script into commands and words, as far as case scripts need it. */

export interface ShellCommand {
  readonly words: readonly string[];
}

const WORD =
  /\s*(?:(#.*$)|(&&|\|\||;|&|\|)|((?:\d?>{1,2}|<)(?:&\d)?)|((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\;&|<>])+))/y;

/**
 * Commands of one logical line (continuations already joined). Comments are dropped; redirections and what follows a
 * pipe are dropped too, because the runner keeps output itself.
 * @returns undefined when a quote is not closed
 */
export function shellCommands(line: string): ShellCommand[] | undefined {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let piped = false;
  WORD.lastIndex = 0;
  const end = (): void => {
    if (words.length > 0 && !piped) commands.push({ words });
    words = [];
  };
  while (line.slice(WORD.lastIndex).trim() !== '') {
    const match = WORD.exec(line);
    if (match === null) return undefined;
    const [, comment, separator, redirection, word] = match;
    if (comment !== undefined) break;
    if (redirection !== undefined) skipTarget(line, redirection);
    else if (separator === undefined) words.push(unquote(word as string));
    else {
      end();
      piped = separator === '|';
    }
  }
  end();
  return commands;
}

/** `> file`: the file is the next word; `2>&1` has none. */
function skipTarget(line: string, redirection: string): void {
  if (redirection.includes('&')) return;
  const at = WORD.lastIndex;
  if (WORD.exec(line) === null) WORD.lastIndex = at;
}

function unquote(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
    (_, double?: string, single?: string, escaped?: string) => {
      if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1');
      return single ?? escaped ?? '';
    },
  );
}
