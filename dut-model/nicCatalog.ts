/** The kinds of NIC that ship, for `+DUT=`: written by the build from `dut-model/<kind>/entry.ts`. */
import type { NicEntry } from '../env/nicKind.ts';
import { ENTRY as hangu } from './hangu/entry.ts';
import { ENTRY as blueRdma } from './blue-rdma/entry.ts';
import { ENTRY as cardMemory } from './card-memory/entry.ts';

export const NIC_CATALOG: readonly NicEntry[] = [hangu, blueRdma, cardMemory];
