/** All that another kind may use of blue-rdma: what `blue` of `rnic-verify/dut` is. */
export * from './layout/index.ts';
export * from './model/index.ts';
export * from './driver/index.ts';
