/** Bugs in cutting chunks to packets, and in the packets. */
import type { SendChunk } from '../model/sendChunk.ts';
import { SendQueue } from '../model/sendQueue.ts';
import { SendUnit } from '../model/sendUnit.ts';
import type { BlueFault } from './blueFault.ts';

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

export const SEND_FAULTS: readonly BlueFault[] = [
  {
    name: 'packets_ignore_address',
    block: 'send unit',
    description: 'packets end at multiples of the MTU from the start of the chunk',
    breaks: ['B-007', 'B-008'],
    caughtBy: ['BLUE_PACKET', 'SCB_STATUS'],
    blocks: { send: AddressIgnored },
  },
  {
    name: 'reth_total_of_chunk',
    block: 'send unit',
    description: 'first packets carry the length of the chunk instead of that of the message',
    breaks: ['B-010', 'B-026'],
    caughtBy: ['BLUE_OPCODE'],
    needs: ['+DATA_CNT=131072', '+RC_QP_NUM=2'],
    blocks: { send: ChunkTotal },
  },
  {
    name: 'lkey_unchecked',
    block: 'send unit',
    description: 'the local side of a chunk is not held against its region',
    breaks: ['B-014'],
    caughtBy: ['PCIE_READ'],
    needs: ['+UVM_TESTNAME=test_random_verbs', '--seed', '5'],
    blocks: { send: LkeyUnchecked },
  },
  {
    name: 'payload_unpadded',
    block: 'send unit',
    description: 'there is no pad in front of the payload',
    breaks: ['B-010'],
    caughtBy: ['BLUE_FRAME', 'SCB_STATUS'],
    blocks: { send: Unpadded },
  },
  {
    name: 'retry_unsaid',
    block: 'send unit',
    description: 'packets do not say that they are sent again',
    breaks: ['B-021', 'B-022'],
    caughtBy: ['BLUE_RETRY'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { send: RetryUnsaid },
  },
  {
    name: 'ack_request_at_end_only',
    block: 'send unit',
    description: 'only the last packet of a message asks for an acknowledgement',
    breaks: ['B-010'],
    caughtBy: ['BLUE_ACK_REQUEST'],
    blocks: { send: AckAtEnd },
  },
  {
    name: 'solicited_lost',
    block: 'send unit',
    description: 'no packet is solicited',
    breaks: ['B-010', 'B-026'],
    caughtBy: ['SCB_EVENT_LOST'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=solicited_events', '+RC_QP_NUM=6'],
    blocks: { send: SolicitedLost },
  },
  {
    name: 'msn_counts_chunks',
    block: 'send unit',
    description: 'chunks behind the first one carry the number of the next message',
    breaks: ['B-009', 'B-010'],
    caughtBy: ['BLUE_MSN'],
    needs: ['+DATA_CNT=131072', '+RC_QP_NUM=2'],
    blocks: { send: MsnCounted },
  },
  {
    name: 'psn_repeated',
    block: 'send unit',
    description: 'the tenth packet of a chunk repeats the PSN before its own',
    breaks: ['B-008'],
    caughtBy: ['BLUE_RETRY'],
    needs: ['+DATA_CNT=131072', '+RC_QP_NUM=2'],
    blocks: { send: PsnRepeated },
  },
  {
    name: 'pair_cut_by_read',
    block: 'send queue',
    description: 'the first descriptor of a pair is forgotten when the second one comes with the next read',
    breaks: ['B-004'],
    blocks: { sendQueue: HalfForgotten },
  },
];
