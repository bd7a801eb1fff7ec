import { ACCESS, QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { Domains, type Material } from '../../user/keys/domains.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { type Refuser, UserSequence } from '../../user/userSequence.ts';

/** More than two packets, so that only a check of the whole range finds what the first packet does not touch. */
const BYTES = 9000;
/** A region ends where no word does: up to so many bytes less. */
const LESS = 7;
/** Bits of a key's tag: keys of two regions differ in lower bits. */
const TAG_BITS = [24, 30] as const;
const HIGHEST = 1 << 31;
/** WRITEs in front of one that fails. */
const BEFORE = 3;
const READABLE = ACCESS.localWrite | ACCESS.remoteRead;
const WRITABLE = ACCESS.localWrite | ACCESS.remoteWrite;

/** Also the number of requests in front of the one that is refused. */
type Case = readonly [what: string, play: (m: Material) => Proc<void>, before?: number];

/** Cases that the other side must refuse. */
const REMOTE: readonly Case[] = [
  ['WRITE behind its region', (m) => m.left.write(m.source, m.target.moved(1))],
  ['WRITE in front of its region', (m) => m.left.write(m.source, m.target.moved(-1))],
  ['READ behind its region', (m) => m.left.read(m.copy, m.readOnly.moved(1))],
  ['READ in front of its region', (m) => m.left.read(m.copy, m.readOnly.moved(-1))],
  ['WRITE without the right to write', (m) => m.left.write(m.source, m.readOnly)],
  ['READ without the right to read', (m) => open(m, WRITABLE, (opened) => m.left.read(m.copy, opened))],
  ['WRITE to another domain', (m) => open(m, WRITABLE, (opened) => m.left.write(m.source, opened), true)],
  ['READ from another domain', (m) => open(m, READABLE, (opened) => m.left.read(m.copy, opened), true)],
  ['WRITE with no key', (m) => m.left.write(m.source, m.target.withKey(NO_KEY))],
  ['READ with no key', (m) => m.left.read(m.copy, m.readOnly.withKey(NO_KEY))],
  [
    'WRITE with an old key',
    function* (m) {
      yield* m.left.write(m.source, yield* m.closed(m.target));
    },
  ],
  [
    'WRITE with an old key that was used',
    function* (m) {
      yield* m.left.write(m.source, yield* m.closed(m.target, (opened) => m.left.write(m.source, opened)));
    },
  ],
  ['WRITE with another tag', (m) => m.left.write(m.source, m.target.withKey(m.target.key ^ HIGHEST))],
  ['READ with another tag', (m) => m.left.read(m.copy, m.readOnly.withKey(m.readOnly.key ^ m.tag))],
];

/** Cases that this side must refuse. */
const LOCAL: readonly Case[] = [
  ['WRITE from behind its region', (m) => m.left.write(m.source.moved(1), m.target)],
  ['WRITE from in front of its region', (m) => m.left.write(m.source.moved(-1), m.target)],
  ['READ into memory without the right to write', (m) => m.left.read(m.source, m.target)],
  [
    'READ into memory of another domain',
    function* (m) {
      yield* m.left.read(yield* m.open(m.copy, ACCESS.localWrite, true), m.target);
    },
  ],
  ['READ into what lies behind its region', (m) => m.left.read(m.copy.moved(1), m.target)],
  ['WRITE with no local key', (m) => m.left.write(m.source.withKey(NO_KEY), m.target)],
  [
    'WRITE from another domain',
    function* (m) {
      yield* m.left.write(yield* m.open(m.source, 0, true), m.target);
    },
  ],
  [
    'WRITE with an old local key',
    function* (m) {
      yield* m.left.write(yield* m.closed(m.source), m.target);
    },
  ],
  [
    'WRITE with an old local key that was used',
    function* (m) {
      yield* m.left.write(yield* m.closed(m.source, (opened) => m.left.write(opened, m.target)), m.target);
    },
  ],
  [
    'WRITE with no local key behind others',
    function* (m) {
      for (let i = 0; i < BEFORE; i++) yield* m.left.write(m.source, m.target);
      yield* m.left.write(m.source.withKey(NO_KEY), m.target);
    },
    BEFORE,
  ],
  ['WRITE with another tag here', (m) => m.left.write(m.source.withKey(m.source.key ^ m.tag), m.target)],
];

/** The same of SENDs, for a service without WRITE. */
const SENDS: readonly Case[] = [
  ['SEND from behind its region', (m) => m.left.send(m.source.moved(1))],
  ['SEND with no local key', (m) => m.left.send(m.source.withKey(NO_KEY))],
  [
    'SEND from another domain',
    function* (m) {
      yield* m.left.send(yield* m.open(m.source, 0, true));
    },
  ],
  [
    'SEND with an old local key',
    function* (m) {
      yield* m.left.send(yield* m.closed(m.source));
    },
  ],
  ['SEND with another tag here', (m) => m.left.send(m.source.withKey(m.source.key ^ m.tag))],
];

/** Cases that the receiver must report, and on RC tell the sender of. */
const RECEIVE: readonly Case[] = [
  ['SEND into a receive with no key', (m) => m.message(m.target.withKey(NO_KEY))],
  ['SEND into a receive behind its region', (m) => m.message(m.target.moved(1))],
  ['SEND into a receive without the right to write', (m) => m.message(m.readOnly)],
  [
    'SEND into a receive of another domain',
    function* (m) {
      yield* m.message(yield* m.open(m.target, ACCESS.localWrite, true));
    },
  ],
];

const CASES: Readonly<Record<QpType, readonly Case[]>> = {
  [QP_TYPE.rc]: [...REMOTE, ...LOCAL, ...RECEIVE],
  [QP_TYPE.uc]: [...RECEIVE, ...[...REMOTE, ...LOCAL].filter(isWrite)],
  [QP_TYPE.ud]: [...RECEIVE, ...SENDS],
  [QP_TYPE.raw]: [],
};

/**
 * Requests whose keys do not cover what they name, one on each connection: behind and in front of the region, without
 * the right, of another protection domain, unknown, no longer valid, with another tag; remote keys and local ones. Each
 * must end with the right error, and no byte may move. With 29 RC connections every case is played, with 20 UC
 * connections all that UC has (WRITEs and receives), with 9 UD connections all of UD (SENDs and receives).
 */
export class WrongKeys extends UserSequence {
  static readonly typeName: string = 'wrong_keys';
  static readonly description: string =
    'requests with keys that do not cover their range; +RC_QP_NUM=29 +UC_QP_NUM=20 +UD_QP_NUM=9 plays all cases';
  override readonly needs = { capabilities: ['domains'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { index, type, left, right } = connection;
    const cases = CASES[type];
    const at = index % cases.length;
    const [what, play, before = 0] = cases[at] as Case;
    const domains = new Domains(left, right);
    const random = this.streamOf(connection, 'regions');
    const bytes = Math.min(BYTES, this.longest(connection)) - random.range(1, LESS);
    yield* play(yield* domains.material(bytes, 1 << random.range(...TAG_BITS)));
    yield* this.expectRefused(connection, refuserOf(cases[at] as Case), what, before);
    yield* domains.close();
  }
}

/** UC has no READ. */
function isWrite([what]: Case): boolean {
  return what.startsWith('WRITE');
}

function refuserOf(played: Case): Refuser {
  if (RECEIVE.includes(played)) return 'receive';
  return REMOTE.includes(played) ? 'responder' : 'requester';
}

/** Opens the other side's memory under another key and plays with that. */
function* open(m: Material, access: number, play: (b: RegisteredBuffer) => Proc<void>, foreign = false): Proc<void> {
  yield* play(yield* m.open(m.target, access, foreign));
}
