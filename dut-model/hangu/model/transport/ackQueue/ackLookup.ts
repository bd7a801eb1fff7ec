import type { EventHandler } from '../../../../../uvm/kernel/scheduler.ts';
import type { PacketWork, RxPacket } from '../../../../roce/rxPacket.ts';
import type { DmaClient } from '../../../../roce/dmaEngine.ts';

/** How far a look-up has come. */
export const LOOKUP = { opening: 0, reading: 1, searching: 2, found: 3, missed: 4 } as const;

/** One look-up for a repeated request: its group is read, then searched. */
export class AckLookup implements PacketWork, DmaClient, EventHandler {
  stage: number = LOOKUP.opening;
  /** Byte-store offset where the entries are read to, and how many there are. */
  readonly buffer: number;
  count = 0;
  /** Dword of the entry that was found. */
  entry = 0;
  packet: RxPacket | null;
  readonly #proceed: (lookup: AckLookup, ok: boolean) => void;
  readonly #idle: (lookup: AckLookup) => void;

  /** @param proceed what was read has come, or been compared @param idle nobody asks for what was found */
  constructor(
    packet: RxPacket,
    buffer: number,
    proceed: (lookup: AckLookup, ok: boolean) => void,
    idle: (lookup: AckLookup) => void,
  ) {
    this.packet = packet;
    this.buffer = buffer;
    this.#proceed = proceed;
    this.#idle = idle;
  }

  dmaDone(_arg: number, ok: boolean): void {
    this.#proceed(this, ok);
  }

  /** The entries have been compared. */
  fire(): void {
    this.#proceed(this, true);
  }

  abandon(): void {
    this.packet = null;
    if (this.stage >= LOOKUP.found) this.#idle(this);
  }
}
