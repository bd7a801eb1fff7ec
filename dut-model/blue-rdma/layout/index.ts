/** Registers, rings, descriptors and frames of blue-rdma, for kinds that build on it. */
export * from './addressMap.ts';
export * from './descriptors.ts';
export * from './limits.ts';
export * from './registers.ts';
export * from './wire.ts';
