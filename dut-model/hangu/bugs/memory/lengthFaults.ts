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
import { faultsOf, planted } from '../fault.ts';
import { LENGTH_ROWS } from './rows/lengthRows.ts';

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

export const LENGTH_FAULTS = faultsOf(LENGTH_ROWS, {
  receive_room_31_bits: planted({ receiveQueue: roomModulo(TWO_31) }),
  receive_room_32_bits: planted({ receiveQueue: roomModulo(TWO_32) }),
  send_length_32_bits: planted({ sendQueue: ShortSums }),
  region_length_low: planted({ commands: LowerHalves }),
});
