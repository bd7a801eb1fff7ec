/** Bugs that can be planted in the driver of blue-rdma. */
import { DONE } from '../../../../env/verbs/done.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import type { BlueQp, Offer, Receive } from '../../driver/blueObjects.ts';
import { CommandQueue, type QpContext } from '../../driver/rings/commandQueue.ts';
import { ToCardRing } from '../../driver/rings/toCardRing.ts';
import { ToHostRing } from '../../driver/rings/toHostRing.ts';
import { chunksOf, type MessagePart } from '../../driver/tracking/messageCut.ts';
import { psnAfter } from '../../driver/tracking/psn.ts';
import { MESSAGE_KIND, type ReceivedMessage } from '../../driver/tracking/receivedMessages.ts';
import { SendList } from '../../driver/tracking/sendList.ts';
import type { SendRequest } from '../../driver/tracking/sendRequest.ts';
import { SendTracker } from '../../driver/tracking/sendTracker.ts';
import type { WindowBits } from '../../driver/tracking/windowBits.ts';
import { ChunkSender } from '../../driver/workers/chunkSender.ts';
import { ReceiveSide } from '../../driver/workers/receiveSide.ts';
import { type PacketReport, ReportReader } from '../../driver/workers/reportReader.ts';
import { RequestStarter } from '../../driver/workers/requestStarter.ts';
import { SendSide } from '../../driver/workers/sendSide.ts';
import { Timeouts } from '../../driver/workers/timeouts.ts';
import { type DriverFault, driverFaultsOf } from './driverFault.ts';
import { RAW_DRIVER_FAULTS } from './rawFaults.ts';
import { RING_AND_ACK_FAULTS } from './ringAndAckFaults.ts';
import { DRIVER_ROWS } from './rows/driverRows.ts';

/** The packet in front of the first multiple of the MTU is not counted. */
class PartialForgotten extends RequestStarter {
  protected override packetsOf(request: SendRequest, mtu: number): number {
    return request.isRead ? 1 : Math.max(1, Math.ceil(request.length / mtu));
  }
}

class EmptyUncounted extends RequestStarter {
  protected override packetsOf(request: SendRequest, mtu: number): number {
    return request.length === 0 && !request.isRead ? 0 : super.packetsOf(request, mtu);
  }
}

class FirstOfList extends RequestStarter {
  override post(qp: BlueQp, requests: readonly SendRequest[]): void {
    super.post(qp, requests.slice(0, 1));
  }
}

class NewestOffer extends RequestStarter {
  protected override takeOffer(offers: Offer[]): void {
    offers.pop();
  }
}

class FenceIgnored extends RequestStarter {
  protected override waitsForReads(): boolean {
    return false;
  }
}

class ShortFirstChunk extends RequestStarter {
  protected override chunksOf(request: SendRequest, mtu: number): MessagePart[] {
    const skip = (request.remoteLo & (mtu - 1)) === 0 ? 0 : 1;
    return chunksOf(request.remoteLo, request.length, mtu, this.chunkBytes).map((part) =>
      part.first ? part : { ...part, packet: part.packet - skip },
    );
  }
}

class TwoFirstChunks extends RequestStarter {
  protected override chunksOf(request: SendRequest, mtu: number): MessagePart[] {
    return super.chunksOf(request, mtu).map((part) => ({ ...part, first: true }));
  }
}

class LocalSideUnchecked extends RequestStarter {
  protected override localSideIsRight(): boolean {
    return true;
  }
}

class NewestReceive extends ReceiveSide {
  protected override takeReceive(qp: BlueQp): Receive | undefined {
    return qp.receives.pop();
  }
}

