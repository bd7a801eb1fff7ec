/** Bugs in the receive pipeline: sorting, checks, payload and reports. */
import { INDEX_SHIFT } from '../layout/limits.ts';
import { PACKET_REPORT } from '../layout/descriptors.ts';
import { ETHERTYPE_IPV4 } from '../../roce/frameLayout.ts';
import { MacReceiver } from '../model/macReceiver.ts';
import { PacketChecks } from '../model/packetChecks.ts';
import { PACKET_KIND, be16, type ReceivedPacket } from '../model/receivedPacket.ts';
import { ReceiveUnit } from '../model/receiveUnit.ts';
import { RawUnit } from '../model/rawUnit.ts';
import { Reports } from '../model/reports.ts';
import type { BlueFault } from './blueFault.ts';

class ArpDropped extends MacReceiver {
  protected override sort(m: Uint8Array, at: number, length: number): ReturnType<MacReceiver['sort']> {
    const isIp = be16(m, at + 12) === ETHERTYPE_IPV4;
    return isIp || !this.core.ready ? super.sort(m, at, length) : 'discarded';
  }
}

class Promiscuous extends MacReceiver {
  protected override sort(m: Uint8Array, at: number, length: number): ReturnType<MacReceiver['sort']> {
    const where = super.sort(m, at, length);
    return where === 'discarded' ? 'rdma' : where;
  }
}

class AlwaysReady extends MacReceiver {
  protected override sort(m: Uint8Array, at: number, length: number): ReturnType<MacReceiver['sort']> {
    const where = super.sort(m, at, length);
    return where === 'notReady' ? 'rdma' : where;
  }
}

class DamagedTaken extends MacReceiver {
  protected override isDamaged(): boolean {
    return false;
  }
}

class SlotsAtZero extends RawUnit {
  override setSlots(): void {
    super.setSlots(0, 0x1000);
  }
}

class QpnUnchecked extends PacketChecks {
  protected override knownQp(index: number): boolean {
    return this.qps.valid[index] === 1;
  }
}

class ErrorIgnored extends PacketChecks {
  protected override knownQp(index: number, p: ReceivedPacket): boolean {
    return this.qps.find(p.destQpn) === index;
  }
}

class QpAccessUnchecked extends PacketChecks {
  protected override qpAllows(): boolean {
    return true;
  }
}

class MrAccessUnchecked extends PacketChecks {
  protected override mrAccess(): number {
    return 0;
  }
}

class LengthUnchecked extends PacketChecks {
  protected override fits(): boolean {
    return true;
  }
}

class FloorIgnored extends ReceiveUnit {
  protected override belowFloor(): boolean {
    return false;
  }
}

class RetriesUnreported extends ReceiveUnit {
  protected override isReported(p: ReceivedPacket): boolean {
    return p.first || p.last;
  }
}

class FirstsUnreported extends ReceiveUnit {
  protected override isReported(p: ReceivedPacket): boolean {
    return p.last || p.retry;
  }
}

/** Reports go ahead; the payload follows when the next packet comes. */
class ReportFirst extends ReceiveUnit {
  #late: (() => void) | null = null;
  protected override writePayload(p: ReceivedPacket, block: number): void {
    this.#late?.();
    this.#late = null;
    if (!p.last) {
      super.writePayload(p, block);
      return;
    }
    const kept = Object.assign(Object.create(Object.getPrototypeOf(p) as object) as ReceivedPacket, p);
    this.core.blocks.retain(block);
    const write = (): void => super.writePayload(kept, block);
    this.core.scheduler.schedule(20_000_000, {
      fire: () => {
        write();
        this.core.blocks.release(block);
      },
    });
  }
}

class ShortPayload extends ReceiveUnit {
  protected override writePayload(p: ReceivedPacket, block: number): void {
    const { bytes } = p;
    if ((bytes & 3) !== 0 && bytes > 4) p.bytes = bytes & ~3;
    super.writePayload(p, block);
    p.bytes = bytes;
  }
}

class FlagLost extends Reports {
  protected override flagsOf(p: ReceivedPacket): number {
    return super.flagsOf(p) & ~PACKET_REPORT.ackRequest;
  }
}

class RetryFlagLost extends Reports {
  protected override flagsOf(p: ReceivedPacket): number {
    return super.flagsOf(p) & ~PACKET_REPORT.retry;
  }
}

class ImmSwapped extends Reports {
  protected override immOf(p: ReceivedPacket): number {
    return (p.imm << 16) | (p.imm >>> 16);
  }
}

class ReadRightUnchecked extends PacketChecks {
  protected override qpAllows(index: number, p: ReceivedPacket): boolean {
    return p.kind === PACKET_KIND.readRequest || super.qpAllows(index, p);
  }
}

/** The queue pair of a failed check is taken for another one. */
class WrongChannel extends Reports {
  override packet(p: ReceivedPacket): void {
    const { destQpn } = p;
    if ((p.psn & 15) === 3) p.destQpn = destQpn ^ (1 << INDEX_SHIFT);
    super.packet(p);
    p.destQpn = destQpn;
  }
}

