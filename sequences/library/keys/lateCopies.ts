import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Mw } from '../../../env/verbs/verbsObjects.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { bindable, bindWindow, invalidate, sendInvalidating } from '../../user/keys/keyRequests.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** One packet at any MTU. */
const BYTES = 200;
const MARK = 0xa5;
/** A NIC has usually dealt with a packet so long after it has come. */
const REST = 40 * US;

type Play = (sequence: LateCopies, connection: Connection) => Proc<void>;

const CASES: readonly Play[] = [ofWrite, ofInvalidation, ofInvalidationBound, ofRead];

/**
 * Copies of packets that come late, with keys that have been invalidated meanwhile (roce-transport.md 3.9, 4.6): a WRITE that is there
 * again is acknowledged and writes nothing, whatever its key opens by now; a SEND with invalidate takes nothing away again, also where
 * software has given the same key to another range; a READ is answered by what its key opens now, or refused. One case on each connection.
 */
export class LateCopies extends UserSequence {
  static readonly typeName: string = 'late_copies';
  static readonly description: string =
    'duplicate packets that arrive after their keys have been invalidated; +RC_QP_NUM=4 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['memoryWindows', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    yield* (CASES[connection.index % CASES.length] as Play)(this, connection);
  }

  /** Sends the packet that the right side has taken last again, and waits until that has been dealt with. */
  *copy({ left, right }: Connection, opcode: number, more: object): Proc<void> {
    const { rqPsn: next = 0 } = yield* right.api.queryQp(right.qp);
    this.link.inject({
      ...{ from: left.host, to: right.host, destQp: right.qp.qpn, ipv6: left.qp.ipv6 },
      ...{ opcode: BTH_CLASS.rc | opcode, ackRequest: true, psn: (next - 1) & 0xff_ffff, ...more },
    });
    yield* delay(REST + onItsWay(this.values, BYTES));
  }

  /** A request of the left side that succeeds. */
  *succeeds({ left }: Connection, request: Proc<void>, what: string): Proc<void> {
    yield* request;
    this.expectSuccess(yield* left.sent(), what);
  }

  /** A request of the right side that changes a key. */
  *changes({ right }: Connection, request: Proc<void>, what: string): Proc<void> {
    yield* request;
    this.expectSuccess(yield* right.sent(), what);
  }

  /** A window of the right side on a range of its own. */
  *bound(connection: Connection, mw?: Mw, key?: number): Proc<Bound> {
    const { right } = connection;
    const region = yield* bindable(right, yield* right.words(BYTES));
    const window = mw ?? (yield* right.api.allocMw(right.qp.pd, 2));
    const bind = bindWindow(right, window, region, key === undefined ? {} : { key });
    const range = yield* bind;
    this.expectSuccess(yield* right.sent(), 'bind');
    return { mw: window, region, range };
  }
}

interface Bound {
  readonly mw: Mw;
  /** What lies under it, with a key of its own; and by the key of the window. */
  readonly region: RegisteredBuffer;
  readonly range: RegisteredBuffer;
}

function remote({ hi, lo, key }: RegisteredBuffer): object {
  const va = (BigInt.asUintN(32, BigInt(hi)) << 32n) | BigInt.asUintN(32, BigInt(lo));
  return { va, rkey: key, dmaLength: BYTES };
}

function* ofWrite(sequence: LateCopies, c: Connection): Proc<void> {
  const { left, right } = c;
  const { mw, range } = yield* sequence.bound(c);
  yield* sequence.succeeds(c, left.write(yield* left.source(BYTES), range), 'WRITE through a window');
  yield* sequence.changes(c, invalidate(right, range), 'invalidation');
  const payload = new Uint8Array(BYTES).fill(MARK);
  yield* sequence.copy(c, BTH_OP.writeOnly, { ...remote(range), payload });
  // The same key opens other bytes now.
  const next = yield* sequence.bound(c, mw, range.key);
  yield* sequence.copy(c, BTH_OP.writeOnly, { ...remote(next.range), payload });
  yield* sequence.succeeds(c, left.read(yield* left.sink(BYTES), next.range), 'READ behind copies of a WRITE');
}

function* ofInvalidation(sequence: LateCopies, c: Connection): Proc<void> {
  const { left, right } = c;
  const { range } = yield* sequence.bound(c);
  yield* right.receive([]);
  yield* sequence.succeeds(c, sendInvalidating(left, null, range), 'SEND with invalidate');
  sequence.expectSuccess(yield* right.received(), 'receive');
  yield* right.receive([]);
  yield* sequence.copy(c, BTH_OP.sendOnlyInv, { immediate: range.key });
  yield* sequence.succeeds(c, left.send([]), 'SEND behind a copy of one with invalidate');
  sequence.expectSuccess(yield* right.received(), 'receive behind that copy');
}

function* ofInvalidationBound(sequence: LateCopies, c: Connection): Proc<void> {
  const { left, right } = c;
  const { mw, range } = yield* sequence.bound(c);
  yield* right.receive([]);
  yield* sequence.succeeds(c, sendInvalidating(left, null, range), 'SEND with invalidate');
  sequence.expectSuccess(yield* right.received(), 'receive');
  const next = yield* sequence.bound(c, mw, range.key);
  yield* sequence.copy(c, BTH_OP.sendOnlyInv, { immediate: range.key });
  yield* sequence.succeeds(c, left.read(yield* left.sink(BYTES), next.range), 'READ of a key that is bound anew');
}

/** The copy of a READ is carried out anew: what its key does not open any more it must not bring. */
function* ofRead(sequence: LateCopies, c: Connection): Proc<void> {
  const { left, right } = c;
  const { range } = yield* sequence.bound(c);
  yield* sequence.succeeds(c, left.read(yield* left.sink(BYTES), range), 'READ through a window');
  yield* sequence.changes(c, invalidate(right, range), 'invalidation');
  const { region } = yield* sequence.bound(c);
  yield* sequence.copy(c, BTH_OP.readRequest, remote(range));
  yield* left.read(yield* left.sink(BYTES), region);
  (yield* left.sent()).expected();
}
