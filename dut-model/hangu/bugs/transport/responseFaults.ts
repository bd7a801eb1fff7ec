/** Bugs of the response unit. */
import { SYNDROME } from '../../../../rdma/bth.ts';
import { extension } from '../../model/qpContext.ts';
import { isOfRead, type QpSlot, RESPONSE } from '../../model/transport/qpSlot.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, SLOW_LINK, SLOW_READS, WRONG_KEYS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** READs and nothing else, several at once. */
const READS_AT_ONCE = [
  ...SLOW_READS.filter((arg) => /^\+\w+_NUM=/.test(arg) && !arg.startsWith('+READ')),
  '+READ_WQE_NUM=8',
];

class WrongAckPsn extends ResponseUnit {
  readonly #turn = new Every(3);
  protected override ackPsn(psn: number): number {
    return this.#turn.hit() ? (psn + 1) & 0xffffff : psn;
  }
}

/** Refuses a READ that fails halfway from its first packet on, which it has answered. */
class RefusedFromStart extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    const read = syndrome > SYNDROME.nakSequence ? slot.savedReads?.find((r) => isOfRead(r, psn)) : undefined;
    super.acknowledge(slot, syndrome, read?.psn ?? psn, msn);
  }
}

class StuckMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn > 1 ? 1 : msn);
  }
}

class ForgottenMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number): void {
    super.acknowledge(slot, syndrome, psn, 0);
  }
}

class EagerMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, syndrome > SYNDROME.nakSequence ? msn + 1 : msn);
  }
}

/** Offers 32 receives with every acknowledgement. */
class GenerousResponder extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome === SYNDROME.ack ? 10 : syndrome, psn, msn);
  }
}

/** Asks for the shortest time whenever it is not ready. */
class HastyReceiver extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    const notReady = syndrome >= SYNDROME.rnr && syndrome < SYNDROME.nakSequence;
    super.acknowledge(slot, notReady ? SYNDROME.rnr | 1 : syndrome, psn, msn);
  }
}

/** Goes on answering READs after software has stopped it. */
class TirelessResponder extends ResponseUnit {
  override drop(): void {}
}

/** Answers more READs at once than it has resources for. */
class UnlimitedAnswers extends ResponseUnit {
  override hasRoom(): boolean {
    return true;
  }
}

/** Has one resource too few for READs, where it should have several. */
class MissingResource extends ResponseUnit {
  override hasRoom(slot: QpSlot, c: number): boolean {
    const most = extension(this.core.bytes.i32, c) & 0xff;
    return (most === 1 || slot.respReads < most - 1) && super.hasRoom(slot, c);
  }
}

/** Answers what is asked for again of a READ from one packet further back in memory. */
class LateRest extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.repeatRead(slot, c, p, msn);
    const item = slot.respTail;
    const starts = slot.savedReads?.some((read) => read.psn === p.psn);
    if (starts === false && item?.kind === RESPONSE.read && !item.fresh && item.psn === p.psn) item.vaLo -= item.mtu;
  }
}

/** Overlooks every seventh READ that comes in order. */
class DeafToReads extends ResponseUnit {
  readonly #turn = new Every(7);
  override read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.read(slot, c, p, msn);
    if (this.#turn.hit()) this.drop(slot);
  }
}

/** Knows one READ less than it must, where that is several. */
class ShortMemory extends ResponseUnit {
  override read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.read(slot, c, p, msn);
    const most = extension(this.core.bytes.i32, c) & 0xff;
    if (most > 1 && slot.savedReads?.length === most) slot.savedReads.shift();
  }
}

/** Finds no READ again for a number behind the wrap, where its own lies before that. */
class UnwrappedReads extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    const wraps = slot.savedReads?.some((read) => p.psn < read.psn && psnCmp(p.psn, read.psn) > 0);
    if (wraps !== true) super.repeatRead(slot, c, p, msn);
  }
}

/** Answers READs only when the link has nothing else to carry. */
class PoliteAnswers extends ResponseUnit {
  #waits = false;
  override pump(): void {
    const { link, scheduler } = this.core;
    const busy = link.freeAt - scheduler.now;
    if (busy <= 0) super.pump();
    else if (!this.#waits) {
      this.#waits = true;
      scheduler.schedule(busy, this, 0);
    }
  }

  fire(): void {
    this.#waits = false;
    this.pump();
  }
}

/** Says twice that it refuses a request for good. */
class RepeatingNak extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn);
    if (syndrome > SYNDROME.nakSequence) super.acknowledge(slot, syndrome, psn, msn);
  }
}

