/** Reads rules from text, and says of all that is wrong what it is, what would be right, and at which word. */

import { didYouMean } from '../../../../uvm/cmdline/nearest.ts';
import {
  ACTIONS,
  type ActionName,
  type FaultAction,
  type FaultRule,
  type FaultSelection,
  SELECTION_KEYS,
  type SelectionKey,
} from './faultRule.ts';
import { type RuleMistake, ruleMistakes } from './ruleSense.ts';
import type { RuleValue } from './ruleValue.ts';
import { keysOf, OPTIONAL } from './ruleText.ts';

/** A rule, or what is wrong with the text. */
export type ParsedRule =
  | { readonly rule: FaultRule; readonly mistakes: readonly [] }
  | { readonly rule: undefined; readonly mistakes: readonly RuleMistake[] };

/** One thing that is said in a rule: a word of the text, or an entry of a file. */
export interface RuleWord {
  readonly key: string;
  /** undefined = the key stands alone. */
  readonly value: string | undefined;
}

/** Reads the text of one rule: the action, then words in any order. */
export function parseRule(text: string): ParsedRule {
  const [action = '', ...words] = text.split(/\s+/).filter((word) => word !== '');
  return assembleRule(action, words.map(splitWord));
}

/** Several rules of one text, with `;` between them; empty ones are left out. */
export function splitRules(text: string): string[] {
  return text
    .split(';')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
}

/** Makes a rule of its action and of what is said besides. */
export function assembleRule(action: string, words: readonly RuleWord[]): ParsedRule {
  const reader = new Reader(action, words);
  return reader.rule();
}

function splitWord(word: string): RuleWord {
  const at = word.indexOf('=');
  return at < 0 ? { key: word, value: undefined } : { key: word.slice(0, at), value: word.slice(at + 1) };
}

class Reader {
  readonly #action: string;
  readonly #words: readonly RuleWord[];
  readonly #mistakes: RuleMistake[] = [];

  constructor(action: string, words: readonly RuleWord[]) {
    this.#action = action;
    this.#words = words;
  }

  rule(): ParsedRule {
    const kind = this.#kind();
    this.#refuseRepeats();
    const select = this.#select(kind);
    const action = kind === undefined ? undefined : this.#values(kind);
    const optional = this.#optional();
    if (action === undefined || this.#mistakes.length > 0) return { rule: undefined, mistakes: this.#mistakes };
    const rule = { action, select, optional };
    const mistakes = ruleMistakes(rule);
    return mistakes.length > 0 ? { rule: undefined, mistakes } : { rule, mistakes: [] };
  }

  #kind(): ActionName | undefined {
    const names = Object.keys(ACTIONS) as ActionName[];
    const found = names.find((name) => name === this.#action);
    if (found !== undefined) return found;
    const said = this.#action === '' ? 'names no action' : `there is no action ${this.#action}`;
    this.#add('', `${said}${didYouMean(this.#action, names)}; a rule begins with one of ${names.join(', ')}`);
    return undefined;
  }

  #refuseRepeats(): void {
    const seen = new Set<string>();
    for (const { key } of this.#words) {
      if (seen.has(key)) this.#add(key, `${key} is given twice; keep one`);
      seen.add(key);
    }
  }

  #select(kind: ActionName | undefined): FaultSelection {
    const select: Record<string, unknown> = {};
    const own = kind === undefined ? undefined : new Set(keysOf(kind).map(([name]) => name));
    for (const word of this.#words) {
      const { key } = word;
      if (key === OPTIONAL || own?.has(key) === true) continue;
      if (Object.hasOwn(SELECTION_KEYS, key)) select[key] = this.#read(word, SELECTION_KEYS[key as SelectionKey]);
      // Without an action nothing is known of its keys.
      else if (own !== undefined) this.#unknown(word, own);
    }
    return select as FaultSelection;
  }

  #values(kind: ActionName): FaultAction {
    const values: Record<string, unknown> = { kind };
    for (const [name, { value, default: standard }] of keysOf(kind)) {
      const word = this.#words.find(({ key }) => key === name);
      if (word !== undefined) values[name] = this.#read(word, value);
      else if (standard === undefined) this.#add('', `${kind} needs ${name}=, ${value.says}`);
      else values[name] = standard === null ? null : this.#read({ key: name, value: standard }, value);
    }
    return values as unknown as FaultAction;
  }

  #optional(): boolean {
    const word = this.#words.find(({ key }) => key === OPTIONAL);
    if (word?.value === undefined || word.value === 'true') return word !== undefined;
    if (word.value !== 'false') this.#add(OPTIONAL, `${OPTIONAL}=${word.value}: write ${OPTIONAL} alone`);
    return false;
  }

  #read({ key, value }: RuleWord, kind: RuleValue<unknown>): unknown {
    // A flag alone can be read without one.
    const found = kind.read(value ?? '');
    if ('value' in found) return found.value;
    this.#add(
      key,
      value === undefined ? `${key} has no value; write ${key}=, ${kind.says}` : `${key}=${value}: ${found.mistake}`,
    );
    return undefined;
  }

  #unknown({ key, value }: RuleWord, own: ReadonlySet<string>): void {
    const known = [...own, ...Object.keys(SELECTION_KEYS), OPTIONAL];
    const said = value === undefined ? key : `${key}=${value}`;
    const owner = (Object.keys(ACTIONS) as ActionName[]).find((name) => keysOf(name).some(([k]) => k === key));
    const hint =
      owner === undefined
        ? didYouMean(key, known) || `; possible are ${known.join(', ')}`
        : `; ${key} belongs to ${owner}, and ${this.#action} has ${own.size === 0 ? 'no key of its own' : [...own].join(', ')}`;
    this.#add(key, `${said}: there is no ${key} here${hint}`);
  }

  #add(key: string, message: string): void {
    this.#mistakes.push({ key, message });
  }
}
