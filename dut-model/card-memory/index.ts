/** All that another kind may use of the card: what `card` of `rnic-verify/dut` is. */
export * from './layout/index.ts';
export * from './model/index.ts';
export * from './driver/index.ts';
