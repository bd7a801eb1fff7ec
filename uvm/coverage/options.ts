/** Options of covergroups and their items (IEEE 1800-2017 19.7), and what holds where none is given. */

/** Of coverpoints and crosses. @public */
export interface ItemOptions<S> {
  /** Samples for which it says false are none of this item. Default: all are. */
  readonly iff?: (sample: S) => boolean;
  /** Share in the coverage of the group, 0 or more. Default 1. */
  readonly weight?: number;
  /** Percent, 1 .. 100. Default: that of the group. */
  readonly goal?: number;
  /** Hits from which on a bin is covered. Default: that of the group. */
  readonly atLeast?: number;
  readonly comment?: string;
}

/** @public */
export interface PointOptions<S> extends ItemOptions<S> {
  /** Most bins that `autoBins` makes. Default: that of the group. */
  readonly autoBinMax?: number;
  /**
   * The inverse of the expression: arguments with which a run is likely to hit a bin, such as `+SG_NUM=6`; undefined
   * where none are known. Holes are shown with them.
   */
  readonly fromBin?: (bin: string) => string | undefined;
}

/** @public */
export interface GroupOptions {
  /** Share in the total, 0 or more. Default 1. */
  readonly weight?: number;
  /** Percent, 1 .. 100. Default 100. */
  readonly goal?: number;
  /** Default 1. */
  readonly atLeast?: number;
  /** Counts every instance apart besides all together. Default false. */
  readonly perInstance?: boolean;
  readonly comment?: string;
  /** Default 64. */
  readonly autoBinMax?: number;
}

export type ResolvedGroupOptions = Required<GroupOptions>;

/** Options that a stored item has. */
export interface ResolvedItemOptions {
  readonly weight: number;
  readonly goal: number;
  readonly atLeast: number;
  readonly comment: string;
}

/** @param where begins the text of an error @throws RangeError */
export function resolveGroupOptions(given: GroupOptions, where: string): ResolvedGroupOptions {
  const { perInstance = false, autoBinMax = 64 } = given;
  const common = resolveItemOptions(given, { goal: 100, atLeast: 1 }, where);
  if (!wholeFrom(autoBinMax, 1)) throw new RangeError(`${where}: autoBinMax is ${autoBinMax}; it is 1 or more`);
  return { ...common, perInstance, autoBinMax };
}

/** @param group what holds where the item says nothing @throws RangeError */
export function resolveItemOptions(
  given: Omit<ItemOptions<never>, 'iff'>,
  group: { readonly goal: number; readonly atLeast: number },
  where: string,
): ResolvedItemOptions {
  const { weight = 1, goal = group.goal, atLeast = group.atLeast, comment = '' } = given;
  if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${where}: weight is ${weight}; it is 0 or more`);
  }
  if (!(goal >= 1 && goal <= 100)) throw new RangeError(`${where}: goal is ${goal}; it is 1 .. 100 percent`);
  if (!wholeFrom(atLeast, 1)) throw new RangeError(`${where}: atLeast is ${atLeast}; it is 1 or more`);
  return { weight, goal, atLeast, comment };
}

function wholeFrom(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}
