/**
 * The measurements of perftest on simulated hosts: bandwidth with so many requests outstanding, latency one message at a time.
 * Messages are those of any sequence, and the scoreboard judges all of them. Times are those of the simulation, as software sees
 * them: from a post to the moment in which its completion was taken, or its data were found in memory.
 */
import type { PerfTest } from '../../config/table/perfParameters.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { joinAll, type Proc, type Process } from '../../uvm/kernel/process.ts';
import { NS, US } from '../../uvm/kernel/time.ts';
import { UserSequence } from '../user/userSequence.ts';
import type { Connection } from '../user/connection.ts';
import type { QpSide, SendOptions } from '../user/qpSide.ts';
import type { RegisteredBuffer } from '../user/memory/registeredBuffer.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { Distribution } from '../user/distribution.ts';
import { Arrivals } from './arrivals.ts';
import { type Lanes, leastLatency, leastTime, limitFinding } from './perfLimits.ts';
import { latencyFigures, Stream, streamFigures } from './perfSamples.ts';

const WORD = 8;
/** Picoseconds of a byte at 1 Gb/s. */
const PS_PER_BYTE = 8000;
/** Memory that the messages of a direction share, unless one alone has more. */
const BUFFER_BYTES = 2 ** 22;
/** What a write takes on the bus besides its way, at most, ps. */
const ON_THE_BUS = 2 * US;
/** Messages of a latency test that may wait for their completions to be taken. */
const UNTAKEN = 16;

type Verb = 'send' | 'write' | 'read' | 'atomic';

/** A direction of a connection with its memory: message i has part i of each, modulo their number. */
interface Way {
  readonly from: QpSide;
  readonly to: QpSide;
  /** What is sent, or what is read into. */
  readonly near: readonly RegisteredBuffer[];
  /** Where it goes, or comes from. */
  readonly far: readonly RegisteredBuffer[];
}

export class PerfSequence extends UserSequence {
  static readonly typeName: string = 'perf';
  static readonly description: string = 'measures bandwidth or latency, for hca_perf';

  readonly #there = new Stream();
  readonly #back = new Stream();
  /** What each queue pair took for its messages, ps. */
  readonly #spans: SimTime[] = [];
  /** Starts of round trips. */
  readonly #starts: number[] = [];

  /** For the record of the run, by name; times in ps. None before the measurement is over. */
  figures: Readonly<Record<string, number>> = {};

  override *body(): Proc {
    const arrivals = new Arrivals(this.values.PCIE_UP_NS * NS + ON_THE_BUS);
    if (this.#isLatency && this.#verb === 'write') this.watch(arrivals);
    if (this.values.PERF_FAN_OUT) yield* this.#distribution();
    else
      yield* this.forEachConnection((connection) =>
        this.#isLatency ? this.#latency(connection, arrivals) : this.#bandwidth(connection),
      );
    this.figures = this.#figures();
    this.#hold(this.figures);
  }

  /** Holds what was measured against what link and PCIe can do. */
  #hold(figures: Readonly<Record<string, number>>): void {
    const found = limitFinding(
      figures,
      this.values,
      this.connections.every(({ type }) => type === QP_TYPE.rc),
    );
    if (found !== undefined) this.error(found.id, `${this.#test}: ${found.text}`);
  }

