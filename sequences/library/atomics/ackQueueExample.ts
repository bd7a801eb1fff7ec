import type { AccessArea } from '../../../agents/pcie/faults/place/accessPlace.ts';
import { BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import type { TrafficWatcher } from '../../host/trafficWatcher.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { hexWord, WORD, Word, wordIn } from '../../host/atomicWords.ts';

/** The example of the source: what memory holds, what is added, and what it holds then. */
const MEMORY = 0x7776_7574_7372_7170n;
const ADD = 0x0363_28fe_883a_1230n;
const SUM = 0x7ad9_9e72_fbac_83a0n;
/** Regions that push the translation of the word off a chip with small caches. */
const OTHERS = 64;
/** Offset of the BTH in a frame over IPv4, and over IPv6. */
const BTH_AT = { ipv4: 42, ipv6: 62 } as const;

/** Times of what happens at the responder, first and second of each. */
class Moments implements TrafficWatcher {
  readonly requests: SimTime[] = [];
  readonly reads: SimTime[] = [];
  readonly writes: SimTime[] = [];
  readonly entries: SimTime[] = [];
  readonly lookUps: SimTime[] = [];
  readonly answers: SimTime[] = [];
  readonly #host: number;
  readonly #bth: number;
  readonly #now: () => SimTime;
  readonly #u8: () => Uint8Array;

  constructor(host: number, ipv6: boolean, now: () => SimTime, u8: () => Uint8Array) {
    this.#host = host;
    this.#bth = ipv6 ? BTH_AT.ipv6 : BTH_AT.ipv4;
    this.#now = now;
    this.#u8 = u8;
  }

  arrived(host: number, data: number): void {
    if (host === this.#host && this.#opcode(data) === BTH_OP.fetchAdd) this.requests.push(this.#now());
  }

  sent(host: number, data: number, _length: number, time: SimTime): void {
    if (host === this.#host && this.#opcode(data) === BTH_OP.atomicAcknowledge) this.answers.push(time);
  }

  accessed(host: number, isWrite: boolean, area: AccessArea, length: number): void {
    if (host !== this.#host || this.requests.length === 0) return;
    if (area === 'results') (isWrite ? this.entries : this.lookUps).push(this.#now());
    else if (area === 'data' && length === WORD) (isWrite ? this.writes : this.reads).push(this.#now());
  }

  #opcode(data: number): number {
    return this.#u8()[data + this.#bth] as number;
  }
}

/**
 * The example of the published ACK queue: a fetch-and-add whose answer is lost, and its repeat, which is answered from the
 * queue and changes nothing (roce-transport.md 9). Prints the six moments of the source with their times at the responder.
 */
export class AckQueueExample extends UserSequence {
  static readonly typeName: string = 'ack_queue_example';
  static readonly description: string = 'the example of the published ACK queue, with its six times';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;

  override *connection(connection: Connection): Proc<void> {
    // One connection is the example; others would take its place on the buses.
    if (connection.index > 0) return;
    const { left, right } = connection;
    const { scheduler, bytes } = this.run;
    const target = yield* right.words(WORD);
    const result = yield* left.sink(WORD);
    for (let i = 0; i < OTHERS; i++) yield* right.sink(WORD);
    const word = new Word(right, target, MEMORY);
    const moments = new Moments(
      right.host,
      left.qp.ipv6,
      () => scheduler.now,
      () => bytes.u8,
    );
    this.watch(moments);
    const lost = this.link.fault(`drop host=${right.host} qpn=${right.qp.qpn} opcode=atomic_acknowledge nth=1`);
    yield* left.fetchAdd(result, target, ADD);
    word.add(ADD);
    this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
    lost.stop();
    this.#values(wordIn(left, result), word.contents);
    this.#tell(moments);
  }

  #values(original: bigint, contents: bigint): void {
    if (original !== MEMORY)
      this.error('SEQ_ATOMIC', `the repeat returned ${hexWord(original)}, not ${hexWord(MEMORY)}`);
    if (contents !== SUM) this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}, not ${hexWord(SUM)}`);
  }

  #tell(m: Moments): void {
    const [begin = 0, again = 0] = m.requests;
    const [answer = 0, second = 0] = m.answers;
    const texts: readonly (readonly [SimTime | undefined, string])[] = [
      [m.requests[0], `FETCH_ADD arrives, opcode 0x14, add ${hexWord(ADD)}`],
      [m.reads[0], 'address translated, 8 bytes are read from the word'],
      [m.writes[0], `${hexWord(MEMORY)} has come, the sum ${hexWord(SUM)} is written`],
      [
        m.answers[0],
        `${hexWord(MEMORY)} is in the ACK queue (written ${formatTime(m.entries[0] ?? 0)}), the answer leaves`,
      ],
      [m.requests[1], 'the answer was lost: the FETCH_ADD comes again'],
      [
        m.answers[1],
        `its result is read from the ACK queue (asked ${formatTime(m.lookUps[0] ?? 0)}), the answer leaves`,
      ],
    ];
    for (const [i, [time, text]] of texts.entries()) {
      if (time === undefined) this.error('SEQ_ATOMIC', `moment ${i + 1} has not come: ${text}`);
      else this.info('ACK_QUEUE', `moment ${i + 1} at ${formatTime(time)}: ${text}`);
    }
    const repeats = `${m.reads.length} reads and ${m.writes.length} writes of the word`;
    if (m.reads.length !== 1 || m.writes.length !== 1) this.error('SEQ_ATOMIC', `${repeats}; there is one of each`);
    this.info(
      'ACK_QUEUE',
      `first answer ${formatTime(answer - begin)} after the request, repeat ${formatTime(second - again)}`,
    );
  }
}
