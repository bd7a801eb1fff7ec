/** Takes a queue pair to the error state whose completion was lost: its queue has overflowed (roce-transport.md 5.5). */
import type { EventHandler } from '../../../../uvm/kernel/scheduler.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import { EVENT_TYPE } from '../../layout/queues.ts';
import { type HanguCore, WAIT } from '../core.ts';
import { qpState, setQpState } from '../qpContext.ts';
import type { QpSlot } from '../transport/qpSlot.ts';
import type { ReceiveFlush } from '../transport/receiveFlush.ts';
import type { SendCompletion } from '../transport/sendCompletion.ts';
import type { EventUnit } from './eventUnit.ts';

/** What a queue pair that stops goes through. */
interface StopUnits {
  readonly core: HanguCore;
  readonly events: EventUnit;
  readonly sends: SendCompletion;
  readonly receives: ReceiveFlush;
}

/** One such stop. Not at once: whoever writes the completion is in the middle of the queues that are flushed. */
export class OverflowStop implements EventHandler, Resumable {
  readonly #slot: QpSlot;
  readonly #units: StopUnits;

  constructor(slot: QpSlot, units: StopUnits) {
    this.#slot = slot;
    this.#units = units;
    units.core.scheduler.schedule(units.core.cycles(1), this);
  }

  fire(): void {
    const slot = this.#slot;
    const { core, events, sends, receives } = this.#units;
    if (slot.closed || slot.lost) return;
    const c = core.contextOf(slot, this);
    if (c === WAIT || c < 0) return;
    const w = core.bytes.i32;
    const state = qpState(w, c);
    // It has stopped before, for whatever reason.
    if (state === QPC_STATE.err || state === QPC_STATE.rst) return;
    setQpState(w, c, QPC_STATE.err);
    core.touch(slot);
    events.async(EVENT_TYPE.wqCatastrophic, slot.qpn);
    sends.flush(slot);
    receives.enterError(slot);
    sends.fetchRest();
  }

  resume(): void {
    this.fire();
    this.#units.core.qpc.wake();
  }
}
