/** Splits the text of a POSIX shell script into words and operators, as far as case scripts need it. */

export type ShellToken =
  /** As written, quotes and all: what it stands for depends on where the script has come to. */
  | { readonly kind: 'word'; readonly raw: string }
  /** `;`, `&`, `&&`, `||`, `|`, `(`, `)`, or `;;` */
  | { readonly kind: 'operator'; readonly text: string };

const OPERATOR = /&&|\|\||\|&|;;|[;&|()]/y;
const REDIRECTION = /\d?(?:<<<|&>>?|>[>|]?|<(?!<))(?:&[\d-])?|<<-?/y;
/** Runs of characters that mean themselves. */
const PLAIN = /[^\s"'\\;&|<>()$`]+/y;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]/y;

/**
 * Tokens of one logical line (continuations already joined). Comments are dropped; redirections are dropped too,
 * because the runner keeps output itself.
 * @returns undefined when a quote or a bracket is not closed
 */
export function shellTokens(text: string): ShellToken[] | undefined {
  const tokens: ShellToken[] = [];
  let at = 0;
  let target = false;
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) at++;
    else if (text[at] === '#') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
    } else {
      const redirection = matchAt(REDIRECTION, text, at);
      const operator = redirection === '' ? matchAt(OPERATOR, text, at) : '';
      if (redirection !== '') {
        at += redirection.length;
        target = !/&[\d-]$/.test(redirection);
      } else if (operator !== '') {
        at += operator.length;
        tokens.push({ kind: 'operator', text: operator });
      } else {
        const end = endOfWord(text, at);
        if (end === undefined) return undefined;
        if (!target) tokens.push({ kind: 'word', raw: text.slice(at, end) });
        target = false;
        at = end;
      }
    }
  }
  return tokens;
}

/** Closing word of a here-document that a line begins, without quotes; undefined when there is none. */
export function hereDocumentEnd(line: string): string | undefined {
  // A quoted closing word stays, other quoted text goes.
  const bare = line.replace(/(<<-?\s*)?(?:"(?:[^"\\]|\\.)*"|'[^']*')/g, (all, mark?: string) => (mark ? all : ''));
  const match = /(?<!<)<<-?\s*(["']?)(\w+)\1/.exec(bare.replace(/(^|\s)#.*$/, ''));
  return match?.[2];
}

function endOfWord(text: string, start: number): number | undefined {
  let at = start;
  while (at < text.length && !/[\s;&|<>()]/.test(text[at] as string)) {
    const length = matchAt(QUOTED, text, at).length || matchAt(PLAIN, text, at).length || substitutionLength(text, at);
    if (length === 0) return undefined;
    at += length;
  }
  return at;
}

/** Length of `$(...)`, `` `...` ``, `${...}` or a lone `$` at `at`; 0 when it is not closed. */
export function substitutionLength(text: string, at: number): number {
  if (text[at] === '`') {
    const end = text.indexOf('`', at + 1);
    return end < 0 ? 0 : end + 1 - at;
  }
  const open = text[at] === '$' ? text[at + 1] : undefined;
  if (open !== '(' && open !== '{') return text[at] === '$' ? 1 : 0;
  const close = open === '(' ? ')' : '}';
  for (let i = at + 1, depth = 0; i < text.length; i++) {
    if (text[i] === open) depth++;
    if (text[i] === close && --depth === 0) return i + 1 - at;
  }
  return 0;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
