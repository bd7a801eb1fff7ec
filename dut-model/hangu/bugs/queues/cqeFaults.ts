/** Bugs in the fields of completion-queue entries. */
import { CQE, CQE_GRH_FLAG } from '../../layout/queues.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { Every, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

type Build = (w: Int32Array, d: number, e: CompletionEntry) => void;

/** A NIC whose CQEs are changed after they have been built. */
function withCqe(
  name: string,
  description: string,
  caughtBy: readonly string[],
  makeChange: () => Build,
  needs?: readonly string[],
): Fault {
  class Unit extends CompletionUnit {
    readonly #change = makeChange();
    protected override build(w: Int32Array, d: number, e: CompletionEntry): void {
      super.build(w, d, e);
      this.#change(w, d, e);
    }
  }
  const fault = {
    name,
    block: 'completion',
    description,
    caughtBy,
    create: planted({ completions: Unit }),
  } satisfies Fault;
  return needs === undefined ? fault : { ...fault, needs };
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

export const CQE_FAULTS: readonly Fault[] = [
  withCqe(
    'cqe_wqe_offset',
    'every fourth CQE names the WQE before its own',
    ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE'],
    every(4, always, (w, d, e) => {
      w[d + (CQE.wqe >> 2)] = Math.max(0, e.wqe - 128);
    }),
  ),
  withCqe(
    'cqe_byte_count',
    'every fifth CQE reports one byte too few',
    ['SCB_BYTE_LEN'],
    every(
      5,
      (e) => e.byteCount > 0,
      (w, d, e) => {
        w[d + (CQE.byteCount >> 2)] = e.byteCount - 1;
      },
    ),
  ),
  withCqe(
    'cqe_immediate_zero',
    'the immediate never reaches the CQE',
    ['SCB_IMM'],
    every(
      1,
      (e) => e.imm !== 0,
      (w, d) => {
        w[d + (CQE.immediate >> 2)] = 0;
      },
    ),
    ['+IMM=100'],
  ),
  withCqe(
    'cqe_immediate_shifted',
    'the immediate arrives shifted right by one bit',
    ['SCB_IMM'],
    every(
      1,
      (e) => e.imm !== 0,
      (w, d, e) => {
        w[d + (CQE.immediate >> 2)] = e.imm >>> 1;
      },
    ),
    ['+IMM=100'],
  ),
  withCqe(
    'cqe_remote_qpn',
    'every sixth CQE names the wrong remote queue pair',
    ['SCB_REMOTE_QPN'],
    every(6, always, (w, d, e) => {
      w[d + (CQE.remoteQpn >> 2)] = e.remoteQpn ^ 1;
    }),
  ),
  withCqe(
    'cqe_my_qpn',
    'every eighth CQE names another queue pair of the host',
    ['SCB_QPN', 'SCB_CQ', 'HCA_CQE_UNKNOWN_QP'],
    every(8, always, (w, d, e) => {
      w[d] = e.qpn ^ 0x1000;
    }),
  ),
  withCqe(
    'cqe_false_error',
    'every tenth CQE reports a remote access error',
    ['SCB_STATUS'],
    every(10, always, (w, d) => {
      w[d + (CQE.immediate >> 2)] = 0x13;
      w[d + (CQE.opcode >> 2)] = ((w[d + (CQE.opcode >> 2)] as number) & ~0xff) | 0xff;
    }),
  ),
  withCqe(
    'cqe_direction',
    'every seventh receive CQE is marked as a send completion',
    ['SCB_SURPLUS', 'SCB_ORDER', 'SCB_OPCODE', 'SCB_WR_ID'],
    every(
      7,
      (e) => !e.isSend,
      (w, d) => {
        w[d + (CQE.opcode >> 2)] = (w[d + (CQE.opcode >> 2)] as number) | 0x100;
      },
    ),
  ),
  withCqe(
    'cqe_send_length',
    'completions of SENDs and WRITEs have length 0',
    ['SCB_BYTE_LEN'],
    every(1, (e) => e.isSend && !isRead(e), put(CQE.byteCount, 0)),
  ),
  withCqe(
    'cqe_send_remote',
    'send completions of reliable connections name no remote queue pair',
    ['SCB_REMOTE_QPN'],
    every(1, (e) => e.isSend, put(CQE.remoteQpn, 0)),
  ),
  withCqe(
    'cqe_stale_immediate',
    'completions of messages without immediate data have what was there before',
    ['HCA_CQE_RESERVED'],
    every(1, (e) => e.syndrome === 0 && e.imm === 0, put(CQE.immediate, 0x1234)),
  ),
  withCqe(
    'cqe_owner',
    'every sixth CQE is not passed to software',
    ['HCA_CQE_OWNER'],
    every(6, always, add(CQE.opcode, 0x80 << 24)),
  ),
  withCqe(
    'cqe_reserved',
    'every sixth CQE has a reserved field set',
    ['HCA_CQE_RESERVED'],
    every(6, always, put(CQE.myEe, 1)),
  ),
  withCqe(
    'cqe_opcode',
    'every sixth CQE has an opcode that does not exist',
    ['HCA_CQE_FIELD'],
    every(6, (e) => e.syndrome === 0, add(CQE.opcode, 0x1f)),
  ),
  withCqe(
    'cqe_grh_flag',
    'receive completions of connections say that there is a GRH',
    ['SCB_FLAGS'],
    every(1, (e) => !e.isSend && !e.grh, add(CQE.slIpok, CQE_GRH_FLAG)),
  ),
];
