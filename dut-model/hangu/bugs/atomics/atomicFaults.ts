/** All bugs of atomics, in the order of `--list-faults`. */
import type { Fault } from '../fault.ts';
import { EXECUTION_FAULTS } from './executionFaults.ts';
import { MANY_FAULTS } from './manyFaults.ts';
import { PROTOCOL_FAULTS } from './protocolFaults.ts';
import { QUEUE_FAULTS } from './queueFaults.ts';

export const ATOMIC_FAULTS: readonly Fault[] = [
  ...EXECUTION_FAULTS,
  ...QUEUE_FAULTS,
  ...PROTOCOL_FAULTS,
  ...MANY_FAULTS,
];
