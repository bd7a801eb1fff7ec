/** What a blue-rdma NIC with its driver has to pass; each says what was wrong, one line for each mistake. */
import type { BlueBlocks } from '../../../../dut-model/blue-rdma/model/blueBlocks.ts';
import type { DriverParts } from '../../../../dut-model/blue-rdma/driver/driverParts.ts';
import { ACCESS, QP_STATE, SEND_FLAG, WC_FLAG, WC_STATUS } from '../../../../rdma/verbs.ts';
import { delay } from '../../../../uvm/kernel/process.ts';
import { BluePair, type PairEnd, type PairOptions, read, receive, send, write } from './bluePair.ts';
import type { SeenFrame } from './blueLink.ts';
import { checkProblems } from './receiveChecks.ts';
import { randomTraffic } from './randomTraffic.ts';
import { wireProblems } from './wireRules.ts';

/** What is to be tried: the usual NIC and driver, or others. */
export interface Device {
  readonly blocks?: Partial<BlueBlocks>;
  readonly parts?: Partial<DriverParts>;
}

export type Scenario = (device: Device) => string[];

const MTU = 512;
const isRetry = ({ bytes }: SeenFrame): boolean => ((bytes[43] as number) & 0x40) !== 0;

function pairOf({ blocks = {}, parts = {} }: Device, options: PairOptions = {}): BluePair {
  const attributes = { mtu: MTU, timeout: 6, ...options.attributes };
  return new BluePair({ ...options, blocks, settings: { ...options.settings, parts }, attributes });
}

function differs(pair: BluePair, end: PairEnd, at: number, bytes: Uint8Array, what: string): string[] {
  const found = pair.bytes(end, end.target, at, bytes.length);
  return found.every((byte, i) => byte === bytes[i]) ? [] : [`${what}: wrong bytes`];
}

function traffic(name: string, options: object, seeds = 3): Scenario {
  return ({ blocks = {}, parts = {} }) => {
    for (let seed = 0; seed < seeds; seed++) {
      const attributes = { mtu: [256, 1024, 512][seed % 3] as number, timeout: 6 };
      const given = { attributes, ...options } as { settings?: object };
      const settings = { ...given.settings, parts };
      const { problems } = randomTraffic({ seed: `${name} ${seed}`, ...given, blocks, settings });
      if (problems.length > 0) return problems;
    }
    return [];
  };
}

/** Unaligned messages of all kinds without a loss: every frame as the rules say, nothing twice, no time-out. */
const cleanWire: Scenario = (device) => {
  const pair = pairOf(device, { regionBytes: 3 << 20, knobs: { CHANNELS: 2 }, attributes: { timeout: 10 } });
  const [a, b] = pair.ends;
  const problems: string[] = [];
  const data = pair.fill(a, a.source, 11, 200_003, 'clean');
  pair.run(
    (function* () {
      yield* b.api.postRecv(b.qp, [receive(b, 3000, { at: 500_001 }), receive(b, 0)], 2);
      const wrs = [
        write(a, b, 200_003, { wrId: 0, at: 11, to: 0x1f_ff03 }),
        send(a, 3000, { wrId: 1, at: 11, flags: SEND_FLAG.signaled | SEND_FLAG.solicited }),
        write(a, b, 0, { wrId: 2 }),
        read(a, b, 70_001, { wrId: 3, at: 7, to: 9 }),
        write(a, b, 700, { wrId: 4, imm: 0x1234_5678, to: 1 }),
        ...Array.from({ length: 12 }, (_, i) => write(a, b, 40, { wrId: 5 + i })),
        write(a, b, 100_000, { wrId: 17 }),
      ];
      yield* a.api.postSend(a.qp, wrs, wrs.length);
      const done = yield* pair.take(a, wrs.length);
      done.forEach(({ wrId, status }, i) => {
        if (wrId !== i || status !== WC_STATUS.success) problems.push(`completion ${i}: ${wrId}, status ${status}`);
      });
    })(),
  );
  const { frames } = pair.world.link;
  problems.push(...differs(pair, b, 0x1f_ff03, data, 'WRITE'), ...wireProblems(frames, 0, MTU));
  problems.push(...wireProblems(frames, 1, MTU));
  if (frames.some((frame) => frame.from === 0 && isRetry(frame))) problems.push('something was sent again');
  if (!frames.some(({ bytes }) => ((bytes[43] as number) & 0x80) !== 0)) problems.push('nothing was solicited');
  for (const { driver } of pair.ends) if (driver.timeouts.expired > 0) problems.push('a time-out without a loss');
  for (const { reads, writes } of pair.world.hosts) problems.push(...blockProblems(reads, writes));
  if (frames.some(isLossReport)) problems.push('a NIC has reported a loss');
  const received = pair.poll(b).map(({ byteLen, imm, flags }) => [byteLen, imm, flags].join());
  const wanted = ['3000,0,0', `700,${0x1234_5678},${WC_FLAG.withImm}`];
  if (String(received) !== String(wanted)) problems.push(`received ${received}`);
  return [...problems, ...pair.poll(a).map(({ wrId }) => `extra ${wrId}`)];
};

