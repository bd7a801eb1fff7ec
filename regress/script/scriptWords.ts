/** The words of one line, as a POSIX shell splits them where nothing is to be put in. */

const SHELL_ADVICE = 'with --shell your own shell runs the script';

/** Says what in a line cannot be run as it is, and what to do. */
export class ScriptError extends Error {
  constructor(what: string, advice = SHELL_ADVICE) {
    super(`${what}; ${advice}`);
  }
}

/** What Linux takes as one argument at most. */
const MAX_CHARACTERS = 128 * 1024;
const BLANK = /[ \t\n]+/y;
const SINGLE_QUOTED = /'([^']*)'/y;
/** One character a turn: with several a turn, a quote that is never closed would be tried in every partition. */
const DOUBLE_QUOTED = /"((?:[^"\\$`]|\\[\s\S])*)"/y;
const ESCAPED = /\\([\s\S])/y;
/** Some shells make several words of `{a,b}` and `{1..3}`. */
const BRACES = /\{[^{}]*\}/g;
/** Characters that mean themselves; `{`, `}`, `~` and `#` do in most places. */
const PLAIN = /[^ \t\n'"\\$`;&|<>()*?[]+/y;

/**
 * @param line logical line
 * @returns none for an empty line or a comment
 * @throws ScriptError where variables, commands in commands, redirections, file patterns or open quotes stand
 */
export function scriptWords(line: string): string[] {
  if (line.length > MAX_CHARACTERS)
    throw new ScriptError(`longer than ${MAX_CHARACTERS} characters`, 'write it shorter');
  const words: string[] = [];
  for (let at = lengthAt(BLANK, line, 0); at < line.length && line[at] !== '#'; at += lengthAt(BLANK, line, at)) {
    const word = wordAt(line, at);
    words.push(word.text);
    at += word.length;
  }
  return words;
}

function wordAt(line: string, start: number): { text: string; length: number } {
  let [text, bare, at] = ['', '', start];
  while (at < line.length && lengthAt(BLANK, line, at) === 0) {
    const [all, part] = pieceAt(line, at);
    text += part;
    if (all === part) bare += part;
    at += all.length;
  }
  const raw = line.slice(start, at);
  const unknown = /^~|^!$/.exec(raw)?.[0] ?? bare.match(BRACES)?.find((found) => /,|\.\./.test(found));
  if (unknown !== undefined) throw onlyAShell(unknown);
  return { text, length: raw.length };
}

/** @returns what stands there, and what it stands for */
function pieceAt(line: string, at: number): readonly [string, string] {
  const plain = matchAt(PLAIN, line, at)?.[0];
  if (plain !== undefined) return [plain, plain];
  const escaped = matchAt(ESCAPED, line, at) ?? matchAt(SINGLE_QUOTED, line, at);
  if (escaped !== null) return [escaped[0], escaped[1] as string];
  const quoted = matchAt(DOUBLE_QUOTED, line, at);
  if (quoted !== null) return [quoted[0], (quoted[1] as string).replace(/\\(["\\$`])/g, '$1')];
  const rest = line.slice(at);
  // A quote that is closed may hold what a shell would put in.
  if (/^'|^\\|^"(?:[^"\\]|\\[\s\S])*$/.test(rest)) throw new ScriptError('a quote is not closed on this line');
  throw onlyAShell(/[$`][\w{(]*|\W/.exec(rest.replace(/^"[^$`]*/, ''))?.[0] ?? rest);
}

function onlyAShell(what: string): ScriptError {
  return new ScriptError(`only a shell can say what ${what} stands for here`);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  return matchAt(pattern, text, at)?.[0].length ?? 0;
}
