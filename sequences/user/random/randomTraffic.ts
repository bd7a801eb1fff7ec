/** Requests and receives of a side of a connection, drawn at random, for sequences that do not care what becomes of them. */

import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { MTU_BYTES, QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { RandomAtomics } from './randomAtomics.ts';
import type { RandomHandles } from './randomHandles.ts';
import type { RandomKeys } from './randomKeys.ts';
import type { RandomSignals } from './randomSignals.ts';
import type { QpSide, SendOptions } from '../qpSide.ts';
import type { RegisteredBuffer } from '../memory/registeredBuffer.ts';

const BUFFERS = 3;
/** Bytes of each buffer, and of the longest message: several packets at any MTU. Receives have room for that. */
export const BUFFER_BYTES = 12_000;
export const LONGEST_MESSAGE = 6000;
const ENTRIES = 3;
const BURST = 5;
const OFFSETS = 1000;
const SHORT_RECEIVE = 200;
const KINDS = { send: 0, write: 1, read: 2 } as const;
/** Kinds of requests that each service has, of the first so many. */
const KINDS_OF: Readonly<Record<QpType, number>> = {
  [QP_TYPE.rc]: 3,
  [QP_TYPE.uc]: 2,
  [QP_TYPE.ud]: 1,
  [QP_TYPE.raw]: 1,
};

/** A side with the memory that it sends from and receives into; what is taken away is put into `gone`. */
export interface TrafficSide {
  readonly side: QpSide;
  readonly peer: QpSide;
  readonly sources: RegisteredBuffer[];
  readonly sinks: RegisteredBuffer[];
  readonly gone: RegisteredBuffer[];
  readonly random: RandomStream;
  /** Where some requests are atomics: those, and how many percent. */
  atomics?: { readonly of: RandomAtomics; readonly percent: number } | undefined;
  /** Where some requests ask for no completion. */
  signals?: RandomSignals | undefined;
  /** Where some datagrams have address handles of their own. */
  handles?: RandomHandles | undefined;
  /** Where keys are changed under requests of the peer. */
  keys?: RandomKeys | undefined;
}

/** Registers the memory of a side. */
export function* trafficSide(side: QpSide, peer: QpSide, random: RandomStream): Proc<TrafficSide> {
  const sources: RegisteredBuffer[] = [];
  const sinks: RegisteredBuffer[] = [];
  for (let i = 0; i < BUFFERS; i++) {
    sources.push(yield* side.source(BUFFER_BYTES));
    sinks.push(yield* side.sink(BUFFER_BYTES));
  }
  return { side, peer, sources, sinks, gone: [], random };
}

/** Posts up to `BURST` requests to `to`, as far as there is room. */
export function* postRequests(from: TrafficSide, to: TrafficSide): Proc<void> {
  const { random, side } = from;
  for (let n = random.range(1, BURST); n > 0 && side.qp.sendOutstanding < side.qp.maxSendWr; n--)
    yield* postRequest(from, to);
}

/** Posts up to `BURST` receives, a few of them too short for most messages. */
export function* postReceives(to: TrafficSide): Proc<void> {
  const { random } = to;
  for (let n = random.range(1, BURST); n > 0; n--) yield* postReceive(to, random.chance(0.03));
}

/** Posts a receive if there is room. */
export function* postReceive({ side, sinks, random }: TrafficSide, short = false): Proc<void> {
  if (side.qp.recvOutstanding >= side.qp.maxRecvWr) return;
  const sink = random.pick(sinks);
  const room = short ? random.range(0, SHORT_RECEIVE) : LONGEST_MESSAGE;
  try {
    yield* side.receive(sink.part(random.range(0, OFFSETS), room));
  } catch (error) {
    // Of shared receives another side may have posted the last one that there was room for.
    if (side.qp.srq === null || !(error instanceof HostApiError && error.kind === 'QUEUE_FULL')) throw error;
  }
}

/** A part of a buffer: none, a few bytes, about a packet, or anything up to `most`. */
export function drawPart(random: RandomStream, buffer: RegisteredBuffer, most: number): RegisteredBuffer {
  const length = random.weighted([
    [1, 0],
    [4, random.range(1, 64)],
    [4, random.range(1, 1200)],
    [2, random.range(1000, 1100)],
    [2, random.range(1, buffer.length)],
  ]);
  return randomPart(random, buffer, Math.min(length, most));
}

function* postRequest(from: TrafficSide, to: TrafficSide): Proc<void> {
  const { random, side } = from;
  const { qp } = side;
  if (from.atomics?.of.isNext(from.atomics.percent) === true) {
    yield* from.atomics.of.post();
    return;
  }
  if (from.keys?.isNext() === true) {
    yield* from.keys.post(() => from.signals?.next() ?? true);
    return;
  }
  const kind = random.range(0, KINDS_OF[qp.type] - 1);
  const options = { solicited: random.chance(0.3), fence: random.chance(0.2), ...signaledOf(from) };
  if (kind === KINDS.read) {
    const into = drawPart(random, random.pick(from.sinks), LONGEST_MESSAGE);
    yield* side.read(into, randomPart(random, random.pick(to.sources), into.length), options);
    return;
  }
  const inline = random.chance(0.3) && side.api.capabilities.inline;
  const longest = qp.type === QP_TYPE.ud ? (MTU_BYTES[qp.pathMtu] as number) : LONGEST_MESSAGE;
  const data = drawList(from, inline ? Math.min(qp.maxInline, longest) : longest);
  const imm = random.chance(0.3) ? { imm: random.uint32() } : {};
  const all = { ...options, ...imm, inline };
  if (kind === KINDS.send) yield* sendBy(from, data, all);
  else yield* side.write(data, randomPart(random, random.pick(to.sinks), bytesOf(data)), all);
}

function* sendBy({ side, handles }: TrafficSide, data: readonly RegisteredBuffer[], options: SendOptions): Proc<void> {
  const handle = handles?.next();
  yield* side.send(data, handle === undefined ? options : { ...options, handle });
  handles?.posted();
}

function signaledOf({ signals }: TrafficSide): { readonly signaled?: boolean } {
  return signals === undefined ? {} : { signaled: signals.next() };
}

/** A list of parts of sources, with `most` bytes together. */
function drawList({ random, sources, side }: TrafficSide, most: number): RegisteredBuffer[] {
  const list: RegisteredBuffer[] = [];
  for (let n = random.range(1, Math.min(ENTRIES, side.qp.maxSge)); n > 0; n--)
    list.push(drawPart(random, random.pick(sources), most - bytesOf(list)));
  return list;
}

function randomPart(random: RandomStream, buffer: RegisteredBuffer, length: number): RegisteredBuffer {
  return buffer.part(random.range(0, buffer.length - length), length);
}

function bytesOf(list: readonly RegisteredBuffer[]): number {
  return list.reduce((sum, { length }) => sum + length, 0);
}
