/**
 * Random requests of all kinds in both directions over a link that loses, delays and duplicates frames; what must have
 * come of them is known beforehand: every request has areas of its own.
 */
import type { SendWr, WorkCompletion } from '../../../../agents/verbs/verbsItems.ts';
import { WC_STATUS } from '../../../../rdma/verbs.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { BluePair, type PairEnd, type PairOptions, read, receive, send, write } from './bluePair.ts';

export interface TrafficOptions extends PairOptions {
  readonly seed: string;
  /** Requests of each end, and the longest of them in bytes. */
  readonly requests?: number;
  readonly longest?: number;
  /** Chances of what happens to a frame. */
  readonly loss?: number;
  readonly delay?: number;
  readonly duplicates?: number;
}

/** Longest extra delay of a frame, and distance of a duplicate, ps. */
const LATE = 60_000_000;
const GAP = 64;

interface Expected {
  readonly end: PairEnd;
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly what: string;
}

/** What was wrong, one line each; empty when all was right. */
export function randomTraffic(options: TrafficOptions): { problems: string[]; pair: BluePair } {
  const { seed, requests = 12, longest = 20_000, loss = 0, delay = 0, duplicates = 0 } = options;
  const draws = new FastStream(`traffic ${seed}`);
  const pair = new BluePair({ regionBytes: 4 << 20, ...options });
  pair.world.link.keep = false;
  const frames = new FastStream(`frames ${seed}`);
  pair.world.link.fate = () => {
    const late = frames.chance(delay) ? frames.below(LATE) : 0;
    const copies = frames.chance(duplicates) ? [frames.below(LATE)] : [];
    return frames.chance(loss) ? [] : [late, ...copies];
  };
  const expected: Expected[] = [];
  const problems: string[] = [];
  const plans = [0, 1].map((i) => planOf(pair, i as 0 | 1, requests, longest, draws, expected, seed));
  const results = pair.run(playAll(pair, plans));
  results.forEach((result, i) => {
    check(result, plans[i] as Plan, problems, `host ${i}`);
    for (const wc of pair.poll(pair.ends[i as 0 | 1])) problems.push(`host ${i}: extra completion of ${wc.wrId}`);
  });
  for (const { end, offset, bytes, what } of expected) {
    const found = pair.bytes(end, end.target, offset, bytes.length);
    const at = found.findIndex((byte, i) => byte !== bytes[i]);
    if (at >= 0) problems.push(`${what} of ${bytes.length} bytes differs at byte ${at}`);
  }
  problems.push(...pair.errors);
  if (pair.world.blocks.inUse > 0) problems.push(`${pair.world.blocks.inUse} blocks left`);
  return { problems, pair };
}

interface Plan {
  readonly wrs: SendWr[];
  /** Receives that the peer posts for them, in order: bytes of the message. */
  readonly received: number[];
}

function planOf(
  pair: BluePair,
  i: 0 | 1,
  count: number,
  longest: number,
  draws: FastStream,
  expected: Expected[],
  seed: string,
): Plan {
  const end = pair.ends[i];
  const peer = pair.ends[(1 - i) as 0 | 1];
  const plan: Plan = { wrs: [], received: [] };
  // Own target: the lower half is the peer's to write to, the upper half is for what is read.
  let at = draws.below(GAP);
  let toPeer = draws.below(GAP);
  let toSelf = (2 << 20) + draws.below(GAP);
  for (let n = 0; n < count; n++) {
    const length = draws.chance(0.1) ? 0 : 1 + draws.below(draws.chance(0.5) ? 600 : longest);
    const kind = draws.below(5);
    const what = `host ${i} request ${n} (${['WRITE', 'WRITE_IMM', 'SEND', 'SEND_IMM', 'READ'][kind]})`;
    const fields = { wrId: n, at };
    const imm = draws.uint32() | 0;
    if (kind === 4) {
      const bytes = pair.fill(peer, peer.source, (2 << 20) + at, length, `${seed} ${what}`);
      plan.wrs.push(read(end, peer, length, { wrId: n, at: toSelf, to: (2 << 20) + at }));
      expected.push({ end, offset: toSelf, bytes, what });
      toSelf += length + draws.below(GAP);
    } else {
      const bytes = pair.fill(end, end.source, at, length, `${seed} ${what}`);
      const isSend = kind >= 2;
      const extra = isSend ? { imm } : { imm, to: toPeer };
      const { imm: _, ...plain } = extra;
      const chosen = { ...fields, ...((kind & 1) === 1 ? extra : plain) };
      plan.wrs.push(isSend ? send(end, length, chosen) : write(end, peer, length, chosen));
      if (isSend || kind === 1) {
        pair.hosts[1 - i]?.postRecv(
          peer.qp,
          [receive(peer, length + draws.below(9), { wrId: plan.received.length, at: toPeer })],
          1,
        );
        plan.received.push(length);
      }
      expected.push({ end: peer, offset: toPeer, bytes, what });
      toPeer += length + 9 + draws.below(GAP);
    }
    at += length + draws.below(GAP);
  }
  return plan;
}

interface Result {
  readonly completions: WorkCompletion[];
}

function* playAll(pair: BluePair, plans: readonly Plan[]): Proc<Result[]> {
  const results: Result[] = [];
  for (const [i, plan] of plans.entries()) {
    const end = pair.ends[i as 0 | 1];
    for (const wr of plan.wrs) yield* end.api.postSend(end.qp, [wr], 1);
  }
  for (const [i, plan] of plans.entries()) {
    const own = (plans[1 - i] as Plan).received.length;
    results.push({ completions: yield* pair.take(pair.ends[i as 0 | 1], plan.wrs.length + own) });
  }
  return results.map((result, i) => ({ ...result, received: (plans[1 - i] as Plan).received }));
}

function check(result: Result, plan: Plan, problems: string[], who: string): void {
  const sends = result.completions.filter(({ isSend }) => isSend);
  const receives = result.completions.filter(({ isSend }) => !isSend);
  const wanted = (result as Result & { received: number[] }).received;
  for (const { wrId, status } of result.completions) {
    if (status !== WC_STATUS.success) problems.push(`${who}: status ${status} of ${wrId}`);
  }
  if (sends.some(({ wrId }, n) => wrId !== n) || sends.length !== plan.wrs.length)
    problems.push(`${who}: order of sends`);
  if (receives.some(({ wrId, byteLen }, n) => wrId !== n || byteLen !== wanted[n])) {
    problems.push(`${who}: order or length of receives`);
  }
}
