/** What a scenario may hold at each place, said to people: from the schema, so that it cannot say anything else. */

import type { z } from 'zod';
import { didYouMean, nearest } from '../../../uvm/cmdline/nearest.ts';
import type { Found, Path } from './crossChecks.ts';

/** As much of JSON Schema as scenarios need. */
interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | false;
}

const SHOWN_LENGTH = 40;

/**
 * Says what is wrong at a place: the value, what belongs there, and the nearest name.
 * @param schema JSON Schema of a scenario
 * @param data the whole file
 */
export function scenarioMessages(issue: z.core.$ZodIssue, schema: unknown, data: unknown): Found[] {
  const path = issue.path as Path;
  const shape = shapeAt(schema as Shape, path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField(key, shape) }));
  return [{ path, message: wrongValue(shape, valueAt(data, path), path) }];
}

function unknownField(key: string, shape: Shape): string {
  const names = Object.keys(objectOf(shape)?.properties ?? {});
  const hint = nearest(key, names).length > 0 ? didYouMean(key, names) : `; allowed: ${names.join(', ')}`;
  return `there is no such field${hint}`;
}

function wrongValue(shape: Shape, value: unknown, path: Path): string {
  if (value === undefined) return `the field is missing; it holds ${expected(shape)}`;
  if (shape.type === 'integer' && typeof value === 'number' && Number.isInteger(value))
    return `${value} is out of range; allowed ${shape.minimum}..${shape.maximum}`;
  if (shape.type === 'array' && Array.isArray(value))
    return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}; allowed ${countsText(shape)}`;
  const names = typeof value === 'string' ? (shape.enum ?? []) : [];
  const what = path.length === 0 ? 'a scenario is' : 'expected is';
  return `${shown(value)} does not belong here; ${what} ${expected(shape)}${didYouMean(String(value), names)}`;
}

function expected(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum !== undefined) return choice(shape.enum.map((name) => JSON.stringify(name)));
  if (shape.anyOf !== undefined) return choice(shape.anyOf.map(expected));
  if (shape.type === 'integer') return numbersText(shape);
  if (shape.type === 'boolean') return 'true or false';
  if (shape.type === 'string') return 'a text in double quotes';
  if (shape.type === 'array') return shape.maxItems === undefined ? 'a list' : `a list of ${countsText(shape)} entries`;
  if (shape.type === 'null') return 'null';
  const names = Object.keys(shape.properties ?? {});
  return `an object${names.length === 0 ? '' : ` with ${names.join(', ')}`}`;
}

function numbersText({ minimum = 0, maximum = 0 }: Shape): string {
  return Number.isSafeInteger(minimum - 1) ? `a whole number ${minimum}..${maximum}` : 'a whole number';
}

function countsText({ minItems = 0, maxItems = 0 }: Shape): string {
  return `${minItems}..${maxItems}`;
}

function choice(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}

function shapeAt(schema: Shape, path: Path): Shape {
  let shape: Shape | undefined = schema;
  for (const step of path) {
    const inner: Shape | undefined = objectOf(shape);
    if (typeof step === 'number') shape = shape?.items;
    else shape = fieldOf(inner, step) ?? (inner?.additionalProperties || undefined);
  }
  return shape ?? {};
}

function fieldOf(shape: Shape | undefined, name: string): Shape | undefined {
  const { properties = {} } = shape ?? {};
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The shape itself, or that of its choices which has fields. */
function objectOf(shape: Shape | undefined): Shape | undefined {
  return shape?.anyOf?.find((choice) => choice.properties !== undefined) ?? shape;
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const key of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
}
