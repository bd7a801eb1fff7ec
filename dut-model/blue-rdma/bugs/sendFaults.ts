/** Bugs in cutting chunks to packets, and in the packets. */
import type { SendChunk } from '../model/sendChunk.ts';
import { SendQueue } from '../model/sendQueue.ts';
import { SendUnit } from '../model/sendUnit.ts';
import { blueFaultsOf } from './blueFault.ts';
import { SEND_ROWS } from './rows/sendRows.ts';

/** Packets of full size from the start, whatever the address. */
class AddressIgnored extends SendUnit {
  protected override packetBytes(c: SendChunk): number {
    return Math.min(c.length - c.done, c.pmtu);
  }
}

class ChunkTotal extends SendUnit {
  protected override rethLength(c: SendChunk, kind: number, bytes: number): number {
    const total = super.rethLength(c, kind, bytes);
    return total === bytes ? total : Math.min(total, c.length);
  }
}

class LkeyUnchecked extends SendUnit {
  protected override allowed(): boolean {
    return true;
  }
}

class Unpadded extends SendUnit {
  protected override padOf(): number {
    return 0;
  }
}

class RetryUnsaid extends SendUnit {
  protected override describe(c: SendChunk, opcode: number, ends: boolean): void {
    super.describe(c, opcode, ends);
    this.header.retry = false;
  }
}

class AckAtEnd extends SendUnit {
  protected override describe(c: SendChunk, opcode: number, ends: boolean): void {
    super.describe(c, opcode, ends);
    if (!ends) this.header.ackRequest = false;
  }
}

class SolicitedLost extends SendUnit {
  protected override describe(c: SendChunk, opcode: number, ends: boolean): void {
    super.describe(c, opcode, ends);
    this.header.solicited = false;
  }
}

class MsnCounted extends SendUnit {
  protected override describe(c: SendChunk, opcode: number, ends: boolean): void {
    super.describe(c, opcode, ends);
    if (!c.first) this.header.msn = (c.msn + 1) & 0xffff;
  }
}

class PsnRepeated extends SendUnit {
  protected override describe(c: SendChunk, opcode: number, ends: boolean): void {
    super.describe(c, opcode, ends);
    if (c.packets === 9) this.header.psn = c.psn + 8;
  }
}

class HalfForgotten extends SendQueue {
  protected override endOfRead(channel: number): void {
    this.dropHalf(channel);
  }
}

export const SEND_FAULTS = blueFaultsOf(SEND_ROWS, {
  packets_ignore_address: { send: AddressIgnored },
  reth_total_of_chunk: { send: ChunkTotal },
  lkey_unchecked: { send: LkeyUnchecked },
  payload_unpadded: { send: Unpadded },
  retry_unsaid: { send: RetryUnsaid },
  ack_request_at_end_only: { send: AckAtEnd },
  solicited_lost: { send: SolicitedLost },
  msn_counts_chunks: { send: MsnCounted },
  psn_repeated: { send: PsnRepeated },
  pair_cut_by_read: { sendQueue: HalfForgotten },
});
