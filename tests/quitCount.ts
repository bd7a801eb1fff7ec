/** When a random run ends by its errors: one mistake of a NIC may make a million of them. */

import type { Component } from '../uvm/base/component.ts';

/** Counted errors after which a random test ends, unless `+UVM_MAX_QUIT_COUNT` says otherwise; 0 there = unlimited. */
const RANDOM_QUIT_COUNT = 200;

/** To be called before anything can be counted. */
export function endAfterErrors({ run }: Component): void {
  if (run.root.args.maxQuitCount === undefined) run.reports.setMaxQuitCount(RANDOM_QUIT_COUNT);
}
