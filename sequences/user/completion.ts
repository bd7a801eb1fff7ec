import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';

/**
 * A completion as a user sequence gets it: a copy that stays valid. Fields as in `WorkCompletion`, but for immediate
 * data, which are unsigned here as they are in `SendOptions`.
 */
export class Completion {
  /** Number of the request in its queue, the first one is 0. */
  readonly wrId: number;
  readonly status: number;
  readonly opcode: number;
  readonly byteLen: number;
  readonly imm: number;
  readonly flags: number;
  readonly srcQp: number;

  constructor(wc: WorkCompletion) {
    this.wrId = wc.wrId;
    this.status = wc.status;
    this.opcode = wc.opcode;
    this.byteLen = wc.byteLen;
    this.imm = wc.imm >>> 0;
    this.flags = wc.flags;
    this.srcQp = wc.srcQp;
  }
}