/** The NIC's own report of a loss. */
function isLossReport({ bytes }: SeenFrame): boolean {
  return bytes[42] === 0x11 && bytes[86] === 0xc0;
}

/** Descriptors are read within 512 and written within 128 aligned bytes. */
function blockProblems(reads: readonly { hi: number; lo: number; length: number }[], writes: typeof reads): string[] {
  const crosses = (block: number, at: (typeof reads)[number]): boolean =>
    at.hi === 0 && at.lo >= 0x1000_0000 && at.lo < 0x1020_0000 && (at.lo % block) + at.length > block;
  const problems: string[] = [];
  if (reads.some((r) => crosses(512, r))) problems.push('a read of descriptors crosses a block');
  if (writes.some((w) => crosses(128, w))) problems.push('a write of descriptors crosses a block');
  return problems;
}

/** Losses in a stream: only what is missing is sent again, once, and no time-out is needed. */
const selective: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 10 } });
  const [a, b] = pair.ends;
  const length = 400_000;
  const data = pair.fill(a, a.source, 0, length, 'selective');
  const lost: number[] = [];
  pair.world.link.fate = (frame) => {
    if (frame.from !== 0 || isRetry(frame) || ![37, 39, 300].includes(frame.index)) return [0];
    lost.push(frame.bytes[53] as number);
    return [];
  };
  const problems: string[] = [];
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [write(a, b, length, { to: 5 })], 1);
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.success) problems.push(`status ${done?.status}`);
    })(),
  );
  const again = pair.world.link.frames.filter((frame) => frame.from === 0 && isRetry(frame));
  if (String(again.map(({ bytes }) => bytes[53])) !== String(lost)) problems.push(`${again.length} sent again`);
  if (a.driver.timeouts.expired > 0) problems.push('a time-out');
  return [...problems, ...differs(pair, b, 5, data, 'WRITE'), ...wireProblems(pair.world.link.frames, 0, MTU)];
};

/** Reordering over exactly the whole window, all of which has arrived: no loss is reported. */
const wholeWindow: Scenario = (device) => {
  const problems: string[] = [];
  for (const lost of [-1, 130]) {
    const pair = pairOf(device, { gbps: 10, attributes: { mtu: 256, timeout: 10 } });
    const [a, b] = pair.ends;
    const data = pair.fill(a, a.source, 0, 256 * 300, 'whole window');
    // Frame 240 begins a stride, as the first PSN does; the seven strides before it come right behind it.
    const framePs = ((256 + 96 + 24) * 8000) / 10;
    pair.world.link.fate = ({ from, index }) => {
      if (from !== 0 || index < 128 || index >= 240) return [0];
      return index === lost ? [] : [Math.round((240.5 - index) * framePs)];
    };
    pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [write(a, b, 256 * 300)], 1);
        yield* pair.take(a, 1);
      })(),
    );
    const reports = pair.world.link.frames.filter(isLossReport).length;
    if (reports !== (lost < 0 ? 0 : 1)) problems.push(`${reports} reports of a loss`);
    problems.push(...differs(pair, b, 0, data, 'WRITE'));
  }
  return problems;
};

