/**
 * The small language of `skip:` rules and of values that begin with `=`: integers, strings in quotes, names of
 * plusargs, `+ - * / %`, comparisons, `&& || !`, parentheses, and the functions `bytes(count, unit)`, `min`, `max`.
 */

import { didYouMean } from '../../uvm/cmdline/nearest.ts';

/** A value of the language; plusargs that look like integers are numbers. */
export type Value = number | string;

/** A compiled expression. */
export interface Expression {
  /** Names it reads, for checking them before anything is expanded. */
  readonly names: readonly string[];
  evaluate(values: ReadonlyMap<string, Value>): Value;
}

/** Text that is no expression, or an operation on values of the wrong kind. */
export class ExpressionError extends Error {}

const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|"([^"]*)"|'([^']*)'|(&&|\|\||[=!<>]=|[-+*/%<>!(),]))/y;

/** Operators by rising binding strength. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Words of an expression, and parentheses and signs within each other. */
const MOST_WORDS = 1000;
const MOST_LEVELS = 50;
const SHOWN_LENGTH = 80;

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/**
 * Compiles an expression.
 * @throws ExpressionError with the position of the first word that does not fit
 */
export function compileExpression(text: string): Expression {
  const parser = new Parser(text);
  const evaluate = parser.whole();
  return { names: [...parser.names], evaluate };
}

/** Whether a value counts as true: not 0 and not empty. */
export function isTrue(value: Value): boolean {
  return value !== 0 && value !== '';
}

type Evaluate = (values: ReadonlyMap<string, Value>) => Value;
type Lexeme = {
  readonly kind: 'number' | 'name' | 'string' | 'operator' | 'end';
  readonly text: string;
  readonly at: number;
};

class Parser {
  readonly names = new Set<string>();
  readonly #text: string;
  readonly #lexemes: Lexeme[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lexemes = lexemesOf(text);
    if (this.#lexemes.length > MOST_WORDS)
      throw new ExpressionError(
        `cannot read "${shown(text)}": it has more than ${MOST_WORDS} words; split it into several rules`,
      );
  }

  whole(): Evaluate {
    const evaluate = this.#level(0);
    if (this.#peek().kind !== 'end') this.#refuse();
    return evaluate;
  }

  #level(level: number): Evaluate {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#level(level + 1);
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind !== 'operator' || !operators.includes(text)) return left;
      this.#next++;
      left = binary(text, left, this.#level(level + 1));
    }
  }

  #unary(): Evaluate {
    if (++this.#depth > MOST_LEVELS) {
      const { at } = this.#peek();
      throw new ExpressionError(
        `cannot read "${shown(this.#text)}": signs and parentheses are more than ${MOST_LEVELS} deep at character ${at + 1}`,
      );
    }
    const evaluate = this.#signed();
    this.#depth--;
    return evaluate;
  }

  #signed(): Evaluate {
    if (this.#take('!')) {
      const inner = this.#unary();
      return (values) => (isTrue(inner(values)) ? 0 : 1);
    }
    if (this.#take('-')) {
      const inner = this.#unary();
      return (values) => -numberOf(inner(values), '-');
    }
    return this.#primary();
  }

  #primary(): Evaluate {
    const { kind, text } = this.#peek();
    if (this.#take('(')) {
      const inner = this.#level(0);
      if (!this.#take(')')) this.#refuse();
      return inner;
    }
    this.#next++;
    if (kind === 'number') return constant(Number(text));
    if (kind === 'string') return constant(text);
    if (kind === 'name') return this.#take('(') ? this.#call(text) : this.#name(text);
    this.#next--;
    return this.#refuse();
  }

  #name(name: string): Evaluate {
    this.names.add(name);
    return (values) => {
      const value = values.get(name);
      if (value === undefined) {
        const near = didYouMean(name, values.keys()) || `; give the entry a value for ${name}`;
        throw new ExpressionError(`${name} has no value here: rules see what the list gives, no defaults${near}`);
      }
      return value;
    };
  }

  #call(name: string): Evaluate {
    const call = FUNCTIONS.get(name);
    if (call === undefined)
      throw new ExpressionError(`${name}() is unknown; there are ${[...FUNCTIONS.keys()].join(', ')}`);
    const parameters = [this.#level(0)];
    while (this.#take(',')) parameters.push(this.#level(0));
    if (!this.#take(')')) this.#refuse();
    return (values) => call(parameters.map((parameter) => parameter(values)));
  }

  #peek(): Lexeme {
    return this.#lexemes[this.#next] as Lexeme;
  }

  #take(operator: string): boolean {
    const { kind, text } = this.#peek();
    const taken = kind === 'operator' && text === operator;
    if (taken) this.#next++;
    return taken;
  }

  #refuse(): never {
    const { kind, text, at } = this.#peek();
    const what = kind === 'end' ? 'it ends too early' : `"${text}" at character ${at + 1} does not fit`;
    throw new ExpressionError(`cannot read "${shown(this.#text)}": ${what}`);
  }
}

