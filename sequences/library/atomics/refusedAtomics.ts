import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { hexWord, WORD, Word } from '../../host/atomicWords.ts';

const ADD = 7n;
/** A NIC has dealt with a packet so long after it has come. */
const REST = 20 * US;

/** What a case works with: a word in the middle of its region, one without the right for atomics, room for results. */
interface Places {
  readonly word: RegisteredBuffer;
  readonly plain: RegisteredBuffer;
  readonly result: RegisteredBuffer;
  readonly readOnly: RegisteredBuffer;
}

interface Case {
  readonly what: string;
  readonly status: number;
  readonly target: (p: Places) => RegisteredBuffer;
  readonly data?: (p: Places) => RegisteredBuffer;
  /** What both sides are connected with in place of the usual. */
  readonly changed?: ConnectAttributes;
  /** Its key opens nothing either: which of the two is found first differs (11). */
  readonly keyless?: true;
  /** The word is changed all the same: only its answer finds no place. */
  readonly executes?: boolean;
}

const { remInvReqErr, remAccessErr, locLenErr, locProtErr } = WC_STATUS;
const NO_ATOMICS = { accessFlags: ACCESS.remoteRead | ACCESS.remoteWrite };

/** In the order in which a responder looks (roce-transport.md 4.2, 4.5). */
const CASES: readonly Case[] = [
  { what: 'to a queue pair without the right', status: remInvReqErr, target: (p) => p.word, changed: NO_ATOMICS },
  { what: 'to a peer that answers none', status: remInvReqErr, target: (p) => p.word, changed: { maxDestRdAtomic: 0 } },
  { what: 'at an odd address', status: remInvReqErr, target: (p) => p.word.moved(1) },
  { what: 'at half a word', status: remInvReqErr, target: (p) => p.word.moved(4) },
  {
    what: 'at an odd address with no key',
    status: remInvReqErr,
    target: (p) => p.word.moved(2).withKey(NO_KEY),
    keyless: true,
  },
  { what: 'with no key', status: remAccessErr, target: (p) => p.word.withKey(NO_KEY) },
  { what: 'on a region without the right', status: remAccessErr, target: (p) => p.plain },
  { what: 'behind its region', status: remAccessErr, target: (p) => p.word.moved(2 * WORD) },
  { what: 'in front of its region', status: remAccessErr, target: (p) => p.word.moved(-2 * WORD) },
  { what: 'of four bytes', status: locLenErr, target: (p) => p.word, data: (p) => p.result.part(0, 4) },
  { what: 'of sixteen bytes', status: locLenErr, target: (p) => p.word, data: (p) => p.result },
  {
    what: 'into memory without the right to write',
    status: locProtErr,
    target: (p) => p.word,
    data: (p) => p.readOnly,
    executes: true,
  },
];

/**
 * Atomics that must be refused, each of which ends a connection: rights of queue pair and region, addresses, keys, lengths
 * (T-046, T-048, roce-transport.md 4.2). A word is changed by none of them, but by those before and after. A NIC with
 * discard says nothing (`+NIC_ATOMIC_DISCARD=1`): then the requester gives up.
 */
export class RefusedAtomics extends UserSequence {
  static readonly typeName: string = 'refused_atomics';
  static readonly description: string =
    'atomics that must be refused: rights, addresses, keys, lengths; +RC_QP_NUM=12 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const random = this.streamOf(connection, 'psns');
    const places: Places = {
      word: (yield* right.words(3 * WORD)).part(WORD, WORD),
      plain: yield* right.sink(WORD),
      result: yield* left.sink(2 * WORD),
      readOnly: yield* left.source(WORD),
    };
    const word = new Word(right, places.word, 100n);
    for (let i = 0; i < this.count; i++) {
      const { what, status, target, data, changed = {}, executes, keyless } = CASES[(index + i) % CASES.length] as Case;
      yield* this.#good(connection, places, word);
      yield* resetBoth(left, right);
      yield* connectAgain(left, right, random, { ...USUAL, ...changed });
      yield* left.fetchAdd(data?.(places) ?? places.result.part(0, WORD), target(places), ADD);
      if (executes === true) word.add(ADD);
      const keyFirst = keyless === true && !this.alignmentBeforeKey(right.host);
      this.expectStatus(yield* left.sent(), keyFirst ? remAccessErr : status, `FETCH_ADD ${what}`);
      yield* delay(REST);
      this.#held(word, what);
      yield* resetBoth(left, right);
      yield* connectAgain(left, right, random, USUAL);
      yield* this.#good(connection, places, word);
    }
  }

  *#good({ left }: Connection, { word: target, result }: Places, word: Word): Proc<void> {
    yield* left.fetchAdd(result.part(0, WORD), target, ADD);
    word.add(ADD);
    this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
    this.#held(word, 'that is right');
  }

  #held(word: Word, what: string): void {
    const { contents, value } = word;
    if (contents === value) return;
    this.error(
      'SEQ_ATOMIC',
      `after a FETCH_ADD ${what} the word holds ${hexWord(contents)}; ${hexWord(value)} is right`,
      [word.subject],
    );
  }
}

/** Every case begins with these. */
const USUAL: ConnectAttributes = {
  accessFlags: ACCESS.remoteRead | ACCESS.remoteWrite | ACCESS.remoteAtomic,
  maxRdAtomic: 4,
  maxDestRdAtomic: 4,
};
