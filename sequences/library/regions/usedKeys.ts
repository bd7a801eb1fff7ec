import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { type Refuser, UserSequence } from '../../user/userSequence.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

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

/** A request, and what must complete when it is rightful. */
interface Request {
  readonly play: (m: Material) => Proc<void>;
  readonly ends: (c: Connection) => readonly Proc<Completion>[];
}

/** A rightful request, and the one under the same key that must be refused. */
interface Case {
  readonly what: string;
  readonly used: Request;
  readonly refused: Request;
}

/** What the other side must refuse. */
const REMOTE: readonly Case[] = [
  { what: 'READ of what was written', used: write('writeOnly'), refused: read('writeOnly') },
  { what: 'WRITE to what was read', used: read('readOnly'), refused: write('readOnly') },
  { what: 'WRITE to what its owner sent', used: ownerSends(), refused: write('closed') },
  { what: 'READ of what its owner sent', used: ownerSends(), refused: read('closed') },
  { what: 'WRITE 4 GiB behind what was written', used: write('target'), refused: write('target', TWO_32) },
  { what: 'READ 4 GiB behind what was read', used: read('readOnly'), refused: read('readOnly', TWO_32) },
  { what: 'WRITE to the end of what was written, and one byte', used: write('target'), refused: write('target', 1) },
  { what: 'READ to the end of what was read, and one byte', used: read('readOnly'), refused: read('readOnly', 1) },
];

/** What this side must refuse. */
const LOCAL: readonly Case[] = [
  { what: 'READ into what was sent', used: write('target'), refused: readIntoSource() },
  { what: 'WRITE from 4 GiB behind what was sent', used: write('target'), refused: write('target', 0, TWO_32) },
  { what: 'WRITE from the end of what was sent, and one byte', used: write('target'), refused: write('target', 0, 1) },
];

/** What the receiver must report, and tell the sender of. */
const RECEIVE: readonly Case[] = [
  { what: 'SEND into what its owner sent', used: ownerSends(), refused: message('closed') },
  { what: 'SEND 4 GiB behind what was received', used: message('target'), refused: message('target', TWO_32) },
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
      writeOnly: room.withKey(writable.key),
      closed: own.withKey(closed.key),
    };
    yield* used.play(material);
    for (const end of used.ends(connection)) this.expectSuccess(yield* end, `before the ${what}`);
    yield* refused.play(material);
    yield* this.expectRefused(connection, refuserAt(at), what);
    for (const mr of [writable, closed]) yield* api.deregMr(mr);
  }
}

function refuserAt(at: number): Refuser {
  if (at < REMOTE.length) return 'responder';
  return at < REMOTE.length + LOCAL.length ? 'requester' : 'receive';
}

type Place = 'target' | 'readOnly' | 'writeOnly' | 'closed';

/** A WRITE to a buffer of the other side, `by` bytes further on under its key; its data as many as `from` further on. */
function write(place: Place, by = 0, from = 0): Request {
  return {
    play: (m) => m.connection.left.write(m.source.moved(from), m[place].moved(by)),
    ends: ({ left }) => [left.sent()],
  };
}

function read(place: Place, by = 0): Request {
  return {
    play: (m) => m.connection.left.read(m.copy, m[place].moved(by)),
    ends: ({ left }) => [left.sent()],
  };
}

function readIntoSource(): Request {
  return {
    play: (m) => m.connection.left.read(m.source, m.target),
    ends: ({ left }) => [left.sent()],
  };
}

/** A SEND of the other side, out of memory that is open to nobody else. */
function ownerSends(): Request {
  return {
    *play({ connection: { left, right }, copy, closed }) {
      yield* left.receive(copy);
      yield* right.send(closed);
    },
    ends: ({ left, right }) => [right.sent(), left.received()],
  };
}

/** A SEND into a receive. */
function message(place: Place, by = 0): Request {
  return {
    *play({ connection: { left, right }, source, [place]: room }) {
      yield* right.receive(room.moved(by));
      yield* left.send(source);
    },
    ends: ({ left, right }) => [left.sent(), right.received()],
  };
}
