/** Bugs that show where contexts, completion queues or translations cannot be read. */

import { SYNDROME } from '../../../../rdma/bth.ts';
import { CQE_SYNDROME, EVENT_TYPE } from '../../layout/queues.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import { Gather } from '../../model/memory/gather.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import type { PacketJob, QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { type Fault, planted } from '../fault.ts';
import { LOST_CONTEXTS, LOST_DEVICES, LOST_QUEUES, LOST_TRANSLATIONS, PCIE_ERRORS } from './pcieStimulus.ts';

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

export const CONTEXT_FAULTS: readonly Fault[] = [
  {
    name: 'pcie_neighbour_lost',
    block: 'eventUnit',
    description: 'QP_FATAL comes of the next queue pair too when a context could not be read',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: LOST_CONTEXTS,
    create: (context, config) => new NeighbourLost(context, config),
  },
  {
    name: 'pcie_always_fatal',
    block: 'eventUnit',
    description: 'DEVICE_FATAL comes in place of QP_FATAL, though one queue pair is all that is lost',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_ASYNC_EVENT'],
    needs: LOST_CONTEXTS,
    create: (context, config) => new AlwaysFatal(context, config),
  },
  {
    name: 'pcie_device_untold',
    block: 'eventUnit',
    description: 'no DEVICE_FATAL says that the device has stopped',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_DEVICES,
    create: (context, config) => new DeviceUntold(context, config),
  },
  {
    name: 'pcie_device_as_pair',
    block: 'eventUnit',
    description: 'QP_FATAL comes in place of DEVICE_FATAL when the device has stopped',
    caughtBy: ['SCB_ASYNC_EVENT', 'SCB_EVENT_GROUNDLESS'],
    needs: LOST_DEVICES,
    create: (context, config) => new DeviceAsPair(context, config),
  },
  {
    name: 'pcie_queue_untold',
    block: 'completionUnit',
    description: 'no CQ_ERR comes of a completion queue whose context could not be read',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_QUEUES,
    create: planted({ completions: QueueUntold }),
  },
  {
    name: 'pcie_entry_dropped',
    block: 'completionUnit',
    description: 'completions for a queue in error are dropped, and their queue pair goes on',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_QUEUES,
    create: planted({ completions: EntryDropped }),
  },
  {
    name: 'pcie_translation_is_key',
    block: 'responder',
    description: 'a responder that cannot read a translation answers with the NAK for a wrong key',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED', 'SCB_FAILED_READ', 'SCB_ASYNC_EVENT'],
    needs: LOST_TRANSLATIONS,
    create: planted({ responder: TranslationIsKey }),
  },
  {
    name: 'pcie_translation_is_entry',
    block: 'gather',
    description: 'a request whose local translation could not be read ends with LOC_QP_OP_ERR',
    caughtBy: ['SCB_STATUS', 'SCB_FAILED_READ'],
    needs: LOST_TRANSLATIONS,
    create: planted({ gather: TranslationIsEntry }),
  },
  {
    name: 'pcie_event_dropped',
    block: 'eventUnit',
    description: 'an event whose place could not be read is dropped',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: LOST_TRANSLATIONS,
    create: planted({ events: EventDropped }),
  },
  {
    name: 'pcie_fatal_untold',
    block: 'eventUnit',
    description: 'no QP_FATAL comes of a responder that could not read what a READ asks for',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: PCIE_ERRORS,
    create: planted({ events: FatalUntold }),
  },
];