/** A burst is lost that is longer than the window. */
const burst: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { mtu: 256, timeout: 10 } });
  const [a, b] = pair.ends;
  const data = pair.fill(a, a.source, 0, 256 * 800, 'burst');
  pair.world.link.fate = ({ from, index }) => (from === 0 && index >= 100 && index < 400 ? [] : [0]);
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [write(a, b, 256 * 800)], 1);
      yield* pair.take(a, 1);
    })(),
  );
  const problems = a.driver.timeouts.expired > 0 ? ['a time-out'] : [];
  return [...problems, ...differs(pair, b, 0, data, 'WRITE')];
};

/** A loss at the end is recovered by the time-out, and in its time. */
const tail: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 6 } });
  const [a, b] = pair.ends;
  pair.world.link.fate = (frame) => (frame.from === 0 && frame.index === 9 ? [] : [0]);
  const data = pair.fill(a, a.source, 0, MTU * 10, 'tail');
  let took = 0;
  pair.run(
    (function* () {
      const start = pair.world.scheduler.now;
      yield* a.api.postSend(a.qp, [write(a, b, MTU * 10)], 1);
      yield* pair.take(a, 1);
      took = pair.world.scheduler.now - start;
    })(),
  );
  const problems = differs(pair, b, 0, data, 'WRITE');
  return took > 600_000_000 ? [...problems, `it took ${took / 1e6} us`] : problems;
};

/** A dead link: one error, the rest flushed in order. */
const deadLink: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 3, retryCnt: 2 } });
  const [a, b] = pair.ends;
  pair.world.link.fate = () => [];
  const found: string[] = [];
  pair.run(
    (function* () {
      const wrs = [write(a, b, 10, { wrId: 1 }), write(a, b, 10, { wrId: 2 })];
      yield* a.api.postSend(a.qp, wrs, 2);
      for (const { wrId, status } of yield* pair.take(a, 2)) found.push(`${wrId}:${status}`);
    })(),
  );
  const wanted = `1:${WC_STATUS.retryExcErr},2:${WC_STATUS.wrFlushErr}`;
  return String(found) === wanted ? [] : [`completions ${found}`];
};

/** The budget of time-outs begins anew with every message that gets through. */
const manyTimeouts: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 5, retryCnt: 2 } });
  const [a, b] = pair.ends;
  const problems: string[] = [];
  pair.world.link.fate = (frame) => (frame.from === 0 && !isRetry(frame) ? [] : [0]);
  pair.run(
    (function* () {
      for (let i = 0; i < 5; i++) {
        yield* a.api.postSend(a.qp, [write(a, b, 100, { wrId: i })], 1);
        const [done] = yield* pair.take(a, 1);
        if (done?.status !== WC_STATUS.success) problems.push(`message ${i}: status ${done?.status}`);
      }
    })(),
  );
  return problems;
};

/** Reports of the other direction do not put off a time-out. */
const busyOtherWay: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 6 } });
  const [a, b] = pair.ends;
  pair.world.link.keep = false;
  let first = true;
  pair.world.link.fate = (frame) => {
    if (frame.from !== 0 || (frame.bytes[42] as number) !== 0x0a || !first) return [0];
    first = false;
    return [];
  };
  const times: number[] = [];
  pair.run(
    (function* () {
      const start = pair.world.scheduler.now;
      yield* a.api.postSend(a.qp, [write(a, b, 100, { wrId: 77 })], 1);
      for (let i = 0; i < 40; i++) {
        yield* b.api.postSend(b.qp, [write(b, a, 100, { wrId: i })], 1);
        yield* pair.take(b, 1);
        times.push(...pair.poll(a).map(() => pair.world.scheduler.now - start));
      }
    })(),
  );
  const late = times.length === 0 || (times[0] as number) > 700_000_000;
  return late ? [`the lost WRITE took ${times} ps`] : [];
};