export const RESPONSE_FAULTS: readonly Fault[] = [
  {
    name: 'ack_wrong_psn',
    block: 'response',
    description: 'every third acknowledgement carries the PSN after the right one',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_PSN', 'SCB_STATUS', 'SCB_STUCK'],
    create: planted({ responses: WrongAckPsn }),
  },
  {
    name: 'msn_stuck',
    block: 'response',
    description: 'the MSN of acknowledgements stays at 1',
    caughtBy: ['WIRE_MSN'],
    create: planted({ responses: StuckMsn }),
  },
  {
    name: 'msn_zero',
    block: 'response',
    description: 'the MSN of acknowledgements is always 0',
    caughtBy: ['WIRE_MSN'],
    create: planted({ responses: ForgottenMsn }),
  },
  {
    name: 'msn_of_refused',
    block: 'response',
    description: 'the MSN of a NAK counts the message that it refuses',
    caughtBy: ['WIRE_MSN'],
    needs: WRONG_KEYS,
    create: planted({ responses: EagerMsn }),
  },
  {
    name: 'credits_invented',
    block: 'response',
    description: 'acknowledgements offer 32 receives, whatever is posted',
    caughtBy: ['SCB_CREDITS'],
    create: planted({ responses: GenerousResponder }),
  },
  {
    name: 'rnr_timer',
    block: 'response',
    description: 'a receiver that is not ready asks for the shortest time, whatever its queue pair was given',
    caughtBy: ['WIRE_RNR'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+MIN_RNR_TIMER=3'],
    create: planted({ responses: HastyReceiver }),
  },
  {
    name: 'answers_after_stop',
    block: 'response',
    description: 'a queue pair goes on answering READs after it was stopped',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3'],
    create: planted({ responses: TirelessResponder }),
  },
  {
    name: 'nak_repeated',
    block: 'response',
    description: 'a NAK that takes its queue pair to the error state is sent twice',
    caughtBy: ['WIRE_SILENT'],
    needs: WRONG_KEYS,
    create: planted({ responses: RepeatingNak }),
  },
  {
    name: 'dest_read_limit',
    block: 'response',
    description: 'READs are answered for which the queue pair has no resources',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=6'],
    create: planted({ responses: UnlimitedAnswers }),
  },
  {
    name: 'read_unanswered',
    block: 'response',
    description: 'every seventh READ is overlooked until it is asked for again',
    caughtBy: ['SCB_UNANSWERED'],
    needs: ['+ACK_TIMEOUT=3'],
    create: planted({ responses: DeafToReads }),
  },
  {
    name: 'read_rest_early',
    block: 'response',
    description: 'the rest of a READ that is asked for again is taken from one packet further back in memory',
    caughtBy: ['SCB_READ_AGAIN'],
    needs: SLOW_READS,
    create: planted({ responses: LateRest }),
  },
  {
    name: 'read_forgotten',
    block: 'response',
    description: 'of the READs that it must know a responder has forgotten the oldest when that is asked for again',
    caughtBy: ['SCB_READ_FORGOTTEN'],
    needs: [...SLOW_LINK, ...READS_AT_ONCE, '+MAX_RD_ATOMIC=2'],
    create: planted({ responses: ShortMemory }),
  },
  {
    name: 'read_wrap_forgotten',
    block: 'response',
    description: 'the rest of a READ is not answered again when the PSN wraps between its start and what is asked for',
    caughtBy: ['SCB_READ_FORGOTTEN'],
    needs: [...SLOW_READS, '+PSN=0xfffffe'],
    create: planted({ responses: UnwrappedReads }),
  },
  {
    name: 'answers_last',
    block: 'response',
    description: 'the answers to READs wait as long as there is anything else to send',
    caughtBy: ['SCB_STARVED'],
    needs: [
      ...READS_AT_ONCE.filter((arg) => !/^\+(READ|WRITE|RC)_/.test(arg)),
      ...['+RC_QP_NUM=2', '+READ_WQE_NUM=1', '+WRITE_WQE_NUM=8', '+DB_NUM=1', '+SG_NUM=1', '+LINK_GBPS=10'],
      ...['+DATA_CNT=700000', '+DATA_UNIT=B', '+MTU=256'],
    ],
    create: planted({ responses: PoliteAnswers }),
  },
  {
    name: 'read_resource_missing',
    block: 'response',
    description: 'a READ is refused when it needs the last of several resources of its queue pair',
    caughtBy: ['SCB_STATUS'],
    needs: [...READS_AT_ONCE, '+MAX_RD_ATOMIC=2', '+PCIE_MEMORY_NS=20000'],
    create: planted({ responses: MissingResource }),
  },
  {
    name: 'read_refused_from_start',
    block: 'response',
    description: 'a READ that fails halfway is refused from its first packet on',
    caughtBy: ['WIRE_NAK'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=stop_midway',
      '+RC_QP_NUM=11',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
    create: planted({ responses: RefusedFromStart }),
  },
];
