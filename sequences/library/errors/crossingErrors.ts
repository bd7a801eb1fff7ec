import { QP_STATE, QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { type Proc, delay, joinAll } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Requests of a side at most, and bytes of one: several packets at most MTUs. */
const REQUESTS = 14;
const LONGEST = 9000;
const LONGEST_PAUSE = 2 * US;
/**
 * Codes of ACK time-outs, 34 and 67 ms, and numbers of retries: more than slow buses need for answers, and soon over for
 * a side that gets none any more.
 */
const TIMEOUTS = [13, 14] as const;
const RETRIES = [1, 3] as const;
const OPCODES = [WR_OPCODE.send, WR_OPCODE.rdmaWrite, WR_OPCODE.rdmaRead] as const;

/** How a request can be wrong. */
type Wrong = 'remote key' | 'receive' | 'local key';

/** Requests of one direction, and which of them is wrong. */
interface Plan {
  readonly way: OneWay;
  readonly opcodes: readonly number[];
  readonly lengths: readonly number[];
  /** Place of the wrong request, -1 for none. */
  readonly at: number;
  readonly wrong: Wrong;
}

/** What the left side does wrong, or with `stops` its software, and whether the right side does the same. */
interface Case {
  readonly what: string;
  readonly wrong?: Wrong;
  readonly opcode?: number;
  readonly both?: boolean;
  readonly stops?: boolean;
}

const CASES: readonly Case[] = [
  { what: 'WRITE with no key', wrong: 'remote key', opcode: WR_OPCODE.rdmaWrite },
  { what: 'READ with no key', wrong: 'remote key', opcode: WR_OPCODE.rdmaRead },
  { what: 'SEND into a receive with no key', wrong: 'receive', opcode: WR_OPCODE.send },
  { what: 'SEND with no local key', wrong: 'local key', opcode: WR_OPCODE.send },
  { what: 'READs with no key of both sides', wrong: 'remote key', opcode: WR_OPCODE.rdmaRead, both: true },
  { what: 'WRITEs with no key of both sides', wrong: 'remote key', opcode: WR_OPCODE.rdmaWrite, both: true },
  { what: 'WRITEs with no local key of both sides', wrong: 'local key', opcode: WR_OPCODE.rdmaWrite, both: true },
  { what: 'queue pair that software takes to ERR', stops: true },
];

const NOTHING_WRONG: Case = { what: 'nothing' };

/** Status of a request that is wrong in each way. */
const STATUS: Record<Wrong, number> = {
  'remote key': WC_STATUS.remAccessErr,
  receive: WC_STATUS.remOpErr,
  'local key': WC_STATUS.locProtErr,
};

/**
 * Errors that meet traffic the other way: both sides of a connection have SENDs, WRITEs and READs under way when one of
 * the left side fails, or one of each side. A responder that refuses goes to ERR with requests of its own; a requester
 * that fails leaves those of the other side without answers. Every request must end once, those before the error well
 * and those behind it flushed, and every receive. With eight connections every case is played.
 */
export class CrossingErrors extends UserSequence {
  static readonly typeName: string = 'crossing_errors';
  static readonly description: string = 'requests that fail while both sides send; +RC_QP_NUM=8 plays all cases';
  override readonly needs = { capabilities: ['sqd', 'naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const played = CASES[index % CASES.length] as Case;
    const there = yield* this.#plan(connection, left, right, played);
    const back = yield* this.#plan(connection, right, left, played.both === true ? played : NOTHING_WRONG);
    yield* changeDrained(left, this.#patience(connection, 'left'));
    yield* changeDrained(right, this.#patience(connection, 'right'));
    for (const plan of [there, back]) yield* receives(plan);
    const posting = [there, back].map((plan, i) => {
      return this.run.processes.spawn(`posting${i}`, this.#post(connection, plan));
    });
    if (played.stops === true) yield* this.#stop(connection);
    yield* joinAll(posting);
    yield* this.#sent(there, played);
    yield* this.#sent(back, played);
    yield* this.#received(there, right, played);
    yield* this.#received(back, left, played);
  }

  *#plan(connection: Connection, from: QpSide, to: QpSide, { wrong, opcode }: Case): Proc<Plan> {
    const random = this.streamOf(connection, `requests of host ${from.host}`);
    const count = Math.min(REQUESTS, from.qp.maxSendWr, to.qp.maxRecvWr);
    const at = wrong === undefined ? -1 : random.range(0, count - 1);
    const opcodes = Array.from({ length: count }, () => random.pick(OPCODES) as number);
    const lengths = opcodes.map(() => random.range(0, LONGEST));
    if (at >= 0) {
      opcodes[at] = opcode as number;
      lengths[at] = random.range(1, LONGEST);
    }
    const way = yield* oneWay(from, to, LONGEST * count);
    return { way, opcodes, lengths, at, wrong: wrong ?? 'remote key' };
  }

  #patience(connection: Connection, side: string) {
    const random = this.streamOf(connection, `patience ${side}`);
    return { timeout: random.range(...TIMEOUTS), retryCnt: random.range(...RETRIES) };
  }

  *#post(connection: Connection, plan: Plan): Proc<void> {
    const random = this.streamOf(connection, `pauses of host ${plan.way.from.host}`);
    for (const i of plan.opcodes.keys()) {
      if (random.chance(0.5)) yield* delay(random.range(0, LONGEST_PAUSE));
      yield* request(plan, i);
    }
  }

  *#stop(connection: Connection): Proc<void> {
    yield* delay(this.streamOf(connection, 'stop').range(0, REQUESTS * LONGEST_PAUSE));
    yield* connection.left.api.modifyQp(connection.left.qp, { state: QP_STATE.err });
  }

  /** Some requests have gone well, then one may have failed, and what is behind it is flushed. */
  *#sent({ way, opcodes, at, wrong }: Plan, { what, both }: Case): Proc<void> {
    let failed = false;
    for (const i of opcodes.keys()) {
      const completion = yield* way.from.sent();
      if (failed) this.expectStatus(completion, WC_STATUS.wrFlushErr, `behind the ${what}`);
      else if (i === at && both !== true) this.expectStatus(completion, STATUS[wrong], what);
      else failed = this.#isFailure(completion, i === at ? STATUS[wrong] : undefined, what);
      if (i === at) failed = true;
    }
  }

  /** @param own status of a request that is wrong itself, and may fail before or behind what the other side does wrong */
  #isFailure(completion: Completion, own: number | undefined, what: string): boolean {
    const { status } = completion;
    const possible = [own, WC_STATUS.wrFlushErr, WC_STATUS.retryExcErr];
    this.expectStatus(completion, possible.includes(status) ? status : WC_STATUS.success, `beside the ${what}`);
    return status !== WC_STATUS.success;
  }

  /** What is left when nothing has taken the side to ERR is flushed by its software. */
  *#received({ opcodes, at, wrong }: Plan, side: QpSide, { what }: Case): Proc<void> {
    if (side.qp.state !== QP_STATE.err) yield* side.api.modifyQp(side.qp, { state: QP_STATE.err });
    let failed = false;
    for (const i of opcodes.keys()) {
      if (opcodes[i] !== WR_OPCODE.send) continue;
      const completion = yield* side.received();
      const own = i === at && wrong === 'receive' ? WC_STATUS.locProtErr : undefined;
      if (failed) this.expectStatus(completion, WC_STATUS.wrFlushErr, `receive behind the ${what}`);
      else failed = this.#isFailure(completion, own, what);
    }
  }
}

