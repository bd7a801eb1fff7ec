/** Bugs of what a NIC makes of answers to its reads: errors, poison, parts and order. */
import { CPL_STATUS, type Tlp } from '../../../nic.ts';
import { DmaEngine } from '../../../roce/dmaEngine.ts';
import { faultsOf, planted } from '../fault.ts';
import { ANSWER_ROWS } from './rows/answerRows.ts';

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

export const ANSWER_FAULTS = faultsOf(ANSWER_ROWS, {
  pcie_poison_taken: planted({ dma: PoisonTaken }),
  pcie_ur_is_success: planted({ dma: RefusalTaken }),
  pcie_ca_is_success: planted({ dma: AbortTaken }),
  pcie_no_timeout: planted({ dma: Patient }),
  pcie_parts_swapped: planted({ dma: PartsSwapped }),
  pcie_tag_ignored: planted({ dma: TagIgnored }),
});