/** A packet that comes again begins a message of its own. */
class TwiceComplete extends ReceiveSide {
  protected override duplicate(qp: BlueQp, p: PacketReport): void {
    super.duplicate(qp, p);
    const receive = p.retry && qp.receives.length > 0 ? this.takeReceive(qp) : undefined;
    if (receive === undefined) return;
    const again = qp.messages.at(p.msn);
    again.kind = MESSAGE_KIND.send;
    again.total = p.total;
    this.parts.completions.received(qp, receive, again);
  }
}

class DuplicatesUnanswered extends ReceiveSide {
  protected override duplicate(): void {}
}

/** What comes in takes requests out of the list that is kept for sending again. */
class ListsMixed extends ReceiveSide {
  protected override deliver(qp: BlueQp, m: ReceivedMessage): void {
    super.deliver(qp, m);
    if (m.kind === MESSAGE_KIND.write && qp.list.size > 0) {
      const { oldest } = qp.list;
      if (oldest !== undefined) oldest.packets = 0;
    }
  }
}

class ReadsAnsweredTwice extends ReceiveSide {
  protected override duplicate(qp: BlueQp, p: PacketReport): void {
    super.duplicate(qp, p);
    if (p.lkey === 0 || p.opcode !== 0x0c) return;
    const again = { ...qp.messages.at(p.msn), kind: MESSAGE_KIND.readRequest, total: p.total } as ReceivedMessage;
    Object.assign(again, { vaHi: p.vaHi, vaLo: p.vaLo, key: p.rkey });
    Object.assign(again, { localHi: p.localHi, localLo: p.localLo, localKey: p.lkey });
    this.deliver(qp, again);
  }

  protected override findRead(qp: BlueQp): SendRequest | undefined {
    return qp.list.all().find((r) => r.isRead && !r.dataHere);
  }
}

class ReadsUnchecked extends ReceiveSide {
  protected override mayRead(): boolean {
    return true;
  }
}

class LengthOfLast extends ReceiveSide {
  override packet(qp: BlueQp, p: PacketReport): void {
    super.packet(qp, p);
    if (this.isOld(qp, p.msn)) return;
    const m = qp.messages.at(p.msn);
    if (m.end >= 0) m.total = p.total;
  }
}

class ImmediateLost extends ReceiveSide {
  protected override deliver(qp: BlueQp, m: ReceivedMessage): void {
    m.withImm = false;
    super.deliver(qp, m);
  }
}

/** Messages count as complete with their last packet, whatever is missing. */
class LastIsAll extends ReceiveSide {
  override packet(qp: BlueQp, p: PacketReport): void {
    super.packet(qp, p);
    if (!this.isOld(qp, p.msn) && qp.messages.at(p.msn).end >= 0)
      qp.received.received.addRange(qp.received.base, psnAfter(p.psn, 1));
  }
}

class ReadsWithoutData extends SendSide {
  protected override isComplete(qp: BlueQp, r: SendRequest): boolean {
    r.dataHere = true;
    return super.isComplete(qp, r);
  }
}

class AckIsCompletion extends SendSide {
  protected override isComplete(qp: BlueQp, r: SendRequest): boolean {
    return super.isComplete(qp, r) || (!r.isRead && qp.sent.acknowledged.has(r.psn));
  }
}

class NoEnd extends SendSide {
  override timedOut(qp: BlueQp): void {
    qp.retries = qp.retryCnt;
    super.timedOut(qp);
  }
}

class BudgetKept extends SendSide {
  protected override afterAck(qp: BlueQp, baseBefore: number): void {
    const { retries } = qp;
    super.afterAck(qp, baseBefore);
    qp.retries = retries;
  }
}

/** The unaligned start of a request is where the search begins. */
class StartMissed extends SendList {
  protected override firstAt(psn: number): number {
    const at = super.firstAt(psn);
    return this.all()[at]?.psn === psn ? at : at + 1;
  }
}

class GapsConcluded extends SendTracker {
  protected override concludes(step: number): boolean {
    return step >= 1;
  }
}

class WindowUnshifted extends ReportReader {
  protected override place(window: WindowBits, psnOfStride: number): void {
    window.first = psnOfStride;
  }
}

