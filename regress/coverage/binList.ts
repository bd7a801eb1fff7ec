/** Bins by their paths: `send_wr_cg.opcode.read`, `send_wr_cg@hca0.opcode_x_size.<read,small>`. */

import { Glob } from '../../uvm/base/glob.ts';
import { type BinModel, type GroupModel, groupKey, type ItemModel } from '../../uvm/coverage/model.ts';
import type { CoverageDatabase } from './database.ts';

/** One bin of a database. */
export interface ListedBin {
  readonly path: string;
  readonly group: GroupModel;
  readonly item: ItemModel;
  readonly bin: BinModel;
  /** In its group. */
  readonly number: number;
}

export function binsOfGroup(group: GroupModel): readonly ListedBin[] {
  let first = 0;
  return group.items.flatMap((item) => {
    const begin = first;
    first += item.bins.length;
    return item.bins.map((bin, i) => ({
      path: `${groupKey(group)}.${item.name}.${bin.name}`,
      group,
      item,
      bin,
      number: begin + i,
    }));
  });
}

export function binsOf({ groups }: CoverageDatabase): readonly ListedBin[] {
  return groups.flatMap(binsOfGroup);
}

/** Those that count in totals: bins to be covered, of groups that are no single instances. */
export function countedBins(database: CoverageDatabase): readonly ListedBin[] {
  return binsOf(database).filter(({ group, bin }) => group.instance === undefined && bin.kind === 'bins');
}

/** @param pattern of paths, of an item (`cg.item`), or of a group (`cg`): all below is meant as well */
export function matching(bins: readonly ListedBin[], pattern: string): readonly ListedBin[] {
  const glob = new Glob(pattern);
  const below = new Glob(`${pattern}.*`);
  return bins.filter(({ path }) => glob.matches(path) || below.matches(path));
}
