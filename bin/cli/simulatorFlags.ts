/** Flags that simulators know, besides those of this harness. */

/** Spellings of `--seed` that take the next word. */
export const SEED_FLAGS: ReadonlySet<string> = new Set(['--seed', '-seed', '-sv_seed', '-svseed']);

/** Accepted without effect: switches of simulators that published command lines carry. */
export const IGNORED_FLAGS: ReadonlySet<string> = new Set(['-uvmDebug']);

/** Plusargs that belong to simulators and mean nothing here. `vpdfile` is written `+vpdfile+file`. */
const IGNORED_PLUSARGS = /^\+(vpdfile|vcs|fsdbfile|fsdb|notimingcheck|nospecify)([=+]|$)/;

/** Whether a plusarg is one of a simulator, such as `+vpdfile+waves.vpd`. */
export function isIgnoredPlusarg(arg: string): boolean {
  return IGNORED_PLUSARGS.test(arg);
}
