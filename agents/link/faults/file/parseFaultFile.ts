/** Reads the text of a file of fault rules and says, with line and column, what is wrong with it. */

import type { z } from 'zod';
import { type Place, YamlText } from '../../../../files/yaml.ts';
import { didYouMean } from '../../../../uvm/cmdline/nearest.ts';
import type { SourcedPcieRule } from '../../../pcie/faults/rule/pcieRule.ts';
import { INJECT_LANGUAGE, type SourcedInjection } from '../../inject/injectRule.ts';
import { PCIE_LANGUAGE } from '../../../pcie/faults/rule/pcieLanguage.ts';
import type { SourcedRule } from '../rule/faultRule.ts';
import { type Sourced, ruleSource } from '../rule/sourced.ts';
import { LINK_LANGUAGE } from '../rule/linkLanguage.ts';
import type { AnyRule, RuleLanguage } from '../rule/ruleLanguage.ts';
import { assembleRule, type ParsedRule, parseRuleIn, type RuleWord } from '../rule/parseRule.ts';
import { faultFileSchema, type FileRule, type FileValue } from './faultFileSchema.ts';

/** What a text says. */
export interface ParsedFaultFile {
  readonly rules: readonly SourcedRule[];
  readonly pcie: readonly SourcedPcieRule[];
  readonly inject: readonly SourcedInjection[];
  readonly problems: readonly string[];
}

const KEYS = ['description', 'faults', 'pcie', 'inject'];
/** Lists of rules. */
const LISTS: readonly PropertyKey[] = ['faults', 'pcie', 'inject'];
const FORM = 'write faults: with a list of rules, such as - drop: { host: 1, opcode: ack, nth: 2 }';

/** @param file its name, for messages */
export function parseFaultFile(text: string, file: string): ParsedFaultFile {
  return new Reader(file, new YamlText(text)).read();
}

class Reader {
  readonly #file: string;
  readonly #text: YamlText;
  readonly #problems: string[] = [];

  constructor(file: string, text: YamlText) {
    this.#file = file;
    this.#text = text;
  }

  read(): ParsedFaultFile {
    for (const mistake of this.#text.mistakes) this.#problems.push(`${this.#at(mistake)}: ${mistake.message}`);
    if (this.#problems.length > 0) return { rules: [], pcie: [], inject: [], problems: this.#problems };
    const parsed = faultFileSchema().safeParse(this.#text.value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) this.#add(...placedMistake(issue));
      return { rules: [], pcie: [], inject: [], problems: this.#problems };
    }
    const { faults, pcie, inject = [] } = parsed.data;
    if (faults === undefined && pcie === undefined && inject.length === 0)
      this.#add([], `there is no rule here; ${FORM}`);
    const rulesOf = <R extends AnyRule>(list: string, language: RuleLanguage<R>, given: readonly FileRule[] = []) =>
      given.flatMap((rule, i) => this.#rule(language, rule, [list, i]));
    return {
      rules: rulesOf('faults', LINK_LANGUAGE, faults),
      pcie: rulesOf('pcie', PCIE_LANGUAGE, pcie),
      inject: inject.flatMap((packet, i) => this.#packet(packet, ['inject', i])),
      problems: this.#problems,
    };
  }

  #rule<R extends AnyRule>(language: RuleLanguage<R>, rule: FileRule, path: readonly PropertyKey[]): Sourced<R>[] {
    if (typeof rule === 'string') return this.#checked(parseRuleIn(language, rule), path, () => path);
    const actions = Object.keys(rule);
    const [action = ''] = actions;
    if (actions.length !== 1) {
      const found = actions.length === 0 ? 'nothing' : actions.join(' and ');
      this.#add(path, `a rule has one action, here ${found}; begin each with "- " and give it its keys in { }`);
      return [];
    }
    const keys = (rule[action] ?? {}) as Readonly<Record<string, FileValue>>;
    return this.#checked(assembleRule(language, action, Object.entries(keys).flatMap(wordOf)), path, (key) =>
      key === '' ? path : [...path, action, key],
    );
  }

  /** A packet has no action to name: its words stand alone. */
  #packet(packet: FileRule, path: readonly PropertyKey[]): SourcedInjection[] {
    if (typeof packet === 'string') return this.#checked(parseRuleIn(INJECT_LANGUAGE, packet), path, () => path);
    const words = Object.entries(packet as Readonly<Record<string, FileValue>>).flatMap(wordOf);
    const placeOf = (key: string): readonly PropertyKey[] => (key === '' ? path : [...path, key]);
    return this.#checked(assembleRule(INJECT_LANGUAGE, 'inject', words), path, placeOf);
  }

  #checked<R extends AnyRule>(
    { rule, mistakes }: ParsedRule<R>,
    path: readonly PropertyKey[],
    placeOf: (key: string) => readonly PropertyKey[],
  ): Sourced<R>[] {
    for (const { key, message } of mistakes) this.#add(placeOf(key), message);
    return rule === undefined ? [] : [{ rule, source: ruleSource(this.#place(path)) }];
  }

  #add(path: readonly PropertyKey[], message: string): void {
    this.#problems.push(`${this.#place(path)}: ${message}`);
  }

  /** Of the key where the last part of a path is one, else of the value, or of the nearest one above that exists. */
  #place(path: readonly PropertyKey[]): string {
    const key = path.at(-1);
    const place = typeof key === 'string' ? this.#text.placeOfKey(path.slice(0, -1), key) : this.#text.placeOf(path);
    return this.#at(place);
  }

  #at({ line, column }: Place): string {
    return `${this.#file}:${line}:${column}`;
  }
}

/** As a word of a text; a flag that is switched off says nothing. */
function wordOf([key, value]: [string, FileValue]): RuleWord[] {
  if (value === false) return [];
  if (value === true) return [{ key, value: undefined }];
  return [{ key, value: typeof value === 'object' ? value.join(',') : String(value) }];
}

/** Where a mistake of form is, and what it is. */
function placedMistake(issue: z.core.$ZodIssue): [path: readonly PropertyKey[], message: string] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return [[...path, key], `there is no ${key} here${didYouMean(key, KEYS)}; a file has ${KEYS.join(', ')}`];
  }
  return [path, formMistake(path, message)];
}

function formMistake(path: readonly PropertyKey[], message: string): string {
  if (path.length === 0) return `this is no file of fault rules (${message}); ${FORM}`;
  if (!LISTS.includes(path[0] ?? '')) return `${String(path[0])}: ${message}; ${FORM}`;
  if (path.length === 1) return `there is no list of rules under ${String(path[0])}; ${FORM}`;
  if (path.length === 2) return `this is no rule; write a text such as 'drop host=1', or drop: { host: 1 }`;
  if (path.length === 3)
    return `${String(path[2])} takes its keys in braces, ${String(path[2])}: { host: 1 }, or {} for all frames`;
  return `${String(path.at(-1))} takes a number, a text, true or a list of them`;
}
