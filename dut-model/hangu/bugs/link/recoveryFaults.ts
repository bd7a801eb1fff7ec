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
import { faultsOf, planted } from '../fault.ts';
import { RECOVERY_ROWS } from './rows/recoveryRows.ts';

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

export const RECOVERY_FAULTS = faultsOf(RECOVERY_ROWS, {
  retries_kept: planted({ sendCompletion: UnforgivingCount }),
  retries_reloaded_by_rnr: planted({ sendCompletion: ForgivingCount }),
  retry_exceeded_success: planted({ sendCompletion: Optimist }),
  read_gap_from_start: planted({ sendCompletion: WholeReads }),
  read_rest_long: planted({ requestPackets: LongRest }),
  retry_without_timer: planted({ requester: TimerOnce }),
  retry_reads_uncounted: planted({ requester: FreeReads }),
  retry_unfenced: planted({ requester: FenceOnce }),
  nak_ignored: planted({ requesterReceive: DeafToNaks }),
  nak_acknowledges: planted({ requesterReceive: NakAsAck }),
  nak_obeyed_twice: planted({ requesterReceive: NakAgain }),
  nak_goes_behind: planted({ requesterReceive: NakBehind }),
  stale_ack_obeyed: planted({ requesterReceive: StaleAck }),
  ack_ends_one: planted({ requesterReceive: OneByOne }),
  read_gap_taken: planted({ requesterReceive: ReadGap }),
});
