/** Registers, commands, contexts and queues of HanGu, for kinds that build on it. */
export * from './ackQueue.ts';
export * from './addressMap.ts';
export * from './commands.ts';
export * from './contexts.ts';
export * from './limits.ts';
export * from './queues.ts';
export * from './sharedReceives.ts';
