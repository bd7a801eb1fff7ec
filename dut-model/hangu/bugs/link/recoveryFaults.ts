/** Bugs of a requester that recovers from losses. */
import { SYNDROME } from '../../../../rdma/bth.ts';
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import type { PacketJob, QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { RequesterReceive } from '../../model/transport/requesterReceive.ts';
import { RequestPackets } from '../../model/transport/requestPackets.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { swap32 } from '../../../roce/endian.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { type Fault, planted } from '../fault.ts';
import { readsUnderFaults, shortUnderFaults, underFaults } from './linkStimulus.ts';

/** Goes on counting retries after progress. */
class UnforgivingCount extends SendCompletion {
  override progress(slot: QpSlot, una: number): void {
    const { retries } = slot;
    super.progress(slot, una);
    slot.retries = retries;
  }
}

/** Begins to count retries anew whenever its peer is not ready. */
class ForgivingCount extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    super.receiverNotReady(slot, c, psn, delayPs);
    slot.retries = 0;
  }
}

/** Says that a request was done which it has given up. */
class Optimist extends SendCompletion {
  override fail(slot: QpSlot, c: number, syndrome: number): void {
    super.fail(slot, c, syndrome === CQE_SYNDROME.retryExceeded ? 0 : syndrome);
  }
}

/** Asks for a READ from its start when an answer is missing in the middle; not when nothing has come for long. */
class WholeReads extends SendCompletion {
  #timedOut = false;

  override timeout(slot: QpSlot, c: number): void {
    this.#timedOut = true;
    super.timeout(slot, c);
    this.#timedOut = false;
  }

  override retry(slot: QpSlot, c: number, psn: number): void {
    const r = slot.head;
    const isRest = r !== null && r.opcode === WQE_OPCODE.read && psnCmp(psn, r.firstPsn) > 0;
    super.retry(slot, c, isRest && !this.#timedOut ? r.firstPsn : psn);
  }
}

/** Asks for the rest of a READ with the length of all of it. */
class LongRest extends RequestPackets {
  override readRequest(j: PacketJob, slot: QpSlot, c: number, r: SendRequest): void {
    super.readRequest(j, slot, c, r);
    if (r.readBase > 0) this.core.bytes.i32[(j.at - 4) >> 2] = swap32(r.length);
  }
}

/** Waits for answers to what it sends for the first time only. */
class TimerOnce extends Requester {
  override restartTimer(slot: QpSlot): void {
    if (slot.retries === 0) super.restartTimer(slot);
  }
}

/** Counts no READs that it asks for again. */
class FreeReads extends Requester {
  override goBack(slot: QpSlot, psn: number): void {
    super.goBack(slot, psn);
    slot.reads = -1;
  }
}

/** Lets what is sent again overtake READs that it is fenced against. */
class FenceOnce extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const { fence } = r;
    if (slot.retries > 0) r.fence = false;
    const may = super.mayTransmit(slot, c, r);
    r.fence = fence;
    return may;
  }
}

/** Does something else with NAKs for a gap. */
abstract class OtherNaks extends RequesterReceive {
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    if (p.syndrome === SYNDROME.nakSequence) this.gap(slot, c, p);
    else super.acknowledge(slot, c, p);
  }

  protected abstract gap(slot: QpSlot, c: number, p: RxPacket): void;

  protected rightly(slot: QpSlot, c: number, p: RxPacket): void {
    super.acknowledge(slot, c, p);
  }
}

/** Waits for its timer instead. */
class DeafToNaks extends OtherNaks {
  protected override gap(): void {}
}

/** Takes one for an acknowledgement. */
class NakAsAck extends OtherNaks {
  protected override gap(slot: QpSlot, c: number, p: RxPacket): void {
    this.acknowledged(slot, c, p.psn);
  }
}

/** Obeys one twice: once more when it has begun to send again. */
class NakAgain extends OtherNaks {
  readonly #goBack: (slot: QpSlot, psn: number) => void;

  constructor(...parts: ConstructorParameters<typeof RequesterReceive>) {
    super(...parts);
    const [, requester] = parts;
    this.#goBack = (slot, psn) => requester.goBack(slot, psn);
  }

