import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { addressBeforeEnd, emptyRegion, lastBytes } from '../../user/keys/regionRequests.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { type Refuser, UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/** What is played on a connection. */
type Play = (sequence: RegionEnds, connection: Connection) => Proc<void>;

const CASES: readonly Play[] = [
  nothingInNothing,
  (sequence, c) => sequence.refused(c, 'responder', 'WRITE of a byte to a region of none', writeToNothing(c)),
  (sequence, c) => sequence.refused(c, 'responder', 'READ of a byte of a region of none', readOfNothing(c)),
  (sequence, c) => sequence.refused(c, 'requester', 'SEND of a byte of a region of none', sendOfNothing(c)),
  (sequence, c) => sequence.refused(c, 'receive', 'receive into a region of no bytes', receiveIntoNothing(c)),
  lastByte,
  (sequence, c) => sequence.refused(c, 'responder', 'WRITE that ends behind the last address', writeBehindLast(c)),
  (sequence, c) => sequence.refused(c, 'responder', 'WRITE that begins before address 0', writeRoundTheEnd(c)),
];

/**
 * Regions of no bytes, which open to requests of no bytes alone, and a region that ends with the last address of 48 bits, whose
 * neighbour is none (roce-transport.md 4.4). One case on each connection.
 */
export class RegionEnds extends UserSequence {
  static readonly typeName: string = 'region_ends';
  static readonly description: string =
    'zero-length regions, and a region that ends with the last address; +RC_QP_NUM=8 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['emptyRegions', 'zeroBased', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    yield* (CASES[connection.index % CASES.length] as Play)(this, connection);
  }

  *refused(connection: Connection, refuser: Refuser, what: string, request: Proc<void>): Proc<void> {
    yield* request;
    yield* this.expectRefused(connection, refuser, what);
  }
}

/** Requests of no bytes, inside and outside of regions that have none: nobody looks at their keys. */
function* nothingInNothing(sequence: RegionEnds, { left, right }: Connection): Proc<void> {
  const [own, there] = [yield* emptyRegion(left), yield* emptyRegion(right)];
  for (const target of [there, there.moved(1), there.moved(-1)]) {
    yield* left.write(own, target);
    sequence.expectSuccess(yield* left.sent(), 'WRITE of no bytes');
    yield* left.read(own, target);
    sequence.expectSuccess(yield* left.sent(), 'READ of no bytes');
  }
  yield* right.receive(there);
  yield* left.send(own);
  sequence.expectSuccess(yield* left.sent(), 'SEND of no bytes');
  sequence.expectSuccess(yield* right.received(), 'receive of no bytes');
  yield* left.deregister(own);
  yield* right.deregister(there);
}

function* writeToNothing({ left, right }: Connection): Proc<void> {
  yield* left.write(yield* left.source(1), yield* emptyRegion(right, 1));
}

function* readOfNothing({ left, right }: Connection): Proc<void> {
  yield* left.read(yield* left.sink(1), yield* emptyRegion(right, 1));
}

function* sendOfNothing({ left, right }: Connection): Proc<void> {
  yield* right.receive(yield* right.sink(BYTES));
  yield* left.send((yield* emptyRegion(left, 1)).unchecked());
}

function* receiveIntoNothing({ left, right }: Connection): Proc<void> {
  yield* right.receive((yield* emptyRegion(right, 1)).unchecked());
  yield* left.send(yield* left.source(1));
}

function* lastByte(sequence: RegionEnds, { left, right }: Connection): Proc<void> {
  const last = yield* lastBytes(right, BYTES, RIGHTS);
  for (const length of [1, BYTES]) {
    const part = last.part(BYTES - length, length);
    yield* left.write(yield* left.source(length), part);
    sequence.expectSuccess(yield* left.sent(), 'WRITE up to the last address');
    yield* left.read(yield* left.sink(length), part);
    sequence.expectSuccess(yield* left.sent(), 'READ up to the last address');
  }
  yield* right.receive(last);
  yield* left.send(yield* left.source(BYTES));
  sequence.expectSuccess(yield* left.sent(), 'SEND up to the last address');
  sequence.expectSuccess(yield* right.received(), 'receive up to the last address');
}

function* writeBehindLast({ left, right }: Connection): Proc<void> {
  yield* left.write(yield* left.source(BYTES), (yield* lastBytes(right, BYTES, RIGHTS)).moved(1));
}

/** The sum of address and length, modulo 2^64, lies in the region: its offsets count from 0. */
function* writeRoundTheEnd({ left, right }: Connection): Proc<void> {
  const { hi, lo } = yield* right.sink(BYTES);
  const { key } = yield* right.api.regMr(right.qp.pd, { hi, lo, length: BYTES, access: RIGHTS, zeroBased: true });
  const before = addressBeforeEnd(8);
  yield* left.write(yield* left.source(BYTES), new RegisteredBuffer(before.hi, before.lo, BYTES, key));
}
