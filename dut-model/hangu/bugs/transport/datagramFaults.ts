/** Bugs of datagrams: what they carry of the request before, the Q_Key of their queue pair, the header in front of them. */
import { CMD } from '../../layout/commands.ts';
import { UD_SEG } from '../../layout/queues.ts';
import { GRH_BYTES } from '../../../../rdma/verbs.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { PayloadWriter } from '../../model/memory/payloadWriter.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { XLATE } from '../../model/memory/translation.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { DATAGRAM_ROWS } from './rows/datagramRows.ts';

const QKEY = UD_SEG.qkey >> 2;

const QPN = UD_SEG.qpn >> 2;

/** Class of a datagram's operation code. */
const UD_CLASS = 3;

/** Changes everything but the Q_Key of a queue pair in RTS. */
class KeptQkey extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const c = this.opcode === CMD.rts2rts ? this.core.queuePair(this.modifier & 0xff_ffff, this) : -1;
    if (c < 0) return super.execute(handler);
    const w = this.core.bytes.i32;
    const qkey = w[c + QPC_DW.qkey] as number;
    const status = super.execute(handler);
    w[c + QPC_DW.qkey] = qkey;
    return status;
  }
}

/** Can alter a datagram's part of a request before it is sent. */
abstract class AlteredDatagrams extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const may = super.mayTransmit(slot, c, r);
    if (may && r.udSegment > 0) this.alter(this.core.bytes.i32, slot, r.udSegment);
    return may;
  }

  /** @param u dword of the request's UD segment */
  protected abstract alter(w: Int32Array, slot: QpSlot, u: number): void;
}

/** Sends the Q_Key of its queue pair also with the datagram behind one that asked for that. */
class StickyOwnKey extends AlteredDatagrams {
  readonly #own = new Set<QpSlot>();
  protected override alter(w: Int32Array, slot: QpSlot, u: number): void {
    const asked = (w[u + QKEY] as number) < 0;
    if (!asked && this.#own.has(slot)) w[u + QKEY] = -1;
    if (asked) this.#own.add(slot);
    else this.#own.delete(slot);
  }
}

/** Keeps the addresses of the datagram before when the number of the queue pair that it goes to is the same. */
class StickyAddress extends AlteredDatagrams {
  readonly #latest = new Map<QpSlot, Int32Array>();
  protected override alter(w: Int32Array, slot: QpSlot, u: number): void {
    const latest = this.#latest.get(slot);
    if (latest !== undefined && latest[QPN] === w[u + QPN]) w.set(latest.subarray(0, QPN), u);
    this.#latest.set(slot, w.slice(u, u + QKEY));
  }
}

/** Leaves out the rest of a GRH that ends behind the first entry of its receive. */
class CutGrh extends PayloadWriter {
  readonly #cut = new Map<RxPacket, number>();
  override scatter(slot: QpSlot, c: number, p: RxPacket): number {
    const { bytes } = this.core;
    const first = bytes.i32[slot.recvSegment >> 2] as number;
    const rest = GRH_BYTES - first;
    if (p.opcode >>> 5 === UD_CLASS && p.done === 0 && first > 0 && rest > 0 && !this.#cut.has(p)) {
      p.length -= rest;
      bytes.copy(p.payload + first, p.payload + GRH_BYTES, p.length - first);
      this.#cut.set(p, rest);
    }
    const result = super.scatter(slot, c, p);
    if (result !== XLATE.wait) {
      p.length += this.#cut.get(p) ?? 0;
      this.#cut.delete(p);
    }
    return result;
  }
}

export const DATAGRAM_FAULTS = faultsOf(DATAGRAM_ROWS, {
  change_keeps_qkey: planted({ commands: KeptQkey }),
  own_qkey_sticks: planted({ requester: StickyOwnKey }),
  datagram_address_sticks: planted({ requester: StickyAddress }),
  grh_cut: planted({ payload: CutGrh }),
});
