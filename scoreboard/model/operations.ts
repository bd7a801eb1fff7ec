/** What each send operation does, as far as the scoreboard cares. */

import { WR_OPCODE } from '../../rdma/verbs.ts';

/** Fills a receive at the peer. */
export const OP_MESSAGE = 1;
/** Writes to remote memory. */
export const OP_WRITE = 2;
/** Reads remote memory into the local list. */
export const OP_READ = 4;
export const OP_ATOMIC = 8;
/** Carries immediate data. */
export const OP_IMM = 16;
/** Changes what a key opens; nothing of it is sent, and it has no PSN. */
export const OP_KEY = 32;

const KINDS = new Uint8Array(256);
KINDS[WR_OPCODE.rdmaWrite] = OP_WRITE;
KINDS[WR_OPCODE.rdmaWriteWithImm] = OP_WRITE | OP_MESSAGE | OP_IMM;
KINDS[WR_OPCODE.send] = OP_MESSAGE;
KINDS[WR_OPCODE.sendWithImm] = OP_MESSAGE | OP_IMM;
KINDS[WR_OPCODE.sendWithInv] = OP_MESSAGE;
for (const opcode of [WR_OPCODE.localInv, WR_OPCODE.bindMw, WR_OPCODE.regMr]) KINDS[opcode] = OP_KEY;
KINDS[WR_OPCODE.rdmaRead] = OP_READ;
KINDS[WR_OPCODE.atomicCmpAndSwp] = OP_ATOMIC;
KINDS[WR_OPCODE.atomicFetchAndAdd] = OP_ATOMIC;

/** `OP_*` bits of a `WR_OPCODE`. */
export function operationKind(opcode: number): number {
  return KINDS[opcode & 0xff] as number;
}

/** Whether nothing of a request is sent: it changes a key. */
export function isSilent(opcode: number): boolean {
  return operationKind(opcode) === OP_KEY;
}

/** Bytes of an atomic's operand. */
export const ATOMIC_BYTES = 8;
