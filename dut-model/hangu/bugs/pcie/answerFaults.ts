/** Bugs of what a NIC makes of answers to its reads: errors, poison, parts and order. */
import { CPL_STATUS, type Tlp } from '../../../nic.ts';
import { DmaEngine } from '../../../roce/dmaEngine.ts';
import { type Fault, planted } from '../fault.ts';
import { PCIE_ERRORS } from './pcieStimulus.ts';

/** Bytes that two parts of an answer exchange. */
const PIECE = 16;

/** Takes poisoned data for good ones. */
class PoisonTaken extends DmaEngine {
  override completion(t: Tlp): void {
    t.poisoned = false;
    super.completion(t);
  }
}

/** Takes an unsupported request for success: what lies in the buffer counts. */
class RefusalTaken extends DmaEngine {
  override completion(t: Tlp): void {
    if (t.status === CPL_STATUS.unsupportedRequest) t.status = CPL_STATUS.success;
    super.completion(t);
  }
}

/** The same of an answer that its completer has aborted. */
class AbortTaken extends DmaEngine {
  override completion(t: Tlp): void {
    if (t.status === CPL_STATUS.completerAbort) t.status = CPL_STATUS.success;
    super.completion(t);
  }
}

/** Waits for ever for an answer that does not come. */
class Patient extends DmaEngine {
  protected override isOverdue(): boolean {
    return false;
  }
}

/** Puts the second part of an answer in front of the first. */
class PartsSwapped extends DmaEngine {
  readonly #parts = new Map<Tlp, number>();

  override completion(t: Tlp): void {
    const parts = (this.#parts.get(t) ?? 0) + 1;
    if (t.remaining > 0) this.#parts.set(t, parts);
    else {
      this.#parts.delete(t);
      if (parts > 1 && t.length >= 2 * PIECE) this.#swap(t.data, t.data + t.length - PIECE);
    }
    super.completion(t);
  }

  #swap(a: number, b: number): void {
    const { u8 } = this.bytes;
    for (let i = 0; i < PIECE; i++) {
      const kept = u8[a + i] as number;
      u8[a + i] = u8[b + i] as number;
      u8[b + i] = kept;
    }
  }
}

/** Takes an answer for that to the oldest read of the same length, whatever its tag. */
class TagIgnored extends DmaEngine {
  protected override answered(t: Tlp): void {
    const older = this.unanswered().find((u) => u !== t && u.length === t.length && u.readyAt < t.readyAt);
    if (older === undefined) return;
    [older.owner, t.owner] = [t.owner, older.owner];
    [older.ownerArg, t.ownerArg] = [t.ownerArg, older.ownerArg];
  }
}

const DATA = ['SCB_WIRE_DATA', 'SCB_DATA', 'SCB_FAILED_READ', 'SCB_STATUS', 'SEQ_STATUS', 'SCB_WIRE_REQUEST'];

export const ANSWER_FAULTS: readonly Fault[] = [
  {
    name: 'pcie_poison_taken',
    block: 'dmaEngine',
    description: 'poisoned data are used as if they were good',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
    create: planted({ dma: PoisonTaken }),
  },
  {
    name: 'pcie_ur_is_success',
    block: 'dmaEngine',
    description: 'a read that is refused as unsupported counts as answered',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
    create: planted({ dma: RefusalTaken }),
  },
  {
    name: 'pcie_ca_is_success',
    block: 'dmaEngine',
    description: 'a read that its completer aborts counts as answered',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
    create: planted({ dma: AbortTaken }),
  },
  {
    name: 'pcie_no_timeout',
    block: 'dmaEngine',
    description: 'a read without an answer is never given up',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SEQ_STATUS', 'SEQ_NOT_QUIET', 'HCA_CMD_TIMEOUT'],
    needs: PCIE_ERRORS,
    create: planted({ dma: Patient }),
  },
  {
    name: 'pcie_parts_swapped',
    block: 'dmaEngine',
    description: 'an answer in several parts is put together in the wrong order',
    caughtBy: DATA,
    needs: PCIE_ERRORS,
    create: planted({ dma: PartsSwapped }),
  },
  {
    name: 'pcie_tag_ignored',
    block: 'dmaEngine',
    description: 'an answer that overtakes others is taken for that to an older read of the same length',
    caughtBy: [...DATA, 'SCB_STUCK', 'SCB_STRAY_WRITE', 'WIRE_OPCODE'],
    needs: PCIE_ERRORS,
    create: planted({ dma: TagIgnored }),
  },
];
