/** One completion to be written. Pooled. */
export class CompletionEntry {
  next: CompletionEntry | null = null;
  cqn = 0;
  qpn = 0;
  remoteQpn = 0;
  isSend = false;
  opcode = 0;
  byteCount = 0;
  wqe = 0;
  imm = 0;
  /** `CQE_SYNDROME`; 0 = success. */
  syndrome = 0;
  grh = false;
  solicited = false;
}
