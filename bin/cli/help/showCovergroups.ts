/** Covergroups as `--list-covergroups` shows them. */

import { rdmaCovergroups } from '../../../coverage/rdmaCovergroups.ts';
import { binCount, type GroupModel } from '../../../uvm/coverage/model.ts';
import { counted } from '../../../uvm/report/counted.ts';
import type { Registry } from '../../registry.ts';

/** A covergroup, and the file that brings it; '' for those of `coverage/`. */
export interface ListedCovergroup {
  readonly model: GroupModel;
  readonly file: string;
}

/** Those of RDMA, then those that tests and sequences export, each once. */
export function allCovergroups({ covergroups = [] }: Pick<Registry, 'covergroups'>): readonly ListedCovergroup[] {
  const own = rdmaCovergroups().map(({ model }) => ({ model, file: '' }));
  const brought = covergroups.map(({ group: { model }, file }) => ({ model, file }));
  const known = new Set<string>();
  return [...own, ...brought].filter(({ model: { name } }) => !known.has(name) && known.add(name));
}

/** A line a group, then its items: `kind_x_size  cross, 12 bins`. */
export function listCovergroups(groups: readonly ListedCovergroup[]): string {
  const bins = groups.reduce((sum, { model }) => sum + binCount(model), 0);
  return [...groups.flatMap(groupLines), `${counted(groups.length, 'covergroup')}, ${counted(bins, 'bin')}`].join('\n');
}

function groupLines({ model, file }: ListedCovergroup): readonly string[] {
  const { name, comment, items } = model;
  const from = file === '' ? '' : ` (${file})`;
  const head = `${name}: ${counted(binCount(model), 'bin')}${comment === '' ? '' : `, ${comment}`}${from}`;
  return [
    head,
    ...items.map(({ kind, name: item, bins }) => `  ${item.padEnd(36)} ${kind}, ${counted(bins.length, 'bin')}`),
  ];
}
