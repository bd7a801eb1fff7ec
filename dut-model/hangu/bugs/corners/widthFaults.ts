/** Bugs of counters, indices and numbers that are a few bits too narrow, and so show only behind a power of two. */
import { HanguNic } from '../../model/hanguNic.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { faultsOf, planted } from '../fault.ts';
import { WIDTH_ROWS } from './rows/widthRows.ts';

function mask(bits: number): number {
  return 2 ** bits - 1;
}

/** Message numbers of acknowledgements have so many bits. */
function messageNumbers(bits: number): typeof ResponseUnit {
  return class extends ResponseUnit {
    override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
      super.acknowledge(slot, syndrome, psn, msn & mask(bits));
    }
  };
}

/** Completion queues number their entries with so many bits. */
function entriesOf(bits: number): typeof CompletionUnit {
  return class extends CompletionUnit {
    protected override slotOffset(k: number, logSize: number): number {
      return super.slotOffset(k & mask(bits), logSize);
    }
  };
}

/** Fields of completions have so many bits. */
function completionsOf(change: (e: CompletionEntry) => void): typeof CompletionUnit {
  return class extends CompletionUnit {
    override post(e: CompletionEntry): void {
      change(e);
      super.post(e);
    }
  };
}

/** The ring of receives is so long at most, in bytes, as far as its NIC can say. */
function receivesWithin(bits: number): typeof ReceiveQueue {
  return class extends ReceiveQueue {
    protected override nextHead(head: number, stride: number, ring: number): number {
      return super.nextHead(head, stride, ring) & mask(bits);
    }
  };
}

/** Offsets of linked requests have so many bits. */
function linksWithin(bits: number): typeof SendQueue {
  return class extends SendQueue {
    protected override offsetOf(dw0: number): number {
      return super.offsetOf(dw0) & mask(bits);
    }
  };
}

/** A queue pair that goes to RESET empties what the chip has of the one with its lowest so many bits. */
function resetsOf(bits: number): typeof HanguNic {
  return class extends HanguNic {
    constructor(...parts: ConstructorParameters<typeof HanguNic>) {
      super(...parts);
      const { core } = this;
      const drop = core.dropSlot.bind(core);
      core.dropSlot = (qpn) => drop(qpn & mask(bits));
    }
  };
}

/** Numbers of completion queues in events have so many bits. */
function eventsOf(bits: number): typeof EventUnit {
  return class extends EventUnit {
    override post(eqn: number, type: number, number: number, syndrome = 0): void {
      super.post(eqn, type, number & mask(bits), syndrome);
    }
  };
}

export const WIDTH_FAULTS = faultsOf(WIDTH_ROWS, {
  msn_six_bits: planted({ responses: messageNumbers(6) }),
  msn_ten_bits: planted({ responses: messageNumbers(10) }),
  cq_slot_six_bits: planted({ completions: entriesOf(6) }),
  cq_slot_eight_bits: planted({ completions: entriesOf(8) }),
  cq_number_eight_bits: planted({ completions: completionsOf((e) => (e.cqn &= 0xff)) }),
  cq_number_twelve_bits: planted({ completions: completionsOf((e) => (e.cqn &= 0xfff)) }),
  completion_qpn_eight_bits: planted({ completions: completionsOf((e) => (e.qpn &= 0xff)) }),
  completion_wqe_twelve_bits: planted({ completions: completionsOf((e) => (e.wqe &= 0xfff)) }),
  completion_bytes_twelve_bits: planted({ completions: completionsOf((e) => (e.byteCount &= 0xfff)) }),
  completion_peer_eight_bits: planted({ completions: completionsOf((e) => (e.remoteQpn &= 0xff)) }),
  receive_ring_twelve_bits: planted({ receiveQueue: receivesWithin(12) }),
  send_ring_twelve_bits: planted({ sendQueue: linksWithin(12) }),
  event_number_eight_bits: planted({ events: eventsOf(8) }),
  event_number_twelve_bits: planted({ events: eventsOf(12) }),
  reset_number_six_bits: (context, config) => new (resetsOf(6))(context, config),
});
