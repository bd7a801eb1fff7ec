import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { ask, type OneWay, waysOf } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { FAILURES, PATIENCE } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Connections that talk before and behind: their regions take the places of others in small caches. */
const MOST_OTHERS = 4;

/** What a SEND ends with that has come to its receiver, which may have taken longer to fail than its sender has tried. */
const TAKEN: readonly number[] = [WC_STATUS.success, WC_STATUS.remOpErr, WC_STATUS.retryExcErr];

/** Whose translation fails, and in which request. */
interface Case {
  readonly what: string;
  readonly side: 'left' | 'right';
  readonly holds: 'data' | 'queue';
  /** The event that tells of it finds no place at first either. */
  readonly event?: true;
  readonly request: 'send' | 'write' | 'read';
}

const CASES: readonly Case[] = [
  { what: 'what a SEND carries', side: 'left', holds: 'data', request: 'send' },
  { what: 'where a SEND goes', side: 'right', holds: 'data', request: 'send' },
  { what: 'where a WRITE goes', side: 'right', holds: 'data', request: 'write' },
  { what: 'from where a READ is answered', side: 'right', holds: 'data', request: 'read' },
  { what: 'where the answer to a READ goes', side: 'left', holds: 'data', request: 'read' },
  { what: 'a send queue', side: 'left', holds: 'queue', request: 'write' },
  { what: 'a receive queue', side: 'right', holds: 'queue', request: 'send' },
  { what: 'where a WRITE goes, and of an event queue', side: 'right', holds: 'data', event: true, request: 'write' },
];

/**
 * Translation entries that a NIC cannot read: the request that needs them ends as if its data, or its entry in a queue, could not
 * be read, and nothing else does (roce-transport.md 4.2, 5.1). Entries are read only when they are not on the chip: small caches
 * (`+NIC_MPT_CACHE=8 +NIC_MTT_CACHE=8`) and more regions than they hold; what a rule does not meet goes well.
 */
export class LostTranslations extends UserSequence {
  static readonly typeName: string = 'lost_translations';
  static readonly description: string =
    'translation entries that cannot be read; +NIC_MPT_CACHE=8 +NIC_MTT_CACHE=8 +RC_QP_NUM=6 +SEQ_COUNT=32 plays all cases';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const ways = yield* waysOf(this);
    yield* byTurns(this, (connection, i) => this.#turn(connection, ways, i));
  }

  *#turn(connection: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const own = ways.find(({ from }) => from === connection.left);
    if (own === undefined) return;
    const others = ways.filter((way) => way !== own).slice(0, MOST_OTHERS);
    for (const way of others) yield* talk(this, way);
    const played = CASES[round % CASES.length] as Case;
    const how = FAILURES[Math.floor(round / CASES.length) % FAILURES.length] as string;
    yield* this.#play(own, played, how);
    for (const way of others) yield* talk(this, way);
    yield* this.quiet();
    yield* resetBoth(own.from, own.to);
    yield* connectAgain(own.from, own.to, this.streamOf(connection, `psns ${round}`));
    yield* talk(this, own);
  }

  *#play(own: OneWay, { what, side, holds, event, request }: Case, how: string): Proc<void> {
    const { from, to } = own;
    const { host } = side === 'left' ? from : to;
    const fault = this.pcie.fault(`${how} area=translation holds=${holds} host=${host} nth=1 optional`);
    const late =
      event === undefined
        ? undefined
        : this.pcie.fault(`${how} area=translation holds=event host=${host} nth=1 optional`);
    yield* ask(own, request);
    const completion = yield* from.sent();
    if (fault.fired === 0) this.expectSuccess(completion, `request without a fault of ${what}`);
    // The receive has ended too: with its message, with an error of its own, or flushed.
    if (request === 'send' && TAKEN.includes(completion.status)) yield* to.received();
    yield* delay(PATIENCE);
    fault.stop();
    late?.stop();
  }
}
