/** Bugs of what a requester sends again. */
import { SEND_DB, WQE_OPCODE } from '../../layout/queues.ts';
import { Gather } from '../../model/memory/gather.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { qpMtu } from '../../model/qpContext.ts';
import type { PacketJob, QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { swap32 } from '../../../roce/endian.ts';
import { psnCmp } from '../../../roce/psn.ts';
import { Requester } from '../../model/transport/requester.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { RETRY_ROWS } from './rows/retryRows.ts';

/** Changes frames of requests, just before they are closed, that are not sent for the first time. */
abstract class ChangingGather extends Gather {
  readonly #newest = new Map<QpSlot, number>();

  override send(j: PacketJob): void {
    const r = j.request;
    if (!j.response && r !== null) {
      const newest = this.#newest.get(j.slot);
      if (newest !== undefined && psnCmp(j.psn, newest) <= 0) this.change(j, r);
      else this.#newest.set(j.slot, r.opcode === WQE_OPCODE.read ? r.lastPsn : j.psn);
    }
    super.send(j);
  }

  protected abstract change(j: PacketJob, r: SendRequest): void;
}

class OtherPayload extends ChangingGather {
  protected override change(j: PacketJob, r: SendRequest): void {
    const { u8 } = this.core.bytes;
    if (r.opcode !== WQE_OPCODE.read && r.length > 0) u8[j.end - 1] = (u8[j.end - 1] as number) ^ 1;
  }
}

/** Counts the address of a READ that is asked for in part from its start. */
class StartAddress extends ChangingGather {
  protected override change(j: PacketJob, r: SendRequest): void {
    if (r.opcode === WQE_OPCODE.read && r.readBase > 0) this.core.bytes.i32[(j.end - 12) >> 2] = swap32(r.remoteLo);
  }
}

/** Begins with the first packet of the message that a packet belongs to. */
class MessageStart extends Requester {
  override goBack(slot: QpSlot, psn: number): void {
    let r = slot.head;
    while (r !== null && r.firstPsn >= 0 && psnCmp(r.lastPsn, psn) < 0) r = r.next;
    super.goBack(slot, r !== null && r.firstPsn >= 0 && psnCmp(r.firstPsn, psn) < 0 ? r.firstPsn : psn);
  }
}

/** Goes back to the packet behind the oldest without an answer when its time-out has expired. */
class SkippingTimer extends SendCompletion {
  override timeout(slot: QpSlot, c: number): void {
    const r = slot.head;
    if (r !== null && r.opcode !== WQE_OPCODE.read && r.packets > 1) {
      slot.timeoutDue = false;
      this.retry(slot, c, r.lastPsn);
    } else super.timeout(slot, c);
  }
}

/** Goes back to the first packet of the oldest request, of which some were answered, when its time-out has expired. */
class ForgetfulTimer extends SendCompletion {
  override timeout(slot: QpSlot, c: number): void {
    const r = slot.head;
    if (r !== null && r.firstPsn >= 0) {
      slot.timeoutDue = false;
      this.retry(slot, c, r.firstPsn);
    } else super.timeout(slot, c);
  }
}

/** Counts every retry twice. */
class Despondent extends SendCompletion {
  override retry(slot: QpSlot, c: number, psn: number): void {
    slot.retries++;
    super.retry(slot, c, psn);
  }
}

/** Waits for an answer fifty times as long as it was told. */
class SlowTimer extends Requester {
  override restartTimer(slot: QpSlot): void {
    const told = slot.timeoutPs;
    slot.timeoutPs = told * 50;
    super.restartTimer(slot);
    slot.timeoutPs = told;
  }
}

/** Waits for the end of a time-out that is running, also when a shorter one begins. */
class StaleTimer extends Requester {
  override restartTimer(slot: QpSlot): void {
    const { timerAt } = slot;
    if (timerAt === 0) super.restartTimer(slot);
    else slot.deadline = this.core.scheduler.now + slot.timeoutPs;
  }
}

/** Does not count refusals. */
class Untiring extends SendCompletion {
  override receiverNotReady(...refusal: Parameters<SendCompletion['receiverNotReady']>): void {
    refusal[0].rnrRetries = 0;
    super.receiverNotReady(...refusal);
  }
}

/** Takes a doorbell for a reason to send, also while the receiver of the queue pair is not ready. */
class AwakenedNic extends HanguNic {
  override sendDoorbell(dw0: number, dw1: number): void {
    this.core.slot(dw1 >>> SEND_DB.qpnShift).rnrWait = false;
    super.sendDoorbell(dw0, dw1);
  }
}

/** Gives what is sent again another R_Key and other immediate data. */
class OtherHeaders extends Requester {
  override goBack(slot: QpSlot, psn: number): void {
    super.goBack(slot, psn);
    const r = slot.cursor;
    if (r === null || r.opcode === WQE_OPCODE.read) return;
    r.rkey ^= 1;
    r.imm ^= 0x100;
  }
}

/** Places the rest of a READ, when it asks for that again, from the start of its list. */
class RestAtStart extends Requester {
  override goBack(slot: QpSlot, psn: number): void {
    super.goBack(slot, psn);
    const r = slot.cursor;
    if (r === null || r.opcode !== WQE_OPCODE.read || slot.cursorPacket === 0) return;
    r.sge = 0;
    r.sgeDone = 0;
  }
}

/** Begins one entry too late when it sends a packet again that begins with an entry. */
class LateEntry extends Requester {
  readonly #again = new Set<QpSlot>();
  override goBack(slot: QpSlot, psn: number): void {
    super.goBack(slot, psn);
    if (slot.cursorPacket > 0 && slot.cursor?.opcode !== WQE_OPCODE.read) this.#again.add(slot);
  }
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const may = super.mayTransmit(slot, c, r);
    if (may && this.#again.delete(slot)) this.#skip(r, slot.cursorPacket, qpMtu(this.core.bytes.i32, c));
    return may;
  }

  #skip(r: SendRequest, packet: number, mtu: number): void {
    const w = this.core.bytes.i32;
    let sge = 0;
    let offset = packet * mtu;
    while (offset > 0) offset -= w[r.segments + sge++ * 4] as number;
    if (offset < 0) return;
    r.sge = sge + 1;
    r.sgeDone = 0;
    r.sgePacket = packet;
  }
}

export const RETRY_FAULTS = faultsOf(RETRY_ROWS, {
  ack_timer_slow: planted({ requester: SlowTimer }),
  ack_timer_stale: planted({ requester: StaleTimer }),
  rnr_wait_cut: (c, k) => new AwakenedNic(c, k),
  retry_other_payload: planted({ gather: OtherPayload }),
  retry_other_headers: planted({ requester: OtherHeaders }),
  retry_read_address: planted({ gather: StartAddress }),
  retry_message_start: planted({ requester: MessageStart }),
  timeout_skips_oldest: planted({ sendCompletion: SkippingTimer }),
  timeout_message_start: planted({ sendCompletion: ForgetfulTimer }),
  gives_up_early: planted({ sendCompletion: Despondent }),
  rnr_never_gives_up: planted({ sendCompletion: Untiring }),
  read_rest_at_start: planted({ requester: RestAtStart }),
  resent_entry_skipped: planted({ requester: LateEntry }),
});