  protected override gap(slot: QpSlot, c: number, p: RxPacket): void {
    this.rightly(slot, c, p);
    const { psn } = p;
    const again = {
      fullName: `${this.core.name}.again`,
      fire: (): void => {
        if (slot.retrying && slot.retryPsn === psn && slot.head !== null) this.#goBack(slot, psn);
      },
    };
    if (slot.retrying) this.core.scheduler.schedule(LITTLE_LATER, again, 0);
  }
}

/** Sends again from the packet behind the one that is missing. */
class NakBehind extends OtherNaks {
  readonly #goBack: (slot: QpSlot, psn: number) => void;

  constructor(...parts: ConstructorParameters<typeof RequesterReceive>) {
    super(...parts);
    const [, requester] = parts;
    this.#goBack = (slot, psn) => requester.goBack(slot, psn);
  }

  protected override gap(slot: QpSlot, c: number, p: RxPacket): void {
    this.rightly(slot, c, p);
    const next = psnAdd(p.psn, 1);
    const outstanding = psnCmp(next, this.core.bytes.i32[c + QPC_DW.nextPsn] as number) < 0;
    if (slot.retrying && outstanding) this.#goBack(slot, next);
  }
}

/** Sends again from an acknowledgement that is older than what it knows. */
class StaleAck extends RequesterReceive {
  readonly #goBack: (slot: QpSlot, psn: number) => void;

  constructor(...parts: ConstructorParameters<typeof RequesterReceive>) {
    super(...parts);
    const [, requester] = parts;
    this.#goBack = (slot, psn) => requester.goBack(slot, psn);
  }

  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.contextOf(slot, p);
    const una = c < 0 ? 0 : (this.core.bytes.i32[c + QPC_DW.unaPsn] as number);
    const stale = c >= 0 && p.stage === 0 && p.syndrome < SYNDROME.rnr && psnCmp(p.psn, una) < -1;
    if (stale && slot.head !== null && slot.head.opcode !== WQE_OPCODE.read) this.#goBack(slot, una);
    return super.handle(slot, p);
  }
}

/** An acknowledgement for several requests ends the oldest of them only. */
class OneByOne extends RequesterReceive {
  protected override acknowledged(slot: QpSlot, c: number, psn: number, implied = false): void {
    const r = slot.head;
    const behind = r !== null && r.firstPsn >= 0 && r.opcode !== WQE_OPCODE.read && psnCmp(r.lastPsn, psn) < 0;
    super.acknowledged(slot, c, behind ? r.lastPsn : psn, implied);
  }
}

/** Takes an answer with data though the one before it is missing. */
class ReadGap extends RequesterReceive {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.contextOf(slot, p);
    const r = slot.head;
    const isData = (p.opcode & 31) >= 0x0d && (p.opcode & 31) <= 0x10;
    if (c >= 0 && p.stage === 0 && isData && r !== null && r.opcode === WQE_OPCODE.read && r.firstPsn >= 0) {
      const w = this.core.bytes.i32;
      const ahead = psnCmp(p.psn, w[c + QPC_DW.unaPsn] as number) > 0;
      if (ahead && psnCmp(p.psn, r.lastPsn) < 0 && psnCmp(p.psn, r.firstPsn) > 0) w[c + QPC_DW.unaPsn] = p.psn;
    }
    return super.handle(slot, p);
  }
}

/** Sending again has begun, and no answer has come (ps). */
const LITTLE_LATER = 800_000;
const LOST = '+NET_FAULT=drop opcode=send,write every=9';
const ACK_LOST = '+NET_FAULT=drop opcode=ack every=3';
const ANSWER_LOST = '+NET_FAULT=drop opcode=read_response_middle every=5';

