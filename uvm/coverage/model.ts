/**
 * What a covergroup consists of, as plain data: the part of coverage that is stored, merged and shown.
 *
 * Bins of a group are numbered through, item by item in the order of declaration; a run is a list of (bin, count).
 */

import { hash128 } from '../random/hash.ts';
import type { BinKind } from './binSpec.ts';
import type { Interval } from './intervals.ts';

export interface BinModel {
  /** `small`, `a[3]`, `<send,small>`. */
  readonly name: string;
  readonly kind: BinKind;
  /** Of a value bin, without what ignore and illegal bins take away. */
  readonly values?: readonly Interval[];
  /** Of a transition bin: `0=>1,2=>3[*2]`. */
  readonly sequences?: readonly string[];
  /** Of a cross: combinations, each an index into the bins of every crossed item. */
  readonly at?: readonly (readonly number[])[];
  /** Arguments with which a run is likely to hit it. */
  readonly arguments?: string;
}

/** A coverpoint or a cross. */
export interface ItemModel {
  readonly kind: 'coverpoint' | 'cross';
  readonly name: string;
  /** Crossed coverpoints. */
  readonly of?: readonly string[];
  readonly weight: number;
  /** Percent. */
  readonly goal: number;
  /** Hits from which on a bin is covered. */
  readonly atLeast: number;
  readonly comment: string;
  readonly bins: readonly BinModel[];
}

export interface GroupModel {
  readonly name: string;
  /** Of a group with `perInstance`: the instance that is counted apart; it counts in no total. */
  readonly instance?: string;
  readonly weight: number;
  readonly goal: number;
  readonly comment: string;
  /** Over names and bins: two groups with the same hash can be added. */
  readonly hash: string;
  readonly items: readonly ItemModel[];
}

/** Hits of a group in ascending order of bins: bin, count, bin, count … */
export type SparseHits = readonly number[];

/** A group without its hash. */
export type UnhashedGroup = Omit<GroupModel, 'hash'>;

/** How a group is called where several are listed: `cg`, or `cg@instance`. */
export function groupKey({ name, instance }: Pick<GroupModel, 'name' | 'instance'>): string {
  return instance === undefined ? name : `${name}@${instance}`;
}

export function binCount(group: Pick<GroupModel, 'items'>): number {
  return group.items.reduce((n, item) => n + item.bins.length, 0);
}

/** Names and bins, and nothing that only says how much they count, as 32 hexadecimal digits. */
export function groupHash({ name, items }: Pick<GroupModel, 'name' | 'items'>): string {
  const identity = items.map(({ kind, name: item, of = [], bins }) => [
    kind,
    item,
    of,
    bins.map((bin) => [bin.name, bin.kind, bin.values ?? [], bin.sequences ?? [], bin.at ?? []]),
  ]);
  return hexHash(JSON.stringify([name, identity]));
}

/** Over groups in any order: two models with the same hash are the same. */
export function modelHash(groups: readonly GroupModel[]): string {
  return hexHash(...groups.map((group) => `${groupKey(group)} ${group.hash}`).sort());
}

/** 128 bits as 32 hexadecimal digits. */
export function hexHash(...parts: readonly (string | number)[]): string {
  return hash128(...parts)
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('');
}