export const RECEIVE_FAULTS: readonly BlueFault[] = [
  {
    name: 'arp_dropped',
    block: 'MAC',
    description: 'frames that are not IPv4 are dropped',
    breaks: ['B-011', 'B-030'],
    blocks: { mac: ArpDropped },
  },
  {
    name: 'foreign_frames_taken',
    block: 'MAC',
    description: 'frames for other addresses reach the RDMA path',
    breaks: ['B-011'],
    blocks: { mac: Promiscuous },
  },
  {
    name: 'frames_before_ready',
    block: 'MAC',
    description: 'frames are taken before the network parameters are set',
    breaks: ['B-011'],
    blocks: { mac: AlwaysReady },
  },
  {
    name: 'damaged_frames_taken',
    block: 'MAC',
    description: 'frames with a wrong check sequence are taken',
    breaks: ['B-011'],
    caughtBy: ['BLUE_REPORT', 'SCB_DATA', 'BLUE_ACK'],
    needs: ['+CORRUPT_PCT=10', '+STALL_TIME=1s'],
    blocks: { mac: DamagedTaken },
  },
  {
    name: 'raw_slots_at_zero',
    block: 'simple NIC',
    description: 'raw frames are written near address 0, whatever base was set',
    breaks: ['B-030'],
    blocks: { raw: SlotsAtZero },
  },
  {
    name: 'qp_key_unchecked',
    block: 'receive checks',
    description: 'the lower eight bits of queue pair numbers are not compared',
    breaks: ['B-013', 'B-015'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '--seed', '3'],
    blocks: { checks: QpnUnchecked },
  },
  {
    name: 'qp_error_ignored',
    block: 'receive checks',
    description: 'a queue pair in error takes packets',
    breaks: ['B-013'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '--seed', '3'],
    blocks: { checks: ErrorIgnored },
  },
  {
    name: 'qp_access_unchecked',
    block: 'receive checks',
    description: 'the rights of queue pairs are not compared',
    breaks: ['B-013'],
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=withdrawn_rights', '+RC_QP_NUM=6'],
    blocks: { checks: QpAccessUnchecked },
  },
  {
    name: 'read_right_unchecked',
    block: 'receive checks',
    description: 'READ requests need no right of the queue pair',
    breaks: ['B-013', 'B-028'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=withdrawn_rights', '+RC_QP_NUM=6'],
    blocks: { checks: ReadRightUnchecked },
  },
  {
    name: 'mr_access_unchecked',
    block: 'receive checks',
    description: 'the rights of regions are not compared',
    breaks: ['B-013'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=narrow_regions', '+RC_QP_NUM=6'],
    blocks: { checks: MrAccessUnchecked },
  },
  {
    name: 'length_unchecked',
    block: 'receive checks',
    description: 'the length of payload is not held against the header',
    breaks: ['B-013'],
    caughtBy: ['BLUE_REPORT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=dropped_packets', '+RC_QP_NUM=6'],
    blocks: { checks: LengthUnchecked },
  },
  {
    name: 'floor_ignored',
    block: 'receive pipeline',
    description: 'payload below the floor is written',
    breaks: ['B-020'],
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: FloorIgnored },
  },
  {
    name: 'retries_unreported',
    block: 'receive pipeline',
    description: 'middle packets that are sent again are not reported',
    breaks: ['B-018', 'B-022'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: RetriesUnreported },
  },
  {
    name: 'firsts_unreported',
    block: 'receive pipeline',
    description: 'first packets are not reported',
    breaks: ['B-018'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: FirstsUnreported },
  },
  {
    name: 'report_before_payload',
    block: 'receive pipeline',
    description: 'the payload of a last packet is written 20 us after its report',
    breaks: ['B-019'],
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: ReportFirst },
  },
  {
    name: 'payload_cut',
    block: 'receive pipeline',
    description: 'payload is written in whole words only',
    breaks: ['B-012'],
    caughtBy: ['SCB_DATA'],
    blocks: { receive: ShortPayload },
  },
  {
    name: 'ack_request_lost',
    block: 'reports',
    description: 'reports do not say that an acknowledgement is asked for',
    breaks: ['B-001', 'B-018'],
    caughtBy: ['BLUE_REPORT', 'SCB_STATUS'],
    blocks: { reports: FlagLost },
  },
  {
    name: 'retry_flag_lost',
    block: 'reports',
    description: 'reports do not say that a packet was sent again',
    breaks: ['B-001', 'B-018'],
    caughtBy: ['SCB_STATUS'],
    needs: ['+DATA_CNT=0', '+LOSS_PCT=10', '+RC_QP_NUM=2', '+STALL_TIME=1s'],
    blocks: { reports: RetryFlagLost },
  },
  {
    name: 'immediate_swapped',
    block: 'reports',
    description: 'the halves of immediates are exchanged in reports',
    breaks: ['B-001', 'B-026'],
    caughtBy: ['BLUE_REPORT', 'SCB_IMM'],
    blocks: { reports: ImmSwapped },
  },
  {
    name: 'report_of_other_qp',
    block: 'reports',
    description: 'one report in 16 names another queue pair',
    breaks: ['B-001', 'B-018'],
    caughtBy: ['BLUE_REPORT', 'SCB_STATUS'],
    blocks: { reports: WrongChannel },
  },
];
