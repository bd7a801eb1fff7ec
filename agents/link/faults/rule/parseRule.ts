/** Reads rules from text, and says of all that is wrong what it is, what would be right, and at which word. */

import { didYouMean } from '../../../../uvm/cmdline/nearest.ts';
import type { FaultRule } from './faultRule.ts';
import { LINK_LANGUAGE } from './linkLanguage.ts';
import { type AnyRule, keysIn, type RuleLanguage } from './ruleLanguage.ts';
import type { RuleMistake } from './ruleMistake.ts';
import { OPTIONAL } from './ruleText.ts';
import type { RuleValue } from './ruleValue.ts';

/** A rule, or what is wrong with the text. */
export type ParsedRule<R extends AnyRule = FaultRule> =
  | { readonly rule: R; readonly mistakes: readonly [] }
  | { readonly rule: undefined; readonly mistakes: readonly RuleMistake[] };

/** One thing that is said in a rule: a word of the text, or an entry of a file. */
export interface RuleWord {
  readonly key: string;
  /** undefined = the key stands alone. */
  readonly value: string | undefined;
}

/** Reads the text of one rule of the link: the action, then words in any order. */
export function parseRule(text: string): ParsedRule {
  return parseRuleIn(LINK_LANGUAGE, text);
}

/** As `parseRule`, in a language. */
export function parseRuleIn<R extends AnyRule>(language: RuleLanguage<R>, text: string): ParsedRule<R> {
  const [action = '', ...words] = text.split(/\s+/).filter((word) => word !== '');
  return assembleRule(language, action, words.map(splitWord));
}

/** Several rules of one text, with `;` between them; empty ones are left out. */
export function splitRules(text: string): string[] {
  return text
    .split(';')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
}

/** Makes a rule of its action and of what is said besides. */
export function assembleRule<R extends AnyRule>(
  language: RuleLanguage<R>,
  action: string,
  words: readonly RuleWord[],
): ParsedRule<R> {
  const reader = new Reader(language, action, words);
  return reader.rule();
}

function splitWord(word: string): RuleWord {
  const at = word.indexOf('=');
  return at < 0 ? { key: word, value: undefined } : { key: word.slice(0, at), value: word.slice(at + 1) };
}

class Reader<R extends AnyRule> {
  readonly #language: RuleLanguage<R>;
  readonly #action: string;
  readonly #words: readonly RuleWord[];
  readonly #mistakes: RuleMistake[] = [];

  constructor(language: RuleLanguage<R>, action: string, words: readonly RuleWord[]) {
    this.#language = language;
    this.#action = action;
    this.#words = words;
  }

  rule(): ParsedRule<R> {
    const kind = this.#kind();
    this.#refuseRepeats();
    const select = this.#select(kind);
    const action = kind === undefined ? undefined : this.#values(kind);
    const optional = this.#optional();
    if (action === undefined || this.#mistakes.length > 0) return { rule: undefined, mistakes: this.#mistakes };
    const rule = { action, select, optional } as unknown as R;
    const mistakes = this.#language.mistakes(rule);
    return mistakes.length > 0 ? { rule: undefined, mistakes } : { rule, mistakes: [] };
  }

  #kind(): string | undefined {
    const names = Object.keys(this.#language.actions);
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

  #select(kind: string | undefined): object {
    const { selection } = this.#language;
    const select: Record<string, unknown> = {};
    const own = kind === undefined ? undefined : new Set(keysIn(this.#language, kind).map(([name]) => name));
    for (const word of this.#words) {
      const { key } = word;
      if (key === OPTIONAL || own?.has(key) === true) continue;
      if (Object.hasOwn(selection, key)) select[key] = this.#read(word, selection[key] as RuleValue<unknown>);
      // Without an action nothing is known of its keys.
      else if (own !== undefined) this.#unknown(word, own);
    }
    return select;
  }

  #values(kind: string): object {
    const values: Record<string, unknown> = { kind };
    for (const [name, { value, default: standard }] of keysIn(this.#language, kind)) {
      const word = this.#words.find(({ key }) => key === name);
      if (word !== undefined) values[name] = this.#read(word, value);
      else if (standard === undefined) this.#add('', `${kind} needs ${name}=, ${value.says}`);
      else values[name] = standard === null ? null : this.#read({ key: name, value: standard }, value);
    }
    return values;
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
    const { actions, selection } = this.#language;
    const known = [...own, ...Object.keys(selection), OPTIONAL];
    const said = value === undefined ? key : `${key}=${value}`;
    const owner = Object.keys(actions).find((name) => Object.hasOwn(actions[name] as object, key));
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