class AnyReportRestarts extends ReportReader {
  override work(): void {
    super.work();
    this.restartAll();
  }
}

class LongTimeouts extends Timeouts {
  protected override period(qp: BlueQp): number {
    return 4096 * super.period(qp);
  }
}

class AnyChannel extends ChunkSender {
  #turn = 0;
  protected override channelOf(_qp: BlueQp, channels: number): number {
    return this.#turn++ % channels;
  }
}

class RetryUnsaid extends ChunkSender {
  protected override saysRetry(): boolean {
    return false;
  }
}

class AcknowledgedAgain extends ChunkSender {
  protected override isReceived(): boolean {
    return false;
  }
}

class SlotKept extends ToHostRing {
  protected override zero(): void {}
}

class GuardCut extends ToCardRing {
  protected override passed(tail: number): number {
    const index = tail & (this.depth - 1);
    return (index - (this.fetched & (this.depth - 1))) & (this.depth - 1);
  }
}

class RegionsKept extends CommandQueue {
  override updateMr(...args: Parameters<CommandQueue['updateMr']>): Proc<void> {
    return args[3] === 0 ? DONE : super.updateMr(...args);
  }
}

class QueuePairsKept extends CommandQueue {
  override manageQp(context: QpContext): Proc<void> {
    return context.valid ? super.manageQp(context) : DONE;
  }
}

class FloorUnset extends CommandQueue {
  override setFloor(_qpn: number, _floor: number, ended: () => void): void {
    ended();
  }
}

export const DRIVER_FAULTS: readonly DriverFault[] = [
  ...RING_AND_ACK_FAULTS,
  ...RAW_DRIVER_FAULTS,
  ...driverFaultsOf(DRIVER_ROWS, {
    partial_packet_uncounted: { starter: PartialForgotten },
    empty_message_uncounted: { starter: EmptyUncounted },
    list_cut: { starter: FirstOfList },
    newest_offer: { starter: NewestOffer },
    fence_ignored: { starter: FenceIgnored },
    chunk_psn_of_short_first: { starter: ShortFirstChunk },
    every_chunk_first: { starter: TwoFirstChunks },
    local_side_unchecked: { starter: LocalSideUnchecked },
    receives_lifo: { receiveSide: NewestReceive },
    duplicate_completes: { receiveSide: TwiceComplete },
    duplicates_unanswered: { receiveSide: DuplicatesUnanswered },
    lists_mixed: { receiveSide: ListsMixed },
    read_answered_twice: { receiveSide: ReadsAnsweredTwice },
    read_unchecked: { receiveSide: ReadsUnchecked },
    length_of_last_packet: { receiveSide: LengthOfLast },
    immediate_lost: { receiveSide: ImmediateLost },
    last_packet_completes: { receiveSide: LastIsAll },
    read_without_data: { sendSide: ReadsWithoutData },
    first_packet_completes: { sendSide: AckIsCompletion },
    retries_without_end: { sendSide: NoEnd },
    budget_not_reset: { sendSide: BudgetKept },
    resend_start_missed: { sendList: StartMissed },
    conclusions_over_gaps: { sendTracker: GapsConcluded },
    window_unshifted: { reports: WindowUnshifted },
    any_report_restarts_timer: { reports: AnyReportRestarts },
    timeout_too_long: { timeouts: LongTimeouts },
    channels_share_queue_pairs: { chunks: AnyChannel },
    driver_retry_unsaid: { chunks: RetryUnsaid },
    acknowledged_again: { chunks: AcknowledgedAgain },
    slots_not_zeroed: { toHostRing: SlotKept },
    driver_guard_lost: { toCardRing: GuardCut },
    dereg_untold: { commands: RegionsKept },
    destroy_untold: { commands: QueuePairsKept },
    floor_unset: { commands: FloorUnset },
  }),
];