export const RECOVERY_FAULTS: readonly Fault[] = [
  {
    name: 'retries_kept',
    block: 'send completion',
    description: 'retries are counted on after progress, until there are none left',
    caughtBy: ['SCB_STATUS'],
    needs: underFaults('+RETRY_CNT=5', LOST),
    create: planted({ sendCompletion: UnforgivingCount }),
  },
  {
    name: 'retries_reloaded_by_rnr',
    block: 'send completion',
    description: 'an RNR NAK reloads the retries for want of an answer, so that both in turn never end',
    caughtBy: ['WIRE_RETRY'],
    needs: [
      ...['+UVM_TESTNAME=test_random_verbs', '+RC_QP_NUM=3', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=2'],
      ...[
        '+ACK_TIMEOUT=3',
        '+RETRY_CNT=1',
        '+RNR_RETRY=7',
        '+MIN_RNR_TIMER=1',
        '+LOSS_PCT=30',
        '+DRAW_KNOBS=0',
        '+DRAW_WIDE=0',
      ],
      ...['--seed', '42'],
    ],
    create: planted({ sendCompletion: ForgivingCount }),
  },
  {
    name: 'retry_exceeded_success',
    block: 'send completion',
    description: 'a request that is given up for want of an answer completes with success',
    caughtBy: ['SCB_STATUS', 'SCB_DATA', 'SCB_EARLY'],
    needs: shortUnderFaults('+RETRY_CNT=1', '+NET_FAULT=drop host=0 opcode=send,write nth=3..999'),
    create: planted({ sendCompletion: Optimist }),
  },
  {
    name: 'read_gap_from_start',
    block: 'send completion',
    description: 'a READ of which an answer is missing is asked for from its start',
    caughtBy: ['WIRE_RETRY'],
    needs: readsUnderFaults(ANSWER_LOST),
    create: planted({ sendCompletion: WholeReads }),
  },
  {
    name: 'read_rest_long',
    block: 'request packets',
    description: 'the rest of a READ is asked for with the length of all of it',
    caughtBy: ['WIRE_RETRY'],
    needs: readsUnderFaults(ANSWER_LOST),
    create: planted({ requestPackets: LongRest }),
  },
  {
    name: 'retry_without_timer',
    block: 'requester',
    description: 'nobody waits for answers to what is sent again',
    caughtBy: ['SCB_STUCK'],
    needs: shortUnderFaults(
      '+NET_FAULT=drop opcode=send,write every=5; drop opcode=send,write transmission=retransmission nth=1..20',
    ),
    create: planted({ requester: TimerOnce }),
  },
  {
    name: 'retry_reads_uncounted',
    block: 'requester',
    description: 'after a loss one READ more is outstanding than is allowed',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: readsUnderFaults('+MAX_RD_ATOMIC=2', '+NET_FAULT=drop opcode=read_request every=3'),
    create: planted({ requester: FreeReads }),
  },
  {
    name: 'retry_unfenced',
    block: 'requester',
    description: 'what is sent again does not wait for READs that it is fenced against',
    caughtBy: ['SCB_FENCE'],
    needs: underFaults('+FENCE=100', ANSWER_LOST),
    create: planted({ requester: FenceOnce }),
  },
  {
    name: 'nak_ignored',
    block: 'requester',
    description: 'a NAK for a gap is ignored, and the gap is there until the time-out',
    caughtBy: ['WIRE_UNPROVOKED', 'WIRE_NAK_IGNORED'],
    needs: underFaults(LOST),
    create: planted({ requesterReceive: DeafToNaks }),
  },
  {
    name: 'nak_acknowledges',
    block: 'requester',
    description: 'a NAK for a gap acknowledges the packet that it names',
    caughtBy: ['SCB_DATA', 'SCB_EARLY'],
    needs: shortUnderFaults(LOST),
    create: planted({ requesterReceive: NakAsAck }),
  },
  {
    name: 'nak_obeyed_twice',
    block: 'requester',
    description: 'a NAK for a gap has everything sent again twice',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: underFaults(LOST),
    create: planted({ requesterReceive: NakAgain }),
  },
  {
    name: 'nak_goes_behind',
    block: 'requester',
    description: 'after a NAK for a gap what is sent again begins behind the packet that is missing',
    caughtBy: ['WIRE_RETRY'],
    needs: underFaults(LOST),
    create: planted({ requesterReceive: NakBehind }),
  },
  {
    name: 'stale_ack_obeyed',
    block: 'requester',
    description: 'an acknowledgement that is older than what is known has everything sent again',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: shortUnderFaults('+NET_FAULT=duplicate opcode=ack every=2 after=1us'),
    create: planted({ requesterReceive: StaleAck }),
  },
  {
    name: 'ack_ends_one',
    block: 'requester',
    description: 'an acknowledgement for several requests ends the oldest of them only',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: shortUnderFaults(ACK_LOST),
    create: planted({ requesterReceive: OneByOne }),
  },
  {
    name: 'read_gap_taken',
    block: 'requester',
    description: 'an answer with data is taken though the one before it is missing',
    caughtBy: ['SCB_DATA'],
    needs: readsUnderFaults(ANSWER_LOST),
    create: planted({ requesterReceive: ReadGap }),
  },
];
