/** Bugs of registers, doorbells and send queues that show only with accesses that software has no reason for, with many, or in large rings. */
import { BAR, DOORBELL_PAGE, REG } from '../../layout/addressMap.ts';
import { HCR_DWORDS } from '../../layout/commands.ts';
import { SEND_DB } from '../../layout/queues.ts';
import { NO_CONTEXT } from '../../model/core.ts';
import { MSIX_VECTORS } from '../../model/queues/eventUnit.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { DoorbellPages } from '../../model/control/doorbellPages.ts';
import { Registers } from '../../model/control/registers.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import type { Tlp } from '../../../nic.ts';
import { faultsOf, planted } from '../fault.ts';
import { REGISTER_ROWS } from './rows/registerRows.ts';

/** Bits of a queue pair's number that the second generation of the hardware has. */
const FEW_QPN_BITS = 8;

const TOKEN = REG.hcr + 4 * (HCR_DWORDS - 2);

/** Between the command register and the reset register. */
const UNUSED = { from: REG.hcr + 4 * HCR_DWORDS, to: REG.softReset } as const;

/** Whoever waits for a context that does not come by itself. */
const NOBODY = { resume: (): void => {} };

/** Takes so few bits of the number that a doorbell of another queue pair is taken for one of its own. */
class FewNumbers extends SendQueue {
  override doorbell(dw0: number, dw1: number): QpSlot | null {
    return super.doorbell(dw0, dw1 & ((1 << (FEW_QPN_BITS + SEND_DB.qpnShift)) - 1));
  }
}

/** Has room for so many doorbells of a queue pair that announce work behind what it is fetching. */
const DOORBELLS = 32;

/** Loses the doorbells for which it has no room. */
class ShallowDoorbells extends SendQueue {
  override doorbell(dw0: number, dw1: number): QpSlot | null {
    const slot = this.core.slot(dw1 >>> SEND_DB.qpnShift);
    return (slot.doorbells?.length ?? 0) < 2 * DOORBELLS ? super.doorbell(dw0, dw1) : slot;
  }
}

/** Keeps 16 bits of where the next WQE is. */
class NearLinks extends SendQueue {
  protected override offsetOf(dw0: number): number {
    return super.offsetOf(dw0) & 0xffff;
  }
}

/** Keeps a doorbell of a queue pair in RESET, or of one that does not exist, until another one comes for it. */
class KeptDoorbells extends SendQueue {
  readonly #kept = new Map<number, readonly [dw0: number, dw1: number]>();

  override doorbell(dw0: number, dw1: number): QpSlot | null {
    const qpn = dw1 >>> SEND_DB.qpnShift;
    const early = this.#kept.get(qpn);
    if (this.core.queuePair(qpn, NOBODY) === NO_CONTEXT) this.#kept.set(qpn, [dw0, dw1]);
    else if (early !== undefined) {
      this.#kept.delete(qpn);
      super.doorbell(...early);
    }
    return super.doorbell(dw0, dw1);
  }
}

/** Looks at the last bits of a place only, so that a page has many send doorbells. */
class CoarsePlaces extends DoorbellPages {
  protected override placeOf(offset: number): number {
    return super.placeOf(offset) & (DOORBELL_PAGE / 16 - 1);
  }
}

/** Keeps what is written to INIT_DONE. */
class WritableInitDone extends Registers {
  #initDone = 1;

  override write(t: Tlp): void {
    if (t.lo === REG.initDone) this.#initDone = this.core.bytes.i32[t.data >> 2] as number;
    super.write(t);
  }

  protected override valueAt(offset: number): number {
    return offset === REG.initDone ? this.#initDone : super.valueAt(offset);
  }
}

/** Keeps the token of a command to itself. */
class HiddenToken extends Registers {
  protected override valueAt(offset: number): number {
    return offset === TOKEN ? 0 : super.valueAt(offset);
  }
}

/** Has no vector masked that software has not masked. */
class OpenVectors extends Registers {
  protected override valueAt(offset: number): number {
    const value = super.valueAt(offset);
    const isControl = offset >= REG.msix && offset < REG.msix + MSIX_VECTORS * 16 && offset % 16 === 12;
    return isControl ? value & ~1 : value;
  }
}

/** Does not answer reads of offsets where there is no register. */
class SilentNic extends HanguNic {
  override barRead(tlp: Tlp): void {
    if (tlp.bar !== BAR.registers || tlp.lo < UNUSED.from || tlp.lo >= UNUSED.to) super.barRead(tlp);
  }
}

/** Does not answer any read. */
class DeadNic extends HanguNic {
  override barRead(): void {}
}

export const REGISTER_FAULTS = faultsOf(REGISTER_ROWS, {
  doorbell_number_cut: planted({ sendQueue: FewNumbers }),
  doorbell_kept: planted({ sendQueue: KeptDoorbells }),
  doorbell_place: planted({ doorbells: CoarsePlaces }),
  init_done_written: planted({ registers: WritableInitDone }),
  token_hidden: planted({ registers: HiddenToken }),
  vectors_open: planted({ registers: OpenVectors }),
  unused_register_silent: (context, config) => new SilentNic(context, config),
  nic_silent: (context, config) => new DeadNic(context, config),
  doorbells_overflow: planted({ sendQueue: ShallowDoorbells }),
  link_wraps: planted({ sendQueue: NearLinks }),
});