/** A message that comes again after its receiver has heard of it changes nothing. */
const lateDuplicate: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 5 } });
  const [a, b] = pair.ends;
  const problems: string[] = [];
  // The first acknowledgement of the driver is lost, so that the message is sent again.
  let lost = false;
  pair.world.link.fate = (frame) => {
    if (lost || frame.from !== 1 || frame.bytes[42] !== 0x11) return [0];
    lost = true;
    return [];
  };
  pair.fill(a, a.source, 0, 1000, 'old');
  pair.run(
    (function* () {
      yield* b.api.postRecv(b.qp, [receive(b, 1000, { wrId: 1 }), receive(b, 10, { wrId: 2, at: 5000 })], 2);
      yield* a.api.postSend(a.qp, [send(a, 1000)], 1);
      yield* pair.take(b, 1);
      const fresh = pair.fill(b, b.target, 0, 1000, 'new');
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.success) problems.push(`status ${done?.status}`);
      yield* delay(50_000_000);
      problems.push(...differs(pair, b, 0, fresh, 'buffer in use again'));
      problems.push(...pair.poll(b).map(({ wrId }) => `receive ${wrId} is complete`));
    })(),
  );
  return problems;
};

/** What is gone cannot be reached any more. */
const removed: Scenario = (device) => {
  const problems: string[] = [];
  const pair = pairOf(device, { attributes: { timeout: 3, retryCnt: 1 } });
  const [a, b] = pair.ends;
  const untouched = pair.fill(b, b.target, 0, 100, 'untouched');
  pair.run(
    (function* () {
      yield* b.api.deregMr(b.target);
      const { hi, lo, length, access } = b.target;
      const again = yield* b.api.regMr(b.pd, { hi, lo, length, access });
      if (again.key === b.target.key) problems.push('a key came back at once');
      yield* a.api.postSend(a.qp, [write(a, b, 100)], 1);
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.retryExcErr) problems.push(`stale key: status ${done?.status}`);
    })(),
  );
  problems.push(...differs(pair, b, 0, untouched, 'stale key'));
  const other = pairOf(device, { attributes: { timeout: 3, retryCnt: 1 } });
  const [c, d] = other.ends;
  const before = other.fill(d, d.target, 0, 100, 'before');
  other.run(
    (function* () {
      yield* d.api.destroyQp(d.qp);
      yield* c.api.postSend(c.qp, [write(c, d, 100)], 1);
      yield* other.take(c, 1);
    })(),
  );
  return [...problems, ...differs(other, d, 0, before, 'queue pair that is gone')];
};

/** A change of a queue pair in the middle of its traffic disturbs nothing. */
const changes: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 12 } });
  const [a, b] = pair.ends;
  const data = pair.fill(a, a.source, 0, 300_000, 'changes');
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [write(a, b, 300_000)], 1);
      for (let i = 0; i < 6; i++) {
        yield* delay(4_000_000);
        yield* b.api.modifyQp(b.qp, { state: QP_STATE.rts, accessFlags: ACCESS.remoteWrite | ACCESS.remoteRead });
      }
      yield* pair.take(a, 1);
    })(),
  );
  const again = pair.world.link.frames.some((frame) => frame.from === 0 && isRetry(frame));
  return again ? ['something was sent again'] : differs(pair, b, 0, data, 'WRITE');
};

/** A queue pair that is reset and connected again begins anew. */
const reconnected: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 5, retryCnt: 3 } });
  const [a, b] = pair.ends;
  const problems: string[] = [];
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [write(a, b, 100_000)], 1);
      yield* pair.take(a, 1);
      for (const { api, qp } of [a, b]) yield* api.modifyQp(qp, { state: QP_STATE.reset });
      const common = { timeout: 5, retryCnt: 3, mtu: MTU };
      yield* a.api.connectQp(a.qp, { host: 1, qpn: b.qp.qpn, psn: 0x40 }, { psn: 0x80, ...common });
      yield* b.api.connectQp(b.qp, { host: 0, qpn: a.qp.qpn, psn: 0x80 }, { psn: 0x40, ...common });
      const data = pair.fill(a, a.source, 0, 100_000, 'again');
      yield* a.api.postSend(a.qp, [write(a, b, 100_000)], 1);
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.success) problems.push(`status ${done?.status}`);
      problems.push(...differs(pair, b, 0, data, 'WRITE'));
    })(),
  );
  return problems;
};

