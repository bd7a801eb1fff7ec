/** Bugs of the event queues, their interrupts, and of arming. */
import { CQE_SYNDROME, EQE_BYTES, EVENT_TYPE } from '../../layout/queues.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import type { HanguCore } from '../../model/core.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, WRONG_KEYS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

const MASKED_EVENTS: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=masked_events'];

export const EVENT_FAULTS: readonly Fault[] = [
  {
    name: 'event_number',
    block: 'event unit',
    description: 'every third event names a wrong completion queue',
    caughtBy: ['HCA_EQE', 'SCB_STUCK'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: WrongEventNumber }),
  },
  {
    name: 'interrupt_lost',
    block: 'event unit',
    description: 'every fourth interrupt is not sent',
    caughtBy: ['SEQ_EVENT_LOST', 'SCB_STUCK'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: LostInterrupt }),
  },
  {
    name: 'event_of_requester',
    block: 'event unit',
    description: 'an event says, besides its completion, that a request has failed',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: WRONG_KEYS,
    create: planted({ sendCompletion: LoudRequester }),
  },
  {
    name: 'event_besides_receive',
    block: 'event unit',
    description: 'an event says, besides its completion, that a receive was too short',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=long_messages'],
    create: planted({ responder: LoudResponder }),
  },
  {
    name: 'mask_ignored',
    block: 'event unit',
    description: 'interrupts are sent although their vector is masked',
    caughtBy: ['HCA_MSIX'],
    needs: MASKED_EVENTS,
    create: planted({ events: UnmaskedUnit }),
  },
  {
    name: 'masked_interrupt_lost',
    block: 'event unit',
    description: 'an interrupt that was due while its vector was masked is not sent when the mask is taken back',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: MASKED_EVENTS,
    create: planted({ events: ForgetfulUnit }),
  },
  {
    name: 'async_lost',
    block: 'event unit',
    description: 'asynchronous events are not sent',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: WRONG_KEYS,
    create: planted({ events: SilentUnit }),
  },
  {
    name: 'async_number',
    block: 'event unit',
    description: 'asynchronous events name the next queue pair',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: WRONG_KEYS,
    create: planted({ events: WrongAsyncNumber }),
  },
  {
    name: 'async_twice',
    block: 'event unit',
    description: 'asynchronous events are sent twice',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: WRONG_KEYS,
    create: planted({ events: RepeatedEvent }),
  },
  {
    name: 'completion_event_twice',
    block: 'event unit',
    description: 'every third completion event is sent twice',
    caughtBy: ['SCB_EVENT_UNARMED'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: RepeatedCompletionEvent }),
  },
  {
    name: 'cq_error_for_nothing',
    block: 'event unit',
    description: 'completion queues that have room are said to have overrun',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: AlarmingUnit }),
  },
  {
    name: 'cq_error_of_none',
    block: 'event unit',
    description: 'a completion queue that does not exist is said to have overrun',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: ConfusedUnit }),
  },
  {
    name: 'event_unclean',
    block: 'event unit',
    description: 'a reserved word of the entries of event queues holds something',
    caughtBy: ['HCA_EQE'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: UncleanUnit }),
  },
  {
    name: 'interrupt_twice',
    block: 'event unit',
    description: 'every third interrupt is sent twice',
    caughtBy: ['HCA_MSIX'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: RepeatedInterrupt }),
  },
  {
    name: 'interrupt_first',
    block: 'event unit',
    description: 'an interrupt is sent before the entry of the event queue that it is for',
    caughtBy: ['HCA_MSIX'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: HastyInterrupt }),
  },
  {
    name: 'event_slot_skipped',
    block: 'event unit',
    description: 'every third entry of an event queue is written one slot too far',
    caughtBy: ['HCA_MSIX'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ events: SkippingUnit }),
  },
  {
    name: 'event_for_nothing',
    block: 'event unit',
    description: 'arming a completion queue fires for the completion that was read last',
    caughtBy: ['SCB_EVENT_EMPTY'],
    needs: ['+CQ_EVENT=1'],
    create: planted({ completions: EagerArming }),
  },
  {
    name: 'arming_blind',
    block: 'event unit',
    description: 'arming a completion queue does not fire for what came while the doorbell was on its way',
    caughtBy: ['SEQ_EVENT_LOST'],
    needs: [
      '+RC_QP_NUM=8',
      '+SEND_WQE_NUM=4',
      '+RECV_WQE_NUM=4',
      '+DB_NUM=10',
      '+WRITE_WQE_NUM=2',
      '+CQ_EVENT=1',
      '+DATA_CNT=100',
    ],
    create: planted({ completions: BlindArming }),
  },
  {
    name: 'vector_of_last',
    block: 'event unit',
    description: 'an interrupt goes to the vector of the one before',
    caughtBy: ['HCA_MSIX'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=mixed_events', '+UD_QP_NUM=0'],
    create: planted({ events: LateVector }),
  },
];