/** Posts a receive for every SEND. */
function* receives({ way, opcodes, lengths, at, wrong }: Plan): Proc<void> {
  for (const i of opcodes.keys()) {
    if (opcodes[i] !== WR_OPCODE.send) continue;
    const into = way.sink.part(i * LONGEST, lengths[i] as number);
    yield* way.to.receive(i === at && wrong === 'receive' ? into.withKey(NO_KEY) : into);
  }
}

/** Posts request `i`. */
function* request({ way, opcodes, lengths, at, wrong }: Plan, i: number): Proc<void> {
  const { from, source, target, copy, remote } = way;
  const part = (of: RegisteredBuffer): RegisteredBuffer => of.part(i * LONGEST, lengths[i] as number);
  const local = (of: RegisteredBuffer): RegisteredBuffer => damaged(part(of), i === at && wrong === 'local key');
  const other = (of: RegisteredBuffer): RegisteredBuffer => damaged(part(of), i === at && wrong === 'remote key');
  if (opcodes[i] === WR_OPCODE.send) yield* from.send(local(source));
  else if (opcodes[i] === WR_OPCODE.rdmaWrite) yield* from.write(local(source), other(target));
  else yield* from.read(local(copy), other(remote));
}

function damaged(buffer: RegisteredBuffer, isWrong: boolean): RegisteredBuffer {
  return isWrong ? buffer.withKey(NO_KEY) : buffer;
}