/** READs: refused without the right, and fences keep their order. */
const reads: Scenario = (device) => {
  const problems: string[] = [];
  const pair = pairOf(device, { access: ACCESS.localWrite | ACCESS.remoteWrite });
  const [a, b] = pair.ends;
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [read(a, b, 100)], 1);
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.remAccessErr) problems.push(`status ${done?.status} of a READ without right`);
    })(),
  );
  const other = pairOf(device);
  const [c, d] = other.ends;
  const data = other.fill(d, d.source, 0, 50_000, 'fence');
  other.run(
    (function* () {
      const back = write(c, d, 50_000, { flags: SEND_FLAG.signaled | SEND_FLAG.fence });
      Object.assign(back.sges[0] as object, { hi: c.target.hi, lo: c.target.lo, lkey: c.target.key });
      yield* c.api.postSend(c.qp, [read(c, d, 50_000), back], 2);
      yield* other.take(c, 2);
    })(),
  );
  problems.push(...differs(other, d, 0, data, 'WRITE behind a fence'));
  return [...problems, ...readsAgain(device)];
};

/** A READ request that comes again is not answered again. */
function readsAgain(device: Device): string[] {
  const pair = pairOf(device, { attributes: { timeout: 5 } });
  const [a, b] = pair.ends;
  let lost = false;
  pair.world.link.fate = (frame) => {
    if (lost || frame.from !== 1 || frame.bytes[42] !== 0x11) return [0];
    lost = true;
    return [];
  };
  pair.run(
    (function* () {
      yield* a.api.postSend(a.qp, [read(a, b, 100), read(a, b, 100, { at: 200 })], 2);
      yield* pair.take(a, 2);
    })(),
  );
  const answers = new Set(
    pair.world.link.frames.filter(({ bytes }) => bytes[42] === 0x10).map(({ bytes }) => bytes[45]),
  );
  return answers.size === 2 ? [] : [`${answers.size} answers to two READs`];
}

/** What the local side does not allow is refused, and nothing is sent. */
const localSide: Scenario = (device) => {
  const pair = pairOf(device, { attributes: { timeout: 3, retryCnt: 1 } });
  const [a, b] = pair.ends;
  const problems: string[] = [];
  pair.run(
    (function* () {
      const wr = write(a, b, 100);
      Object.assign(wr.sges[0] as object, { lo: a.source.lo + a.source.length - 50 });
      yield* a.api.postSend(a.qp, [wr], 1);
      const [done] = yield* pair.take(a, 1);
      if (done?.status !== WC_STATUS.locProtErr) problems.push(`status ${done?.status}`);
    })(),
  );
  return problems;
};

export const SCENARIOS = {
  cleanWire,
  selective,
  wholeWindow,
  burst,
  tail,
  deadLink,
  manyTimeouts,
  busyOtherWay,
  lateDuplicate,
  removed,
  changes,
  reconnected,
  reads,
  localSide,
  receiveChecks: ({ blocks = {} }) => checkProblems(blocks),
  'traffic without loss': traffic('clean', { knobs: { RING_DEPTH: 16, CHANNELS: 2 }, longest: 200_000 }),
  'traffic of many small messages': traffic('small', { requests: 80, longest: 300, knobs: { RING_DEPTH: 16 } }, 1),
  'traffic with loss': traffic('lossy', { loss: 0.08, duplicates: 0.03, longest: 60_000 }, 4),
  'traffic with slow workers': traffic('slow', { knobs: { RING_DEPTH: 16 }, settings: { jitter: 9e6 }, loss: 0.02 }),
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

/** What is wrong with a device by one scenario; a device that breaks the scenario off is wrong by its error. */
export function problemsIn(scenario: ScenarioName, device: Device): string[] {
  try {
    return SCENARIOS[scenario](device);
  } catch (error) {
    return [String(error)];
  }
}
