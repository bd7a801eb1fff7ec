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
import type { DriverFault } from './driverFault.ts';
import { RING_AND_ACK_FAULTS } from './ringAndAckFaults.ts';

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
  {
    name: 'partial_packet_uncounted',
    part: 'rdma-write worker',
    description: 'PSNs are reserved without the short packet in front of an unaligned message',
    breaks: ['B-007', 'B-008'],
    caughtBy: ['BLUE_RETRY', 'SCB_DATA'],
    parts: { starter: PartialForgotten },
  },
  {
    name: 'empty_message_uncounted',
    part: 'rdma-write worker',
    description: 'a message without bytes reserves no PSN',
    breaks: ['B-007', 'B-008'],
    caughtBy: ['BLUE_RETRY'],
    needs: ['+DATA_CNT=0', '+LOSS_PCT=10', '+RC_QP_NUM=2', '+STALL_TIME=1s'],
    parts: { starter: EmptyUncounted },
  },
  {
    name: 'list_cut',
    part: 'rdma-write worker',
    description: 'of several requests posted at once only the first is sent',
    breaks: ['B-026'],
    caughtBy: ['SCB_STUCK'],
    parts: { starter: FirstOfList },
  },
  {
    name: 'newest_offer',
    part: 'rdma-write worker',
    description: 'the oldest buffer that was offered is used, and the newest one forgotten',
    breaks: ['B-027'],
    caughtBy: ['SCB_DATA'],
    parts: { starter: NewestOffer },
  },
  {
    name: 'fence_ignored',
    part: 'rdma-write worker',
    description: 'fenced requests do not wait for READs',
    breaks: ['B-028'],
    parts: { starter: FenceIgnored },
  },
  {
    name: 'chunk_psn_of_short_first',
    part: 'rdma-write worker',
    description: 'chunks behind a short first one begin a PSN too early',
    breaks: ['B-009'],
    caughtBy: ['BLUE_RETRY'],
    needs: ['+DATA_CNT=131072', '+RC_QP_NUM=2'],
    parts: { starter: ShortFirstChunk },
  },
  {
    name: 'every_chunk_first',
    part: 'rdma-write worker',
    description: 'every chunk of a message is said to be the first',
    breaks: ['B-009'],
    caughtBy: ['BLUE_MSN'],
    needs: ['+DATA_CNT=131072', '+RC_QP_NUM=2'],
    parts: { starter: TwoFirstChunks },
  },
  {
    name: 'local_side_unchecked',
    part: 'rdma-write worker',
    description: 'the local side of requests is not held against its region',
    breaks: ['B-014'],
    parts: { starter: LocalSideUnchecked },
  },
  {
    name: 'receives_lifo',
    part: 'completion worker',
    description: 'messages take the newest receive',
    breaks: ['B-026', 'B-027'],
    caughtBy: ['SCB_ORDER'],
    parts: { receiveSide: NewestReceive },
  },
  {
    name: 'duplicate_completes',
    part: 'completion worker',
    description: 'a packet of a complete message that comes again takes another receive',
    breaks: ['B-022', 'B-026'],
    caughtBy: ['SCB_BYTE_LEN'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { receiveSide: TwiceComplete },
  },
  {
    name: 'duplicates_unanswered',
    part: 'completion worker',
    description: 'a message that comes again is not acknowledged again',
    breaks: ['B-022'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=0', '+LOSS_PCT=10', '+RC_QP_NUM=2', '+STALL_TIME=1s'],
    parts: { receiveSide: DuplicatesUnanswered },
  },
  {
    name: 'lists_mixed',
    part: 'completion worker',
    description: 'a received WRITE completes a request of the send queue',
    breaks: ['B-022'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { receiveSide: ListsMixed },
  },
  {
    name: 'read_answered_twice',
    part: 'completion worker',
    description: 'READ requests that come again are answered again, and answers belong to the oldest READ',
    breaks: ['B-028'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { receiveSide: ReadsAnsweredTwice },
  },
  {
    name: 'read_unchecked',
    part: 'completion worker',
    description: 'READs are answered whatever the region allows',
    breaks: ['B-028'],
    parts: { receiveSide: ReadsUnchecked },
  },
  {
    name: 'length_of_last_packet',
    part: 'completion worker',
    description: 'completions report the bytes of the last packet',
    breaks: ['B-026'],
    caughtBy: ['SCB_BYTE_LEN'],
    parts: { receiveSide: LengthOfLast },
  },
  {
    name: 'immediate_lost',
    part: 'completion worker',
    description: 'completions have no immediate',
    breaks: ['B-026'],
    caughtBy: ['SCB_IMM'],
    parts: { receiveSide: ImmediateLost },
  },
  {
    name: 'last_packet_completes',
    part: 'completion worker',
    description: 'messages are complete with their last packet, whatever is missing',
    breaks: ['B-022', 'B-026'],
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { receiveSide: LastIsAll },
  },
  {
    name: 'read_without_data',
    part: 'completion worker',
    description: 'READs complete when their request is acknowledged',
    breaks: ['B-028'],
    caughtBy: ['SCB_DATA'],
    parts: { sendSide: ReadsWithoutData },
  },
  {
    name: 'first_packet_completes',
    part: 'completion worker',
    description: 'requests complete when their first packet is acknowledged',
    breaks: ['B-026'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { sendSide: AckIsCompletion },
  },
  {
    name: 'retries_without_end',
    part: 'timeout worker',
    description: 'the budget of time-outs never ends',
    breaks: ['B-025'],
    caughtBy: ['SCB_STUCK'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=narrow_regions', '+RC_QP_NUM=6'],
    parts: { sendSide: NoEnd },
  },
  {
    name: 'budget_not_reset',
    part: 'timeout worker',
    description: 'progress gives no time-outs back',
    breaks: ['B-024'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=64', '+DB_NUM=10', '+RC_QP_NUM=2', '+LOSS_PCT=8', '+RETRY_CNT=5', '+STALL_TIME=1s'],
    parts: { sendSide: BudgetKept },
  },
  {
    name: 'resend_start_missed',
    part: 'retransmit worker',
    description: 'a request that begins before the packets to be sent again is not found',
    breaks: ['B-021', 'B-022'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { sendList: StartMissed },
  },
  {
    name: 'conclusions_over_gaps',
    part: 'retransmit worker',
    description: 'packets count as received although a report of a loss is missing',
    breaks: ['B-022'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { sendTracker: GapsConcluded },
  },
  {
    name: 'window_unshifted',
    part: 'meta-report worker',
    description: 'bitmaps are taken to begin at the PSN that reports carry',
    breaks: ['B-016', 'B-021'],
    caughtBy: ['SCB_DATA'],
    parts: { reports: WindowUnshifted },
  },
  {
    name: 'any_report_restarts_timer',
    part: 'meta-report worker',
    description: 'every report starts all timers anew',
    breaks: ['B-024'],
    parts: { reports: AnyReportRestarts },
  },
  {
    name: 'timeout_too_long',
    part: 'timeout worker',
    description: 'time-outs last 4096 times as long',
    breaks: ['B-023'],
    caughtBy: ['SCB_STUCK'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { timeouts: LongTimeouts },
  },
  {
    name: 'channels_share_queue_pairs',
    part: 'send worker',
    description: 'chunks of a queue pair go to all channels by turns',
    breaks: ['B-017'],
    caughtBy: ['BLUE_PSN'],
    needs: ['+DATA_CNT=40000', '+MTU=256', '+NIC_CHANNELS=4', '+RC_QP_NUM=2', '+REORDER_PCT=5', '+STALL_TIME=1s'],
    parts: { chunks: AnyChannel },
  },
  {
    name: 'driver_retry_unsaid',
    part: 'send worker',
    description: 'descriptors do not say that a packet is sent again',
    breaks: ['B-021', 'B-022'],
    caughtBy: ['BLUE_RETRY'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { chunks: RetryUnsaid },
  },
  {
    name: 'acknowledged_again',
    part: 'send worker',
    description: 'what is acknowledged while it waits for room in the ring is sent again all the same',
    breaks: ['B-021'],
    caughtBy: ['BLUE_NEEDLESS'],
    needs: [
      '+DATA_CNT=777',
      '+RC_QP_NUM=16',
      '+NIC_RING_DEPTH=16',
      '+NIC_SEND_CYCLES=1000',
      '+ACK_TIMEOUT=3',
      '+STALL_TIME=1s',
    ],
    parts: { chunks: AcknowledgedAgain },
  },
  {
    name: 'slots_not_zeroed',
    part: 'rings',
    description: 'descriptors stay in their slots after they were taken',
    breaks: ['B-002', 'B-003'],
    caughtBy: ['HCA_CMD_STATUS'],
    needs: ['+DATA_CNT=40', '+NIC_RING_DEPTH=16', '+NIC_REACTION_NS=50000', '+DB_NUM=4'],
    parts: { toHostRing: SlotKept },
  },
  {
    name: 'driver_guard_lost',
    part: 'rings',
    description: 'the guard bit is cut off the pointers of the NIC',
    breaks: ['B-002'],
    parts: { toCardRing: GuardCut },
  },
  {
    name: 'dereg_untold',
    part: 'commands',
    description: 'the NIC is not told that a region is gone',
    breaks: ['B-015'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=old_keys', '+RC_QP_NUM=6'],
    parts: { commands: RegionsKept },
  },
  {
    name: 'destroy_untold',
    part: 'commands',
    description: 'the NIC is not told that a queue pair is gone',
    breaks: ['B-015'],
    caughtBy: ['SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '+DRAW_FAULTS=1', '--seed', '1'],
    parts: { commands: QueuePairsKept },
  },
  {
    name: 'floor_unset',
    part: 'commands',
    description: 'the NIC is not told to discard what comes again',
    breaks: ['B-020'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    parts: { commands: FloorUnset },
  },
];