  #figures(): Readonly<Record<string, number>> {
    const general = { perf_bytes: this.#bytes, perf_iterations: this.count, perf_queue_pairs: this.connections.length };
    if (this.#isLatency) {
      const latency = latencyFigures(this.#starts, this.#isOneWay ? 2 : 1);
      const times = latency.typical / leastLatency(this.values, this.#bytes, this.#isOneWay);
      return { ...general, ...named({ ...latency, times }) };
    }
    const there = streamFigures(this.#there);
    const back = streamFigures(this.#back);
    const messages = this.#there.posted.length;
    const share = there.span === 0 ? 0 : (messages * leastTime(this.values, this.#bytes, this.#lanes)) / there.span;
    const whole = { messages, span: there.span, best: there.best, span_back: back.span, best_back: back.best, share };
    return { ...general, ...named({ ...whole, ...this.#expectation(there.span, back.span) }) };
  }

  /** What was measured against what is expected, and the slowest queue pair against the fastest; none where nothing is expected. */
  #expectation(there: SimTime, back: SimTime): Readonly<Record<string, number>> {
    const { PERF_EXPECTED_GBPS: expected } = this.values;
    if (expected === 0 || there === 0) return {};
    const rate = (stream: Stream, span: SimTime): number =>
      span === 0 ? 0 : (stream.posted.length * this.#bytes * PS_PER_BYTE) / span;
    const gbps = rate(this.#there, there) + rate(this.#back, back);
    const fairness = Math.min(...this.#spans) / Math.max(...this.#spans);
    return { gbps, expected, ratio: gbps / expected, ...(this.#spans.length > 0 ? { fairness } : {}) };
  }

  get #lanes(): Lanes {
    const ports = new Set(this.connections.map(({ left }) => `${left.host} ${left.qp.port}`)).size;
    return { ports: Math.max(1, ports), inHostMemory: this.values.MEM_DOMAIN === 'host' };
  }

  get #test(): PerfTest {
    return this.values.PERF as PerfTest;
  }

  get #verb(): Verb {
    return this.#test.split('_')[0] as Verb;
  }

  get #isLatency(): boolean {
    return this.#test.endsWith('_lat');
  }

  /** SEND and WRITE have a message there and one back. */
  get #isOneWay(): boolean {
    return this.#verb === 'send' || this.#verb === 'write';
  }

  get #bytes(): number {
    return this.#verb === 'atomic' ? WORD : this.values.PERF_BYTES;
  }

  get #messages(): number {
    return this.values.PERF_WARM_UP + this.count;
  }

  *#bandwidth({ type, left, right }: Connection): Proc<void> {
    const ways = [yield* this.#way(left, right)];
    if (this.values.PERF_BIDIRECTIONAL) ways.push(yield* this.#way(right, left));
    const receivers: Process[] = [];
    for (const way of this.#verb === 'send' ? ways : []) receivers.push(yield* this.#receiver(way));
    const senders = ways.map((way, i) =>
      this.run.processes.spawn(`sender${i}`, this.#stream(way, i === 0 ? this.#there : this.#back)),
    );
    yield* joinAll(senders);
    // Messages that are lost, on services that do not send them again, are never received.
    if (type === QP_TYPE.rc) yield* joinAll(receivers);
    else for (const receiver of receivers) receiver.kill();
  }

  /** What comes by the first queue pair goes on by all. */
  *#distribution(): Proc<void> {
    const { connections, values } = this;
    const { scheduler } = this.run;
    const stream = this.#there;
    yield* new Distribution({
      connections,
      messages: this.#messages,
      bytes: this.#bytes,
      credits: values.PERF_TX_DEPTH,
      spawn: (name, body) => this.run.processes.spawn(name, body),
      expectSuccess: (completion, what) => this.expectSuccess(completion, what),
      posted: () => stream.posted.push(scheduler.now),
      completed: () => stream.completed.push(scheduler.now),
    }).run();
  }

  /** Memory for a direction. Peers work on the same parts in the same order, so that any two messages may be under way at once. */
  *#way(from: QpSide, to: QpSide): Proc<Way> {
    const bytes = this.#bytes;
    const parts = Math.max(1, Math.min(this.values.PERF_TX_DEPTH, Math.floor(BUFFER_BYTES / bytes)));
    const [near, far] = yield* this.#memory(from, to, parts * bytes);
    return { from, to, near: near.split(parts), far: far.split(parts) };
  }

  *#memory(from: QpSide, to: QpSide, bytes: number): Proc<readonly [RegisteredBuffer, RegisteredBuffer]> {
    if (this.#verb === 'read') return [yield* from.sink(bytes), yield* to.source(bytes)];
    if (this.#verb === 'atomic') return [yield* from.sink(bytes), yield* to.words(bytes)];
    return [yield* from.source(bytes), yield* to.sink(bytes)];
  }

  *#stream(way: Way, stream: Stream): Proc<void> {
    const { from } = way;
    const { PERF_TX_DEPTH: depth, PERF_WARM_UP: warm } = this.values;
    const begun = this.run.scheduler.now;
    let taken = 0;
    const take = function* (this: PerfSequence): Proc<void> {
      this.expectSuccess(yield* from.sent(), this.#test);
      if (taken++ >= warm) stream.completed.push(this.run.scheduler.now);
    }.bind(this);
    for (let i = 0; i < this.#messages; i++) {
      // What was sent before the measurement is out of the way when that begins.
      while (i - taken >= depth || (i === warm && taken < warm)) yield* take();
      if (i >= warm) stream.posted.push(this.run.scheduler.now);
      yield* this.#post(way, i);
    }
    while (taken < this.#messages) yield* take();
    this.#spans.push(this.run.scheduler.now - begun);
  }

  #post({ from, to, near, far }: Way, i: number): Proc<void> {
    const data = near[i % near.length] as RegisteredBuffer;
    const target = far[i % far.length] as RegisteredBuffer;
    switch (this.#verb) {
      case 'send':
        return from.qp.type === QP_TYPE.ud ? from.sendTo(to, data, this.#options) : from.send(data, this.#options);
      case 'write':
        return from.write(data, target, this.#options);
      case 'read':
        return from.read(data, target);
      case 'atomic':
        return this.#atomic(from, data, target);
    }
  }

  #atomic(from: QpSide, data: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
    if (this.values.PERF_ATOMIC === 'FETCH_AND_ADD') return from.fetchAdd(data, target, 1n);
    return from.compareSwap(data, target, 0n, 0n);
  }

  get #options(): SendOptions {
    return this.#bytes <= this.values.PERF_INLINE ? { inline: true } : {};
  }

  /** Posts receives, and goes on with that while messages come. */
  *#receiver({ to, far }: Way): Proc<Process> {
    const { values } = this;
    const messages = this.#messages;
    const depth = Math.min(values.PERF_RX_DEPTH, to.qp.maxRecvWr);
    const expect = this.expectSuccess.bind(this);
    let posted = 0;
    const post = function* (until: number): Proc<void> {
      while (posted < until) yield* to.receive(far[posted++ % far.length] as RegisteredBuffer);
    };
    const work = function* (): Proc<void> {
      for (let received = 0; received < messages; received++) {
        expect(yield* to.received(), 'receive');
        yield* post(Math.min(messages, received + 1 + depth));
      }
    };
    yield* post(Math.min(messages, depth));
    return this.run.processes.spawn('receiver', work(), { daemon: true });
  }

  /** One message at a time, on the first connection. */
  *#latency({ index, left, right }: Connection, arrivals: Arrivals): Proc<void> {
    if (index > 0) return;
    const there = yield* this.#way(left, right);
    if (!this.#isOneWay) yield* this.#trips(there);
    else yield* this.#pingPong(there, yield* this.#way(right, left), arrivals);
    this.#starts.push(this.run.scheduler.now);
  }

  *#trips(way: Way): Proc<void> {
    for (let i = 0; i < this.#messages; i++) {
      if (i >= this.values.PERF_WARM_UP) this.#starts.push(this.run.scheduler.now);
      yield* this.#post(way, i);
      this.expectSuccess(yield* way.from.sent(), this.#test);
    }
  }

  /** The other side answers each message with one of its own. */
  *#pingPong(there: Way, back: Way, arrivals: Arrivals): Proc<void> {
    const messages = this.#messages;
    const answers = function* (this: PerfSequence): Proc<void> {
      for (let i = 0; i < messages; i++) {
        yield* this.#arrived(there, i, arrivals);
        yield* this.#say(back, i);
      }
      yield* this.#takeSent(back, messages % untakenOf(back));
    }.bind(this);
    yield* this.#expectMessage(there, 0);
    yield* this.#expectMessage(back, 0);
    const peer = this.run.processes.spawn('peer', answers());
    for (let i = 0; i < messages; i++) {
      if (i >= this.values.PERF_WARM_UP) this.#starts.push(this.run.scheduler.now);
      yield* this.#say(there, i);
      yield* this.#arrived(back, i, arrivals);
    }
    yield* this.#takeSent(there, messages % untakenOf(there));
    yield* joinAll([peer]);
  }

  /** Sends message i; the last byte of a WRITE tells it from the one before. */
  *#say(way: Way, i: number): Proc<void> {
    if (this.#verb === 'write') {
      const data = way.near[i % way.near.length] as RegisteredBuffer;
      way.from.fill(data.part(data.length - 1, 1), Uint8Array.of(markOf(i)));
    }
    yield* this.#post(way, i);
    if ((i + 1) % untakenOf(way) === 0) yield* this.#takeSent(way, untakenOf(way));
  }

  *#takeSent({ from }: Way, count: number): Proc<void> {
    for (let i = 0; i < count; i++) this.expectSuccess(yield* from.sent(), this.#test);
  }

  /** Waits until message i has come: its receive is completed, or its last byte is in memory. */
  *#arrived(way: Way, i: number, arrivals: Arrivals): Proc<void> {
    const { to, far } = way;
    if (this.#verb === 'send') {
      this.expectSuccess(yield* to.received(), 'receive');
      yield* this.#expectMessage(way, i + 1);
      return;
    }
    const target = far[i % far.length] as RegisteredBuffer;
    const last = target.part(target.length - 1, 1);
    yield* arrivals.until(to.host, () => to.contents(last)[0] === markOf(i));
  }

  /** Of a SEND: a receive for message i, if there will be one. */
  *#expectMessage({ to, far }: Way, i: number): Proc<void> {
    if (this.#verb !== 'send' || i >= this.#messages) return;
    yield* to.receive(far[i % far.length] as RegisteredBuffer);
  }
}

/** Messages whose completions are taken together: none uses memory of one that is not completed. */
function untakenOf({ near }: Way): number {
  return Math.min(UNTAKEN, near.length);
}

/** Last byte of message i: neither 0 nor that of a message which is near. */
function markOf(i: number): number {
  return 1 + (i % 251);
}

function named(figures: object): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`perf_${name}`, value as number]));
}
