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
import { blueFaultsOf } from './blueFault.ts';
import { RECEIVE_ROWS } from './rows/receiveRows.ts';

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

export const RECEIVE_FAULTS = blueFaultsOf(RECEIVE_ROWS, {
  arp_dropped: { mac: ArpDropped },
  foreign_frames_taken: { mac: Promiscuous },
  frames_before_ready: { mac: AlwaysReady },
  damaged_frames_taken: { mac: DamagedTaken },
  raw_slots_at_zero: { raw: SlotsAtZero },
  qp_key_unchecked: { checks: QpnUnchecked },
  qp_error_ignored: { checks: ErrorIgnored },
  qp_access_unchecked: { checks: QpAccessUnchecked },
  read_right_unchecked: { checks: ReadRightUnchecked },
  mr_access_unchecked: { checks: MrAccessUnchecked },
  length_unchecked: { checks: LengthUnchecked },
  floor_ignored: { receive: FloorIgnored },
  retries_unreported: { receive: RetriesUnreported },
  firsts_unreported: { receive: FirstsUnreported },
  report_before_payload: { receive: ReportFirst },
  payload_cut: { receive: ShortPayload },
  ack_request_lost: { reports: FlagLost },
  retry_flag_lost: { reports: RetryFlagLost },
  immediate_swapped: { reports: ImmSwapped },
  report_of_other_qp: { reports: WrongChannel },
});
