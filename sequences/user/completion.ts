import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';

/** A completion as a user sequence gets it: a copy that stays valid. Fields as in `WorkCompletion`. */
export class Completion {
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
    this.imm = wc.imm;
    this.flags = wc.flags;
    this.srcQp = wc.srcQp;
  }
}
