/** Bugs of lengths that do not fit in 31 or 32 bits. */
import { CMD } from '../../layout/commands.ts';
import { MPT_FIELD } from '../../layout/contexts.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { readLow, writeField } from '../../model/control/mailbox.ts';
import type { SendRequest } from '../../model/transport/qpSlot.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const TWO_31 = 2 ** 31;
/** Upper half of the length of a region. */
const LENGTH_HIGH = [MPT_FIELD.length[0], 4] as const;

/** Adds the entries of a receive up modulo a number. */
function roomModulo(limit: number): typeof ReceiveQueue {
  return class extends ReceiveQueue {
    protected override room(wqe: number, stride: number): number {
      return super.room(wqe, stride) % limit;
    }
  };
}

/** Adds the entries of a request up in 32 bits. */
class ShortSums extends SendQueue {
  protected override checkLength(r: SendRequest, service: number, c: number): void {
    r.length %= TWO_32;
    super.checkLength(r, service, c);
  }
}

/** Takes regions for empty whose length is 0 in its lower half. */
class LowerHalves extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const { bytes } = this.core;
    if (this.opcode === CMD.sw2hwMpt && readLow(bytes, this.inbox, MPT_FIELD.length) === 0)
      writeField(bytes, this.inbox, LENGTH_HIGH, 0);
    return super.execute(handler);
  }
}

const HUGE_LISTS: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=huge_lists', '+UD_QP_NUM=0'];
const RC: readonly string[] = [...HUGE_LISTS, '+RC_QP_NUM=1', '+UC_QP_NUM=0'];
const UC: readonly string[] = [...HUGE_LISTS, '+RC_QP_NUM=0', '+UC_QP_NUM=1'];
/** The lists of the sequence have more entries than those of a mixed run. */
const SIX_ENTRIES = '+SG_NUM=6';

export const LENGTH_FAULTS: readonly Fault[] = [
  {
    name: 'receive_room_31_bits',
    block: 'receive queue',
    description: 'what the entries of a receive have room for is added up in 31 bits',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
    create: planted({ receiveQueue: roomModulo(TWO_31) }),
  },
  {
    name: 'receive_room_32_bits',
    block: 'receive queue',
    description: 'what the entries of a receive have room for is added up in 32 bits',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
    create: planted({ receiveQueue: roomModulo(TWO_32) }),
  },
  {
    name: 'send_length_32_bits',
    block: 'send queue',
    description: 'the entries of a request are added up in 32 bits: one that is much too long is sent',
    caughtBy: ['SCB_STATUS', 'SCB_WIRE_REQUEST'],
    needs: [...UC, SIX_ENTRIES],
    create: planted({ sendQueue: ShortSums }),
  },
  {
    name: 'region_length_low',
    block: 'command engine',
    description: 'a region of exactly 4 GiB opens nothing',
    caughtBy: ['SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
    create: planted({ commands: LowerHalves }),
  },
];
