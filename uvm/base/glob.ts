/**
 * Path patterns of UVM (1800.2 C.4.6 `uvm_is_match`): `*` any characters, `+` one or more, `?` exactly one, all
 * of them across dots. A pattern between slashes is a regular expression.
 */
export class Glob {
  readonly pattern: string;
  readonly #exact: boolean;
  readonly #regex: RegExp;

  /** @throws SyntaxError when a `/regular expression/` is malformed. */
  constructor(pattern: string) {
    this.pattern = pattern;
    this.#exact = !isGlob(pattern);
    this.#regex = this.#exact ? /$^/ : toRegExp(pattern);
  }

  /** Whether the whole of `text` is matched. */
  matches(text: string): boolean {
    return this.#exact ? text === this.pattern : this.#regex.test(text);
  }
}

/** Whether a string is more than a literal name. */
export function isGlob(pattern: string): boolean {
  return /[*+?]/.test(pattern) || isRegExp(pattern);
}

function isRegExp(pattern: string): boolean {
  return pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/');
}

function toRegExp(pattern: string): RegExp {
  if (isRegExp(pattern)) return new RegExp(pattern.slice(1, -1));
  const escaped = pattern.replace(/[.^${}()|[\]\\]/g, '\\$&');
  const body = escaped.replace(/[*+?]/g, (c) => (c === '*' ? '.*' : c === '+' ? '.+' : '.'));
  return new RegExp(`^${body}$`, 's');
}
