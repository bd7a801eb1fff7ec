/** Bugs of how a NIC ends what a failed read was for. */
import { CQE_SYNDROME } from '../../layout/queues.ts';
import { Gather } from '../../model/memory/gather.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { IcmCache } from '../../model/memory/icmCache.ts';
import type { PacketJob, QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { faultsOf, planted } from '../fault.ts';
import { OUTCOME_ROWS } from './rows/outcomeRows.ts';

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

export const OUTCOME_FAULTS = faultsOf(OUTCOME_ROWS, {
  pcie_bad_payload_sent: planted({ gather: BadPayloadSent }),
  pcie_wrong_local_status: planted({ gather: WrongLocalStatus }),
  pcie_key_blamed: planted({ gather: KeyBlamed }),
  pcie_entry_flushed: planted({ sendQueue: EntryFlushed }),
  pcie_ring_taken_for_empty: planted({ receiveQueue: RingTakenForEmpty }),
  pcie_neighbour_flushed: planted({ sendCompletion: NeighbourFlushed }),
  pcie_old_line_served: planted({ cache: OldLineServed }),
  pcie_loss_untold: (context, config) => new SilentLoss(context, config),
  pcie_loss_of_another: (context, config) => new WrongLoss(context, config),
});
