/** Expands the sweep of one list entry into sets of plusargs. */

import { compileExpression, type Expression, ExpressionError, isTrue, type Value } from './expression.ts';
import type { ListDefaults, ListEntry, PlusargValue, SweepStep } from './listSchema.ts';

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

/**
 * All combinations of an entry that no skip rule leaves out, in the order written, the last name changing fastest.
 * Combinations that are equal to an earlier one are left out.
 * @throws RuleError for a rule or computed value that cannot be read or evaluated
 */
export function combinationsOf(entry: ListEntry, defaults: ListDefaults): Combination[] {
  const fixed = { ...defaults.plusargs, ...entry.plusargs };
  const rules = [...(defaults.skip ?? []), ...(entry.skip ?? [])].map(compileRule);
  const computed = computedOf(fixed);
  const axes = Object.entries(entry.sweep ?? {});
  const found = new Map<string, Combination>();
  for (const chosen of product(axes)) {
    const plusargs = complete(fixed, chosen, computed);
    if (rules.some((rule) => isTrue(rule.evaluate(valuesOf(plusargs))))) continue;
    const title = [...chosen].map(([name, value]) => `${name}=${value}`).join(' ');
    const key = JSON.stringify([...plusargs].sort());
    if (!found.has(key)) found.set(key, { plusargs, title });
  }
  return [...found.values()];
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

function computedOf(fixed: Readonly<Record<string, PlusargValue>>): Map<string, Expression> {
  const computed = new Map<string, Expression>();
  for (const [name, value] of Object.entries(fixed)) {
    if (typeof value === 'string' && value.startsWith('=')) computed.set(name, compileRule(value.slice(1)));
  }
  return computed;
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
