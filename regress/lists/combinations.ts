/** Expands the sweep of one list entry into sets of plusargs. */

import { compileExpression, type Expression, ExpressionError, isTrue, type Value } from './expression.ts';
import type { ListDefaults, ListEntry, PlusargValue, SweepStep } from './listSchema.ts';
import { pairwise } from './pairwise.ts';

/** One set of plusargs: fixed ones, swept ones, computed ones. */
export interface Combination {
  /** In the order written; null = a plusarg without value. */
  readonly plusargs: ReadonlyMap<string, PlusargValue>;
  /** `NAME=value` of what the sweep chose. */
  readonly title: string;
}

/** A rule or computed value that cannot be read or evaluated, with its text, by which it is found in the list. */
export class RuleError extends Error {
  readonly text: string;

  constructor(message: string, text: string) {
    super(message);
    this.text = text;
  }
}

/** All rules and computed values of an entry that are wrong. */
export class RuleErrors extends Error {
  readonly all: readonly RuleError[];

  constructor(all: readonly RuleError[]) {
    super(all.map(({ message }) => message).join('\n'));
    this.all = all;
  }
}

/** Rules and computed values of an entry that cannot be read, whatever its plusargs are. */
export function unreadableRules(entry: ListEntry, defaults: ListDefaults): RuleError[] {
  const texts = [...rulesOf(entry, defaults), ...computedTexts({ ...defaults.plusargs, ...entry.plusargs }).values()];
  return texts.flatMap((text) => {
    try {
      compileRule(text);
      return [];
    } catch (error) {
      if (error instanceof RuleError) return [error];
      throw error;
    }
  });
}

/**
 * All combinations of an entry that no skip rule leaves out, in the order written, the last name changing fastest.
 * Combinations that are equal to an earlier one are left out. With `pairs` only as many as have every two values of two names.
 * @throws RuleErrors for rules and computed values that cannot be read or evaluated
 */
export function combinationsOf(entry: ListEntry, defaults: ListDefaults): Combination[] {
  const unreadable = unreadableRules(entry, defaults);
  if (unreadable.length > 0) throw new RuleErrors(unreadable);
  const fixed = { ...defaults.plusargs, ...entry.plusargs };
  const rules = new SkipRules(rulesOf(entry, defaults));
  const computed = new Map([...computedTexts(fixed)].map(([name, text]) => [name, compileRule(text)]));
  const axes = Object.entries(entry.sweep ?? {});
  const found = new Map<string, Combination>();
  for (const chosen of entry.pairs === true ? pairsOf(axes, fixed, computed, rules) : product(axes)) {
    const plusargs = completeOrThrow(fixed, chosen, computed, rules);
    if (rules.leaveOut(valuesOf(plusargs))) continue;
    const title = [...chosen].map(([name, value]) => `${name}=${value}`).join(' ');
    const key = JSON.stringify([...plusargs].sort());
    if (!found.has(key)) found.set(key, { plusargs, title });
  }
  if (rules.errors.length > 0) throw new RuleErrors(rules.errors);
  return [...found.values()];
}

function rulesOf(entry: ListEntry, defaults: ListDefaults): string[] {
  return [...(defaults.skip ?? []), ...(entry.skip ?? [])];
}

/** The rules of one entry. One that cannot be evaluated leaves nothing out and is not asked again. */
class SkipRules {
  readonly errors: RuleError[] = [];
  readonly #rules: Set<Expression>;

  constructor(texts: readonly string[]) {
    this.#rules = new Set(texts.map(compileRule));
  }

  leaveOut(values: ReadonlyMap<string, Value>): boolean {
    return [...this.#rules].some((rule) => {
      try {
        return isTrue(rule.evaluate(values));
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        this.errors.push(error);
        this.#rules.delete(rule);
        return false;
      }
    });
  }
}

function compileRule(text: string): Expression {
  const within = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof ExpressionError ? new RuleError(error.message, text) : error;
    }
  };
  const { names, evaluate } = within(() => compileExpression(text));
  return { names, evaluate: (values) => within(() => evaluate(values)) };
}

type Chosen = ReadonlyMap<string, PlusargValue>;

/** Combinations in which every two values of two axes meet, as far as rules let them. */
function pairsOf(
  axes: readonly (readonly [string, readonly SweepStep[]])[],
  fixed: Readonly<Record<string, PlusargValue>>,
  computed: ReadonlyMap<string, Expression>,
  rules: SkipRules,
): Chosen[] {
  const chosenBy = (row: readonly number[]): Chosen => {
    const steps = axes.map(([name, values], axis) => [name, [values[row[axis] as number] as SweepStep]] as const);
    return [...product(steps)][0] as Chosen;
  };
  const isPossible = (row: readonly number[]): boolean =>
    !rules.leaveOut(valuesOf(completeOrThrow(fixed, chosenBy(row), computed, rules)));
  return pairwise(
    axes.map(([, values]) => values.length),
    isPossible,
  ).map(chosenBy);
}

function* product(
  axes: readonly (readonly [string, readonly SweepStep[]])[],
  chosen: Chosen = new Map(),
): Generator<Chosen> {
  const [axis, ...rest] = axes;
  if (axis === undefined) {
    yield chosen;
    return;
  }
  const [name, steps] = axis;
  for (const step of steps) {
    const next = new Map(chosen);
    // A step with several names: they change together, and the name of the axis is only a label.
    if (step !== null && typeof step === 'object') for (const [n, v] of Object.entries(step)) next.set(n, v);
    else next.set(name, step);
    yield* product(rest, next);
  }
}

/** By name, without the "=". */
function computedTexts(fixed: Readonly<Record<string, PlusargValue>>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(fixed)) {
    if (typeof value === 'string' && value.startsWith('=')) texts.set(name, value.slice(1));
  }
  return texts;
}

/** Without a computed value nothing can be said of the rules behind it. */
function completeOrThrow(
  fixed: Readonly<Record<string, PlusargValue>>,
  chosen: Chosen,
  computed: ReadonlyMap<string, Expression>,
  { errors }: SkipRules,
): Map<string, PlusargValue> {
  try {
    return complete(fixed, chosen, computed);
  } catch (error) {
    throw error instanceof RuleError ? new RuleErrors([...errors, error]) : error;
  }
}

function complete(
  fixed: Readonly<Record<string, PlusargValue>>,
  chosen: Chosen,
  computed: ReadonlyMap<string, Expression>,
): Map<string, PlusargValue> {
  const plusargs = new Map([...Object.entries(fixed), ...chosen]);
  const pending = [...computed].filter(([name]) => !chosen.has(name));
  for (const [name] of pending) plusargs.delete(name);
  // In the order written: a computed value may use those before it.
  for (const [name, expression] of pending) plusargs.set(name, expression.evaluate(valuesOf(plusargs)));
  return plusargs;
}

function valuesOf(plusargs: ReadonlyMap<string, PlusargValue>): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [name, value] of plusargs) values.set(name, operandOf(value));
  return values;
}

function operandOf(value: PlusargValue): Value {
  if (value === null || value === true) return 1;
  if (value === false) return 0;
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return Number(value);
  return value;
}
