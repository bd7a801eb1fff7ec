import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Long enough to be under way when the next request is ready. */
const LONG = 20_000;

/** Lists of requests, posted with one doorbell each: a fenced WRITE, SEND and READ, each behind a long READ. */
export class LinkedFences extends UserSequence {
  static readonly typeName: string = 'linked_fences';
  static readonly description: string = 'lists of linked requests with fenced ones after READs';
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const copies = (yield* left.sink(3 * LONG)).split(3) as [RegisteredBuffer, RegisteredBuffer, RegisteredBuffer];
    const short = yield* left.sink(BYTES);
    const remote = yield* right.source(LONG);
    const note = yield* right.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      const source = yield* left.source(BYTES);
      const list = [
        request(WR_OPCODE.rdmaRead, copies[0], remote),
        request(WR_OPCODE.rdmaWrite, source, yield* right.sink(BYTES), SEND_FLAG.fence),
        request(WR_OPCODE.rdmaRead, copies[1], remote),
        request(WR_OPCODE.send, source, note, SEND_FLAG.fence),
      ];
      const reads = [
        request(WR_OPCODE.rdmaRead, copies[2], remote),
        request(WR_OPCODE.rdmaRead, short, remote, SEND_FLAG.fence),
      ];
      yield* right.receive(note);
      yield* post(left, list);
      for (const what of ['READ', 'WRITE', 'READ', 'SEND']) this.expectSuccess(yield* left.sent(), what);
      this.expectSuccess(yield* right.received(), 'receive');
      yield* post(left, reads);
      for (const what of ['READ', 'fenced READ']) this.expectSuccess(yield* left.sent(), what);
    }
  }
}

/** A request with data at one place and, unless it is a SEND, a range of the peer. */
function request(opcode: number, local: RegisteredBuffer, remote: RegisteredBuffer, flags = 0): SendWr {
  const wr = new SendWr();
  wr.opcode = opcode;
  wr.flags = SEND_FLAG.signaled | flags;
  wr.setNumSge(1);
  for (const sge of wr.sges) local.fill(sge);
  wr.remoteHi = remote.hi;
  wr.remoteLo = remote.lo;
  wr.rkey = remote.key;
  return wr;
}

/** Posts a list as one. */
function* post(side: QpSide, list: readonly SendWr[]): Proc<void> {
  for (const wr of list) wr.wrId = side.sendsPosted++;
  yield* side.api.postSend(side.qp, list, list.length);
}
