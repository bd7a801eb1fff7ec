/** Bugs in the fields of completion-queue entries. */
import { CQE, CQE_GRH_FLAG } from '../../layout/queues.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { Every, type Fault, faultsOf, planted } from '../fault.ts';
import { CQE_ROWS } from './rows/cqeRows.ts';

type Build = (w: Int32Array, d: number, e: CompletionEntry) => void;

/** A NIC whose CQEs are changed after they have been built. */
function withCqe(makeChange: () => Build): Fault['create'] {
  class Unit extends CompletionUnit {
    readonly #change = makeChange();
    protected override build(w: Int32Array, d: number, e: CompletionEntry): void {
      super.build(w, d, e);
      this.#change(w, d, e);
    }
  }
  return planted({ completions: Unit });
}

/** Changes a dword of every n-th entry that passes the filter. */
function every(n: number, wanted: (e: CompletionEntry) => boolean, change: Build): () => Build {
  return () => {
    const turn = new Every(n);
    return (w, d, e) => {
      if (wanted(e) && turn.hit()) change(w, d, e);
    };
  };
}

const always = (): boolean => true;

const isRead = (e: CompletionEntry): boolean => e.opcode >= 0x10;

/** Sets a dword of the entry. */
function put(field: number, value: number): Build {
  return (w, d) => {
    w[d + (field >> 2)] = value;
  };
}

/** Sets bits of a dword. */
function add(field: number, bits: number): Build {
  return (w, d) => {
    w[d + (field >> 2)] = (w[d + (field >> 2)] as number) | bits;
  };
}

export const CQE_FAULTS = faultsOf(CQE_ROWS, {
  cqe_wqe_offset: withCqe(
    every(4, always, (w, d, e) => {
      w[d + (CQE.wqe >> 2)] = Math.max(0, e.wqe - 128);
    }),
  ),
  cqe_byte_count: withCqe(
    every(
      5,
      (e) => e.byteCount > 0,
      (w, d, e) => {
        w[d + (CQE.byteCount >> 2)] = e.byteCount - 1;
      },
    ),
  ),
  cqe_immediate_zero: withCqe(
    every(
      1,
      (e) => e.imm !== 0,
      (w, d) => {
        w[d + (CQE.immediate >> 2)] = 0;
      },
    ),
  ),
  cqe_immediate_shifted: withCqe(
    every(
      1,
      (e) => e.imm !== 0,
      (w, d, e) => {
        w[d + (CQE.immediate >> 2)] = e.imm >>> 1;
      },
    ),
  ),
  cqe_remote_qpn: withCqe(
    every(6, always, (w, d, e) => {
      w[d + (CQE.remoteQpn >> 2)] = e.remoteQpn ^ 1;
    }),
  ),
  cqe_my_qpn: withCqe(
    every(8, always, (w, d, e) => {
      w[d] = e.qpn ^ 0x1000;
    }),
  ),
  cqe_false_error: withCqe(
    every(10, always, (w, d) => {
      w[d + (CQE.immediate >> 2)] = 0x13;
      w[d + (CQE.opcode >> 2)] = ((w[d + (CQE.opcode >> 2)] as number) & ~0xff) | 0xff;
    }),
  ),
  cqe_direction: withCqe(
    every(
      7,
      (e) => !e.isSend,
      (w, d) => {
        w[d + (CQE.opcode >> 2)] = (w[d + (CQE.opcode >> 2)] as number) | 0x100;
      },
    ),
  ),
  cqe_send_length: withCqe(every(1, (e) => e.isSend && !isRead(e), put(CQE.byteCount, 0))),
  cqe_send_remote: withCqe(every(1, (e) => e.isSend, put(CQE.remoteQpn, 0))),
  cqe_stale_immediate: withCqe(every(1, (e) => e.syndrome === 0 && e.imm === 0, put(CQE.immediate, 0x1234))),
  cqe_owner: withCqe(every(6, always, add(CQE.opcode, 0x80 << 24))),
  cqe_reserved: withCqe(every(6, always, put(CQE.myEe, 1))),
  cqe_opcode: withCqe(every(6, (e) => e.syndrome === 0, add(CQE.opcode, 0x1f))),
  cqe_grh_flag: withCqe(every(1, (e) => !e.isSend && !e.grh, add(CQE.slIpok, CQE_GRH_FLAG))),
});
