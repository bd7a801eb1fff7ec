/** The receive checks (blue-rdma.md section 9), in order: the first that fails drops the packet and is counted. */
import { INDEX_SHIFT } from '../layout/limits.ts';
import type { CounterName } from '../layout/registers.ts';
import { ACCESS } from '../../../rdma/verbs.ts';
import type { MrTable } from './mrTable.ts';
import { REGION_CHECK } from './mrTable.ts';
import type { QpTable } from './qpTable.ts';
import { PACKET_KIND, type ReceivedPacket } from './receivedPacket.ts';

const REGION_COUNTER: Readonly<Record<number, CounterName>> = {
  [REGION_CHECK.range]: 'header',
  [REGION_CHECK.key]: 'mrKey',
  [REGION_CHECK.access]: 'mrAccess',
  [REGION_CHECK.bounds]: 'outOfBounds',
};

/** Rights of the queue pair and of the region that each kind of packet needs. */
const QP_ACCESS: Readonly<Record<number, number>> = {
  [PACKET_KIND.write]: ACCESS.remoteWrite,
  // A SEND needs no right that verbs do not ask for: what it writes to is a receive.
  [PACKET_KIND.send]: ACCESS.localWrite,
  [PACKET_KIND.readResponse]: ACCESS.localWrite,
  [PACKET_KIND.readRequest]: ACCESS.remoteRead,
};
const MR_ACCESS: Readonly<Record<number, number>> = {
  [PACKET_KIND.write]: ACCESS.remoteWrite,
  [PACKET_KIND.send]: ACCESS.localWrite,
  [PACKET_KIND.readResponse]: ACCESS.localWrite,
};

export class PacketChecks {
  protected readonly qps: QpTable;
  protected readonly mrs: MrTable;

  constructor(qps: QpTable, mrs: MrTable) {
    this.qps = qps;
    this.mrs = mrs;
  }

  /** The counter of the check that a packet fails, or null. */
  failed(p: ReceivedPacket): CounterName | null {
    if (p.kind === PACKET_KIND.unknown) return 'opcode';
    if (p.version !== 0) return 'header';
    const index = p.destQpn >>> INDEX_SHIFT;
    if (index >= this.qps.entries) return 'header';
    if (!this.knownQp(index, p)) return 'qpContext';
    if (p.kind >= PACKET_KIND.acknowledge) return null;
    if (!this.qpAllows(index, p)) return 'qpAccess';
    if (p.kind === PACKET_KIND.readRequest) return null;
    if (p.bytes > 0) {
      const found = this.region(p);
      if (found !== REGION_CHECK.ok) return REGION_COUNTER[found] as CounterName;
    }
    return this.fits(p, this.qps.pmtu(index)) ? null : 'length';
  }

  // What follows is overridable for planting.

  protected knownQp(index: number, p: ReceivedPacket): boolean {
    return this.qps.find(p.destQpn) === index && this.qps.error[index] === 0;
  }

  protected qpAllows(index: number, p: ReceivedPacket): boolean {
    const need = QP_ACCESS[p.kind] as number;
    return ((this.qps.access[index] as number) & need) === need;
  }

  protected mrAccess(p: ReceivedPacket): number {
    return MR_ACCESS[p.kind] as number;
  }

  protected region(p: ReceivedPacket): number {
    return this.mrs.check(p.rkey, p.vaHi, p.vaLo, p.bytes, this.mrAccess(p));
  }

  /** Length of the payload against the header: all but the last packet of a message end at a multiple of the MTU. */
  protected fits(p: ReceivedPacket, pmtu: number): boolean {
    const room = pmtu - (p.vaLo & (pmtu - 1));
    if (p.first && p.last) return p.bytes <= room && p.length === p.bytes;
    if (p.first) return p.bytes === room && p.length > p.bytes;
    if (room !== pmtu || p.length !== p.bytes) return false;
    return p.last ? p.bytes >= 1 && p.bytes <= pmtu : p.bytes === pmtu;
  }
}
