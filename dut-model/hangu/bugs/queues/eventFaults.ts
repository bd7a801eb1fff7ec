/** Bugs of the event queues, their interrupts, and of arming. */
import { CQE_SYNDROME, EQE_BYTES, EVENT_TYPE } from '../../layout/queues.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import type { HanguCore } from '../../model/core.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { EVENT_ROWS } from './rows/eventRows.ts';

class WrongEventNumber extends EventUnit {
  readonly #turn = new Every(3);
  protected override build(w: Int32Array, d: number, type: number, number: number): void {
    super.build(w, d, type, this.#turn.hit() ? number ^ 0x800 : number);
  }
}

class LostInterrupt extends EventUnit {
  readonly #turn = new Every(4);
  protected override interrupt(vector: number): void {
    if (!this.#turn.hit()) super.interrupt(vector);
  }
}

/** Interrupts the vector of the interrupt before. */
class LateVector extends EventUnit {
  #latest = -1;
  protected override interrupt(vector: number): void {
    const latest = this.#latest;
    this.#latest = vector;
    super.interrupt(latest < 0 ? vector : latest);
  }
}

class SilentUnit extends EventUnit {
  override async(): void {}
}

class WrongAsyncNumber extends EventUnit {
  override async(type: number, number: number): void {
    super.async(type, number + 1);
  }
}

class RepeatedInterrupt extends EventUnit {
  readonly #turn = new Every(3);
  protected override interrupt(vector: number): void {
    super.interrupt(vector);
    if (this.#turn.hit()) super.interrupt(vector);
  }
}

/** Sends the interrupt, and then the entry that it is for. */
class HastyInterrupt extends EventUnit {
  #held: readonly [hi: number, lo: number, at: number, block: number] | null = null;
  protected override store(hi: number, lo: number, at: number, block: number, message: boolean): void {
    if (message) this.#held = [hi, lo, at, block];
    else super.store(hi, lo, at, block, false);
  }

  protected override interrupt(vector: number): void {
    super.interrupt(vector);
    const held = this.#held;
    this.#held = null;
    if (held !== null) super.store(...held, true);
  }
}

/** Leaves a slot of its event queue out before every third entry. */
class SkippingUnit extends EventUnit {
  readonly #turn = new Every(3);
  protected override store(hi: number, lo: number, at: number, block: number, message: boolean): void {
    const skips = this.#turn.hit() && (lo & 0xfff) + 2 * EQE_BYTES <= 4096;
    super.store(hi, skips ? lo + EQE_BYTES : lo, at, block, message);
  }
}

class RepeatedEvent extends EventUnit {
  override async(type: number, number: number): void {
    super.async(type, number);
    super.async(type, number);
  }
}

/** Tells of every third completion event once more. */
class RepeatedCompletionEvent extends EventUnit {
  readonly #turn = new Every(3);
  override post(eqn: number, type: number, number: number): void {
    super.post(eqn, type, number);
    if (type === EVENT_TYPE.completion && this.#turn.hit()) super.post(eqn, type, number);
  }
}

/** Says with every fourth completion event that a completion queue overran, by default the same. */
class AlarmingUnit extends EventUnit {
  readonly #turn = new Every(4);
  override post(eqn: number, type: number, number: number): void {
    super.post(eqn, type, number);
    if (type === EVENT_TYPE.completion && this.#turn.hit()) this.async(EVENT_TYPE.cqError, this.alarmed(number));
  }

  protected alarmed(cqn: number): number {
    return cqn;
  }
}

/** Says it of a completion queue that does not exist. */
class ConfusedUnit extends AlarmingUnit {
  protected override alarmed(): number {
    return 0;
  }
}

/** Leaves what was in its buffer in a word of the entry that is not used. */
class UncleanUnit extends EventUnit {
  protected override build(w: Int32Array, d: number, type: number, number: number): void {
    super.build(w, d, type, number);
    w[d + 5] = 0x5a5a;
  }
}

/** Takes the completion that was read last for unread when a queue is armed. */
class EagerArming extends CompletionUnit {
  override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
    super.arm(cqn, solicitedOnly, consumer - 1);
  }
}

/** Marks a consumer index that has been moved on already: arming is done again when the context was not at hand. */
const MOVED_ON = 1 << 20;

/** As far as an index modulo 2^18 can be ahead. */
const FAR_AHEAD = (1 << 17) - 1;

/** Does not ask whether something came while the doorbell was on its way. */
class BlindArming extends CompletionUnit {
  override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
    const moved = (consumer & MOVED_ON) !== 0;
    super.arm(cqn, solicitedOnly, moved ? consumer : (consumer + FAR_AHEAD) | MOVED_ON);
  }
}

/** Says by an event, too, what the completion of a failed request says. */
class LoudRequester extends SendCompletion {
  readonly #told: EventUnit;

  constructor(core: HanguCore, unit: CompletionUnit, events: EventUnit) {
    super(core, unit, events);
    this.#told = events;
  }

  override fail(slot: QpSlot, c: number, syndrome: number): void {
    super.fail(slot, c, syndrome);
    this.#told.async(EVENT_TYPE.accessViolation, slot.qpn);
  }
}

/** Says by an event, too, that a receive was too short. */
class LoudResponder extends Responder {
  protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
    super.completeReceive(slot, c, p, syndrome);
    if (syndrome === CQE_SYNDROME.localLength) this.events.async(EVENT_TYPE.invalidRequest, slot.qpn);
  }
}

/** Knows no masks once a vector has been in use. */
class UnmaskedUnit extends EventUnit {
  readonly #used = new Set<number>();
  protected override isMasked(vector: number): boolean {
    if (!super.isMasked(vector)) this.#used.add(vector);
    return !this.#used.has(vector);
  }
}

/** Forgets what was due while a vector was masked. */
class ForgetfulUnit extends EventUnit {
  protected override interrupt(vector: number): void {
    if (!this.isMasked(vector)) super.interrupt(vector);
  }
}

export const EVENT_FAULTS = faultsOf(EVENT_ROWS, {
  event_number: planted({ events: WrongEventNumber }),
  interrupt_lost: planted({ events: LostInterrupt }),
  event_of_requester: planted({ sendCompletion: LoudRequester }),
  event_besides_receive: planted({ responder: LoudResponder }),
  mask_ignored: planted({ events: UnmaskedUnit }),
  masked_interrupt_lost: planted({ events: ForgetfulUnit }),
  async_lost: planted({ events: SilentUnit }),
  async_number: planted({ events: WrongAsyncNumber }),
  async_twice: planted({ events: RepeatedEvent }),
  completion_event_twice: planted({ events: RepeatedCompletionEvent }),
  cq_error_for_nothing: planted({ events: AlarmingUnit }),
  cq_error_of_none: planted({ events: ConfusedUnit }),
  event_unclean: planted({ events: UncleanUnit }),
  interrupt_twice: planted({ events: RepeatedInterrupt }),
  interrupt_first: planted({ events: HastyInterrupt }),
  event_slot_skipped: planted({ events: SkippingUnit }),
  event_for_nothing: planted({ completions: EagerArming }),
  arming_blind: planted({ completions: BlindArming }),
  vector_of_last: planted({ events: LateVector }),
});
