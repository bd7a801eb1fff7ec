/** Bugs of how a NIC ends what a failed read was for. */
import { CQE_SYNDROME } from '../../layout/queues.ts';
import { Gather } from '../../model/memory/gather.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { IcmCache } from '../../model/memory/icmCache.ts';
import type { PacketJob, QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { type Fault, planted } from '../fault.ts';
import { LOST_CONTEXTS, PCIE_ERRORS } from './pcieStimulus.ts';

/** Sends the packet whose payload could not be read, and fails then. */
class BadPayloadSent extends Gather {
  override discard(j: PacketJob): void {
    if (j.syndrome === 0 || j.frame === null) {
      super.discard(j);
      return;
    }
    this.send(j);
    this.release(j);
  }
}

/** Tells of its own queue what is wrong with the data. */
class WrongLocalStatus extends Gather {
  override arrived(j: PacketJob, ok: boolean): void {
    super.arrived(j, ok);
    if (!ok && !j.response) j.syndrome = CQE_SYNDROME.localLength;
  }
}

/** Blames the key of the requester for what it could not read itself. */
class KeyBlamed extends Gather {
  override arrived(j: PacketJob, ok: boolean): void {
    super.arrived(j, ok);
    if (!ok && j.response) j.syndrome = CQE_SYNDROME.remoteAccess;
  }
}

/** Reports an entry that it could not read as flushed. */
class EntryFlushed extends SendQueue {
  protected override unreadable(r: SendRequest): void {
    super.unreadable(r);
    r.syndrome = CQE_SYNDROME.flush;
  }
}

/** Takes a receive queue that it could not read for an empty one. */
class RingTakenForEmpty extends ReceiveQueue {
  protected override fails(): boolean {
    return false;
  }
}

/** Flushes the next queue pair together with one that fails for want of its data. */
class NeighbourFlushed extends SendCompletion {
  override fail(slot: QpSlot, c: number, syndrome: number): void {
    super.fail(slot, c, syndrome);
    if (syndrome !== CQE_SYNDROME.localProtection && syndrome !== CQE_SYNDROME.localQpOperation) return;
    const neighbour = this.core.slot(slot.qpn ^ 1);
    const other = this.core.contextOf(neighbour, neighbour);
    if (other >= 0) super.fail(neighbour, other, CQE_SYNDROME.flush);
  }
}

/** Serves a context that could not be read from what its line has held before. */
class OldLineServed extends IcmCache {
  override dmaDone(line: number): void {
    super.dmaDone(line, true);
  }
}

/** Says nothing of a context that could not be read. */
class SilentLoss extends HanguNic {
  override contextLost(): void {}
}

/** Says it of the next queue pair. */
class WrongLoss extends HanguNic {
  override contextLost(slot: QpSlot): void {
    super.contextLost(this.core.slot(slot.qpn ^ 1));
  }
}

export const OUTCOME_FAULTS: readonly Fault[] = [
  {
    name: 'pcie_bad_payload_sent',
    block: 'gather',
    description: 'a packet whose payload could not be read leaves in good shape before its queue pair fails',
    caughtBy: ['SCB_WIRE_DATA', 'SCB_READ_AGAIN', 'SCB_DATA', 'SEQ_STATUS', 'SCB_STATUS', 'WIRE_SILENT'],
    needs: PCIE_ERRORS,
    create: planted({ gather: BadPayloadSent }),
  },
  {
    name: 'pcie_wrong_local_status',
    block: 'gather',
    description: 'a request whose data could not be read ends with LOC_LEN_ERR',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
    create: planted({ gather: WrongLocalStatus }),
  },
  {
    name: 'pcie_key_blamed',
    block: 'gather',
    description: 'a responder that cannot read its memory answers with the NAK for a wrong key',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
    create: planted({ gather: KeyBlamed }),
  },
  {
    name: 'pcie_entry_flushed',
    block: 'sendQueue',
    description: 'a request whose entry could not be read completes as flushed, and is the first to do so',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS', 'SCB_FAILED_READ'],
    needs: PCIE_ERRORS,
    create: planted({ sendQueue: EntryFlushed }),
  },
  {
    name: 'pcie_ring_taken_for_empty',
    block: 'receiveQueue',
    description: 'a receive queue that could not be read counts as empty: the sender is told to try again',
    caughtBy: ['SCB_REFUSED', 'SCB_FAILED_READ', 'SEQ_STATUS'],
    needs: PCIE_ERRORS,
    create: planted({ receiveQueue: RingTakenForEmpty }),
  },
  {
    name: 'pcie_neighbour_flushed',
    block: 'sendCompletion',
    description: 'the next queue pair fails with one whose read failed',
    caughtBy: ['SCB_STATUS', 'SEQ_STATUS', 'SCB_MISSING', 'SCB_REFUSED', 'SCB_STUCK'],
    needs: PCIE_ERRORS,
    create: planted({ sendCompletion: NeighbourFlushed }),
  },
  {
    name: 'pcie_old_line_served',
    block: 'icmCache',
    description: 'a table entry that could not be read is what its line has held before',
    caughtBy: ['SCB_ASYNC_EVENT', 'SEQ_STATUS', 'SCB_STUCK', 'SCB_MISSING', 'HCA_CMD_STATUS'],
    needs: LOST_CONTEXTS,
    create: planted({ cache: OldLineServed }),
  },
  {
    name: 'pcie_loss_untold',
    block: 'eventUnit',
    description: 'no event says that the context of a queue pair could not be read',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_CONTEXTS,
    create: (context, config) => new SilentLoss(context, config),
  },
  {
    name: 'pcie_loss_of_another',
    block: 'eventUnit',
    description: 'the event about an unreadable context names the next queue pair',
    caughtBy: ['SCB_ASYNC_EVENT', 'SCB_EVENT_GROUNDLESS'],
    needs: LOST_CONTEXTS,
    create: (context, config) => new WrongLoss(context, config),
  },
];