const FUNCTIONS: ReadonlyMap<string, (values: Value[]) => Value> = new Map([
  ['bytes', ([count, unit]: Value[]): Value => numberOf(count ?? '', 'bytes()') * unitOf(unit ?? '')],
  ['min', (values: Value[]): Value => Math.min(...values.map((v) => numberOf(v, 'min()')))],
  ['max', (values: Value[]): Value => Math.max(...values.map((v) => numberOf(v, 'max()')))],
]);

function shown(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
}

function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new ExpressionError(`cannot read "${shown(text)}": ${unknownSign(text, at)}`);
    lexemes.push(lexemeOf(match, at));
  }
  lexemes.push({ kind: 'end', text: '', at: text.length });
  return lexemes;
}

/** What is typed for an operator by habit has a hint. */
function unknownSign(text: string, at: number): string {
  const blanks = text.slice(at).length - text.slice(at).trimStart().length;
  const sign = text[at + blanks] ?? '';
  const meant = MEANT[sign];
  const hint = meant === undefined ? '' : `; write ${meant}`;
  return `unknown sign "${sign}" at character ${at + blanks + 1}${hint}`;
}

const MEANT: Readonly<Record<string, string>> = { '=': '== to compare', '&': '&&', '|': '||' };

function lexemeOf(match: RegExpExecArray, at: number): Lexeme {
  const [, number, name, double, single, operator] = match;
  if (number !== undefined) return { kind: 'number', text: number, at };
  if (name !== undefined) return { kind: 'name', text: name, at };
  if (operator !== undefined) return { kind: 'operator', text: operator, at };
  return { kind: 'string', text: double ?? single ?? '', at };
}

function constant(value: Value): Evaluate {
  return () => value;
}

function binary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  if (operator === '&&') return (values) => (isTrue(left(values)) && isTrue(right(values)) ? 1 : 0);
  if (operator === '||') return (values) => (isTrue(left(values)) || isTrue(right(values)) ? 1 : 0);
  if (operator === '==') return (values) => (left(values) === right(values) ? 1 : 0);
  if (operator === '!=') return (values) => (left(values) !== right(values) ? 1 : 0);
  const apply = ARITHMETIC[operator] as (a: number, b: number) => number;
  return (values) => apply(numberOf(left(values), operator), numberOf(right(values), operator));
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => divide(a, b),
  '%': (a, b) => a - b * divide(a, b),
};

function divide(a: number, b: number): number {
  if (b === 0) throw new ExpressionError('division by 0');
  return Math.trunc(a / b);
}

function numberOf(value: Value, where: string): number {
  if (typeof value === 'number') return value;
  throw new ExpressionError(`"${value}" is not a number (at ${where})`);
}

function unitOf(unit: Value): number {
  const factor = UNITS[String(unit).toUpperCase()];
  if (factor === undefined)
    throw new ExpressionError(`"${unit}" is not a unit; there are ${Object.keys(UNITS).join(', ')}`);
  return factor;
}
