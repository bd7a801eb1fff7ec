import { ACCESS, QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from '../user/connection.ts';
import { RegisteredBuffer } from '../user/registeredBuffer.ts';
import { UserSequence } from '../user/userSequence.ts';

/** Within a page, so that what a NIC keeps of the first access is what the second one meets. */
const BYTES = 200;
const WRITE_ONLY = ACCESS.localWrite | ACCESS.remoteWrite;

/** What a case works with: plain memory of both sides, and two regions of the other side with fewer rights. */
interface Material {
  readonly connection: Connection;
  readonly source: RegisteredBuffer;
  readonly copy: RegisteredBuffer;
  /** At the other side: with all rights, for READs only, for WRITEs only, for nobody else. */
  readonly target: RegisteredBuffer;
  readonly readOnly: RegisteredBuffer;
  readonly writeOnly: RegisteredBuffer;
  readonly closed: RegisteredBuffer;
}

/** A rightful request, and the one under the same key that must be refused. */
interface Case {
  readonly what: string;
  readonly used: (m: Material) => Proc<void>;
  readonly refused: (m: Material) => Proc<void>;
}

/** What the other side must refuse. */
const REMOTE: readonly Case[] = [
  { what: 'READ of what was written', used: write('writeOnly'), refused: read('writeOnly') },
  { what: 'WRITE to what was read', used: read('readOnly'), refused: write('readOnly') },
  { what: 'WRITE to what its owner sent', used: ownerSends, refused: write('closed') },
  { what: 'READ of what its owner sent', used: ownerSends, refused: read('closed') },
  { what: 'WRITE 4 GiB behind what was written', used: write('target'), refused: write('target', far) },
  { what: 'READ 4 GiB behind what was read', used: read('readOnly'), refused: read('readOnly', far) },
  { what: 'WRITE to the end of what was written, and one byte', used: write('target'), refused: write('target', next) },
  { what: 'READ to the end of what was read, and one byte', used: read('readOnly'), refused: read('readOnly', next) },
];

/** What this side must refuse. */
const LOCAL: readonly Case[] = [
  {
    what: 'READ into what was sent',
    used: write('target'),
    refused: (m) => m.connection.left.read(m.source, m.target),
  },
  { what: 'WRITE from 4 GiB behind what was sent', used: write('target'), refused: writeFrom(far) },
  { what: 'WRITE from the end of what was sent, and one byte', used: write('target'), refused: writeFrom(next) },
];

/** What the receiver must report, and tell the sender of. */
const RECEIVE: readonly Case[] = [
  { what: 'SEND into what its owner sent', used: ownerSends, refused: message((m) => m.closed) },
  {
    what: 'SEND 4 GiB behind what was received',
    used: message((m) => m.target),
    refused: message((m) => far(m.target)),
  },
];

const CASES = [...REMOTE, ...LOCAL, ...RECEIVE];

/**
 * Requests under keys that were used rightfully just before and do not cover what is asked for now: without the right,
 * behind the region, 4 GiB away. A NIC that checks only what it has not yet at hand lets them pass. One case for each
 * connection; `+RC_QP_NUM=13` plays all.
 */
export class UsedKeys extends UserSequence {
  static readonly typeName: string = 'used_keys';
  static readonly description: string =
    'refused requests under keys that were just used; +RC_QP_NUM=13 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const at = connection.index % CASES.length;
    const { what, used, refused } = CASES[at] as Case;
    const { api, qp } = right;
    const room = yield* right.sink(BYTES);
    const own = yield* right.source(BYTES);
    const writable = yield* api.regMr(qp.pd, { hi: room.hi, lo: room.lo, length: BYTES, access: WRITE_ONLY });
    const closed = yield* api.regMr(qp.pd, { hi: own.hi, lo: own.lo, length: BYTES, access: 0 });
    const material: Material = {
      connection,
      source: yield* left.source(BYTES),
      copy: yield* left.sink(BYTES),
      target: yield* right.sink(BYTES),
      readOnly: yield* right.source(BYTES),
      writeOnly: new RegisteredBuffer(room.hi, room.lo, BYTES, writable.key, writable),
      closed: new RegisteredBuffer(own.hi, own.lo, BYTES, closed.key, closed),
    };
    const isReceive = at >= REMOTE.length + LOCAL.length;
    yield* used(material);
    const sender = used === ownerSends ? right : left;
    this.expectSuccess(yield* sender.sent(), `before the ${what}`);
    if (used === ownerSends) this.expectSuccess(yield* left.received(), `before the ${what}`);
    else if (isReceive) this.expectSuccess(yield* right.received(), `before the ${what}`);
    yield* refused(material);
    let status: number = at < REMOTE.length ? WC_STATUS.remAccessErr : WC_STATUS.locProtErr;
    if (isReceive) status = WC_STATUS.remOpErr;
    this.expectStatus(yield* left.sent(), status, what);
    if (isReceive) this.expectStatus(yield* right.received(), WC_STATUS.locProtErr, what);
    for (const mr of [writable, closed]) yield* api.deregMr(mr);
  }
}

type Place = 'target' | 'readOnly' | 'writeOnly' | 'closed';
type Shift = (buffer: RegisteredBuffer) => RegisteredBuffer;

/** A WRITE to a buffer of the other side, or to another place under its key. */
function write(place: Place, shift: Shift = same) {
  return (m: Material): Proc<void> => m.connection.left.write(m.source, shift(m[place]));
}

function read(place: Place, shift: Shift = same) {
  return (m: Material): Proc<void> => m.connection.left.read(m.copy, shift(m[place]));
}

/** A WRITE whose data are elsewhere under the key of the source. */
function writeFrom(shift: Shift) {
  return (m: Material): Proc<void> => m.connection.left.write(shift(m.source), m.target);
}

function* ownerSends({ connection: { left, right }, copy, closed }: Material): Proc<void> {
  yield* left.receive(copy);
  yield* right.send(closed);
}

/** A SEND into a receive. */
function message(room: (m: Material) => RegisteredBuffer) {
  return function* (m: Material): Proc<void> {
    yield* m.connection.right.receive(room(m));
    yield* m.connection.left.send(m.source);
  };
}

function same(buffer: RegisteredBuffer): RegisteredBuffer {
  return buffer;
}

/** As many bytes 4 GiB further on, under the same key. */
function far({ hi, lo, length, key }: RegisteredBuffer): RegisteredBuffer {
  return new RegisteredBuffer((hi + 1) | 0, lo, length, key);
}

/** As many bytes one byte further on, so that one lies behind the region. Not used where that is 4 GiB away. */
function next({ hi, lo, length, key }: RegisteredBuffer): RegisteredBuffer {
  const carry = lo === -1 ? 1 : 0;
  return new RegisteredBuffer((hi + carry) | 0, (lo + 1) | 0, length, key);
}
