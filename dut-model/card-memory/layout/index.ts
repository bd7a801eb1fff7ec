/** BARs, addresses, geometry and knobs of the card, for kinds that build on it. */
export * from './addressMap.ts';
export * from './geometry.ts';
export * from './knobs.ts';
export * from './limits.ts';
export * from './registers.ts';
