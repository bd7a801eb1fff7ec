/** Loops, conditions, functions and brackets that are open at a place of a script. */

interface Block {
  kind: 'if' | 'condition' | 'case' | 'loop' | 'function' | 'group' | 'bracket';
  /** Folder before a bracket. */
  readonly folder: string;
}

const LOOPS = new Set(['for', 'while', 'until', 'select', 'foreach']);
const CLOSERS = new Set(['fi', 'done', 'esac', '}', 'end', 'endif', 'endsw']);
const LIST_ADVICE = 'write the runs line by line, or a YAML list with a sweep (docs/running.md)';

export class ScriptBlocks {
  readonly #open: Block[] = [];
  readonly #isCsh: boolean;
  #folder: string | undefined;
  /** A function's name and its brackets have been read, its body comes next. */
  #named = 0;

  /** @param isCsh the script is one of the C shell */
  constructor(isCsh: boolean) {
    this.#isCsh = isCsh;
  }

  /**
   * Takes words off a command that open or close a block.
   * @param words as written
   * @param folder current one
   * @returns what is left to be run; empty = nothing
   */
  enter(words: readonly string[], folder: string): readonly string[] {
    const [first = '', ...rest] = words;
    if (first === '(') return this.#bracket(folder);
    if (first === ')') return this.#endBracket();
    if (first === 'function') this.#named = 2;
    if (first === 'function') return rest.includes('{') ? this.enter(rest.slice(rest.indexOf('{')), folder) : [];
    if (LOOPS.has(first)) return this.#push('loop', folder, first === 'while' || first === 'until' ? rest : []);
    if (first === 'case' && this.#isCsh) return [];
    if (first === 'case' || first === 'switch') return this.#push('case', folder, []);
    // In csh a condition in brackets may be followed by the command itself.
    if (first === 'if') return this.#again(this.#push(this.#isCsh ? 'condition' : 'if', folder, rest), folder);
    if (first === '{') return this.#again(this.#push(this.#named === 2 ? 'function' : 'group', folder, rest), folder);
    if (first === 'then' || first === 'else' || first === 'elif') this.#condition();
    else if (CLOSERS.has(first)) return this.#pop();
    else if (first !== 'do' && first !== '!') return this.#plain(words);
    return this.#again(rest, folder);
  }

  /** Folder to go back to, when a bracket has just been closed. */
  takeFolder(): string | undefined {
    const folder = this.#folder;
    this.#folder = undefined;
    return folder;
  }

  /** Whether words are the head of a loop or a `case`, not a command. */
  inHeader(words: readonly string[]): boolean {
    return ['for', 'foreach', 'select', 'case', 'switch'].includes(words[0] ?? '');
  }

  /** Why it cannot be said that a command here is run exactly once; undefined = it is. */
  doubt(): string | undefined {
    const kinds = this.#open.map((block) => block.kind);
    if (kinds.includes('loop')) return `stands in a loop, which is not unrolled; ${LIST_ADVICE}`;
    if (kinds.includes('function')) return `stands in a function, whose calls are not followed; ${LIST_ADVICE}`;
    if (!kinds.includes('condition') && !kinds.includes('case')) return undefined;
    return 'depends on a condition that only a shell can judge; write the line without it';
  }

  #push(kind: Block['kind'], folder: string, rest: readonly string[]): readonly string[] {
    this.#named = 0;
    this.#open.push({ kind, folder });
    return rest;
  }

  #again(rest: readonly string[], folder: string): readonly string[] {
    return rest.length === 0 ? rest : this.enter(rest, folder);
  }

  #condition(): void {
    const block = this.#open.findLast((open) => open.kind === 'if');
    if (block !== undefined) block.kind = 'condition';
  }

  #pop(): readonly string[] {
    this.#open.pop();
    return [];
  }

  #bracket(folder: string): readonly string[] {
    this.#open.push({ kind: 'bracket', folder });
    return [];
  }

  /** `name()` opens a function; the `)` of a case's pattern closes nothing. */
  #endBracket(): readonly string[] {
    const block = this.#open.at(-1);
    if (block?.kind !== 'bracket') return [];
    this.#open.pop();
    this.#folder = block.folder;
    this.#named = this.#named === 1 ? 2 : 0;
    return [];
  }

  /** A command of one word may turn out to be the name of a function. */
  #plain(words: readonly string[]): readonly string[] {
    this.#named = words.length === 1 ? 1 : 0;
    return words;
  }
}
