/** Bugs that show where contexts, completion queues or translations cannot be read. */
import { SYNDROME } from '../../../../rdma/bth.ts';
import { CQE_SYNDROME, EVENT_TYPE } from '../../layout/queues.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import { Gather } from '../../model/memory/gather.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import type { PacketJob, QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { faultsOf, planted } from '../fault.ts';
import { CONTEXT_ROWS } from './rows/contextRows.ts';

/** Says it of the next queue pair too. */
class NeighbourLost extends HanguNic {
  override contextLost(slot: QpSlot): void {
    super.contextLost(slot);
    super.contextLost(this.core.slot(slot.qpn ^ 1));
  }
}

/** Takes one lost context for the end of the whole device, and says so. */
class AlwaysFatal extends HanguNic {
  override contextLost(): void {
    this.events.async(EVENT_TYPE.localCatastrophic, 0);
  }
}

/** Stops all queue pairs, and tells of none of it. */
class DeviceUntold extends HanguNic {
  protected override deviceLost(): void {
    this.core.loseAll();
  }
}

/** Stops all queue pairs, and says that one of them is lost. */
class DeviceAsPair extends HanguNic {
  override contextLost(slot: QpSlot): void {
    this.events.async(EVENT_TYPE.wqCatastrophic, slot.qpn);
    this.core.loseAll();
  }
}

/** Says nothing of a completion queue in error. */
class QueueUntold extends CompletionUnit {
  protected override breaks(): void {}
}

/** Drops what it cannot write into a completion queue in error. */
class EntryDropped extends CompletionUnit {
  protected override untold(): boolean {
    return true;
  }
}

/** Blames the key of the requester for a translation that it could not read. */
class TranslationIsKey extends Responder {
  protected override refusalOf(): number {
    return SYNDROME.nakAccess;
  }
}

/** Ends a request whose local translation it could not read as one with a bad entry in its queue. */
class TranslationIsEntry extends Gather {
  protected override unread(j: PacketJob): number {
    return j.response ? super.unread(j) : CQE_SYNDROME.localQpOperation;
  }
}

/** Drops an event whose place it cannot read. */
class EventDropped extends EventUnit {
  protected override unplaced(): boolean {
    return true;
  }
}

/** Never tells of a queue pair that has failed. */
class FatalUntold extends EventUnit {
  override async(type: number, number: number): void {
    if (type !== EVENT_TYPE.wqCatastrophic) super.async(type, number);
  }
}

export const CONTEXT_FAULTS = faultsOf(CONTEXT_ROWS, {
  pcie_neighbour_lost: (context, config) => new NeighbourLost(context, config),
  pcie_always_fatal: (context, config) => new AlwaysFatal(context, config),
  pcie_device_untold: (context, config) => new DeviceUntold(context, config),
  pcie_device_as_pair: (context, config) => new DeviceAsPair(context, config),
  pcie_queue_untold: planted({ completions: QueueUntold }),
  pcie_entry_dropped: planted({ completions: EntryDropped }),
  pcie_translation_is_key: planted({ responder: TranslationIsKey }),
  pcie_translation_is_entry: planted({ gather: TranslationIsEntry }),
  pcie_event_dropped: planted({ events: EventDropped }),
  pcie_fatal_untold: planted({ events: FatalUntold }),
});
