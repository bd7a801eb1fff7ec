/**
 * Nanoseconds per call of the primitives that everything else is built on.
 *
 *     npx tsx bench/primitives.ts [filter]
 *
 * Each case runs for 9 rounds of about 5 ms in turn with the others. The median and the best round are printed; on a
 * busy machine believe the best. 'loop' is what the measuring loop itself costs and is contained in the byte and
 * random cases.
 */

import { BlockPool } from '../uvm/bytes/blockPool.ts';
import { ByteStore } from '../uvm/bytes/byteStore.ts';
import { Transcript } from '../uvm/bytes/transcript.ts';
import { Event } from '../uvm/kernel/event.ts';
import { Mailbox } from '../uvm/kernel/mailbox.ts';
import { delay, type Proc, ProcessManager } from '../uvm/kernel/process.ts';
import { type EventHandler, Scheduler } from '../uvm/kernel/scheduler.ts';
import { Semaphore } from '../uvm/kernel/semaphore.ts';
import { hash128, hash32 } from '../uvm/random/hash.ts';
import { RandomStreams } from '../uvm/random/randomStreams.ts';
import { BLOCK_BYTES } from '../dut-model/nic.ts';

const ROUNDS = 9;
const ROUND_NS = 20e6;
const WINDOW = 1 << 20;

/** Runs the operation n times and returns something that depends on it. */
type Loop = (n: number) => number;
const cases: (readonly [name: string, loop: Loop])[] = [];

function add(name: string, loop: Loop): void {
  if (name.includes(process.argv[2] ?? '')) cases.push([name, loop]);
}

const store = ByteStore.create();
const left = store.alloc(2 * WINDOW);
const right = store.alloc(2 * WINDOW);
const state = store.alloc(16);
store.fillSeeded(1, 0, left, 2 * WINDOW);
store.fillSeeded(1, 0, right, 2 * WINDOW);

/** Walks through the window, so that data comes from the second-level cache and alignment varies where asked for. */
function walk(n: number, bytes: number, call: (at: number) => number): number {
  let sum = 0;
  let at = 0;
  for (let i = 0; i < n; i++) {
    sum = (sum + call(at)) | 0;
    at = (at + bytes + 7) & (WINDOW - 1);
  }
  return sum;
}

/** The same for calls that return nothing. */
function walkVoid(n: number, bytes: number, call: (at: number) => void): number {
  let at = 0;
  for (let i = 0; i < n; i++) {
    call(at);
    at = (at + bytes + 7) & (WINDOW - 1);
  }
  return at;
}

function byteCases(): void {
  cases.push(['loop', (n) => walk(n, 16, (at) => at)]);
  for (const bytes of [4, 10, 16, 64, 130, 256, 1024, 4096]) {
    add(`copy ${bytes}`, (n) => walkVoid(n, bytes, (at) => store.copy(left + at, right + at + 3, bytes)));
  }
  for (const bytes of [10, 64, 4096]) {
    add(`zero ${bytes}`, (n) => walkVoid(n, bytes, (at) => store.zero(left + at, bytes)));
  }
  for (const bytes of [10, 64, 4096]) {
    add(`equal ${bytes}`, (n) => walk(n, bytes, (at) => Number(store.equal(right + at, right + at, bytes))));
  }
  for (const bytes of [16, 64, 130, 256, 1024, 4096, 4150]) {
    add(`crc32 ${bytes}`, (n) => walk(n, bytes, (at) => store.crc32(0, right + at, bytes) | 0));
  }
  for (const bytes of [10, 64, 4096]) {
    add(`fillSeeded ${bytes}`, (n) => walkVoid(n, bytes, (at) => store.fillSeeded(1, at, right + at, bytes)));
    add(`equalSeeded ${bytes}`, (n) => walk(n, bytes, (at) => Number(store.equalSeeded(1, at, right + at, bytes))));
  }
  for (const bytes of [10, 64, 128, 4096]) {
    add(`hashInto ${bytes}`, (n) => walkVoid(n, bytes, (at) => store.hashInto(state, right + at, bytes)));
  }
  add('hashWords', (n) => walkVoid(n, 4, (at) => store.hashWords(state, at, 2, 3, 4, 5)));
  const transcript = new Transcript(store);
  add('transcript record', (n) => walkVoid(n, 4, (at) => transcript.record(1, 2, 5e9 + at, 3, at, 64)));
  add('page alloc + free', (n) => walkVoid(n, 4, () => store.freePage(store.allocPage())));
  const pool = new BlockPool(store, BLOCK_BYTES);
  add('block acquire + release', (n) => walkVoid(n, 4, () => pool.release(pool.acquire())));
}

function randomCases(): void {
  const streams = new RandomStreams(1, 'bench');
  const stream = streams.stream('a.b', 'c');
  const fast = streams.fast('a.b', 'c');
  const path = 'uvm_test_top.env.host0.pcie.slave';
  add('hash32', (n) => walk(n, 4, (at) => hash32(at, 2, 3)));
  add('hash128 of a path', (n) => walk(n, 4, (at) => hash128(1, 'bench', path, 'delay', at)[0]));
  add('RandomStream uint32', (n) => walk(n, 4, () => stream.uint32()));
  add('RandomStream below(10)', (n) => walk(n, 4, () => stream.below(10)));
  add('FastStream uint32', (n) => walk(n, 4, () => fast.uint32()));
  add('FastStream below(10)', (n) => walk(n, 4, () => fast.below(10)));
  add('FastStream below(3e9)', (n) => walk(n, 4, () => fast.below(3e9)));
  add('FastStream range(5, 500)', (n) => walk(n, 4, () => fast.range(5, 500)));
  add('FastStream chance', (n) => walk(n, 4, () => Number(fast.chance(0.1))));
  add('derive a FastStream', (n) => walk(n, 4, (at) => streams.fast(path, 'delay', at).uint32()));
  add('derive a RandomStream', (n) => walk(n, 4, (at) => streams.stream(path, 'delay', at).uint32()));
}

/** Delays as a NIC model has them: mostly short, some zero, a few long timers. */
function delays(): Int32Array {
  const fast = new RandomStreams(7, 'bench').fast('bench', 'delays');
  return Int32Array.from({ length: 1 << 12 }, () => {
    if (fast.chance(0.2)) return 0;
    return fast.chance(0.99) ? fast.range(1000, 2_000_000) : fast.range(100_000_000, 900_000_000);
  });
}

/** Reschedules itself until the count is used up. */
class Hold implements EventHandler {
  left = 0;
  readonly #scheduler: Scheduler;
  readonly #delays = delays();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  fire(arg: number): void {
    if (--this.left <= 0) this.#scheduler.stop();
    this.#scheduler.schedule(this.#delays[(this.left * 7 + arg) & 4095] as number, this, arg);
  }
}

function schedulerCases(): void {
  for (const pending of [16, 64, 1024, 16384]) {
    const scheduler = new Scheduler();
    const hold = new Hold(scheduler);
    for (let i = 0; i < pending; i++) scheduler.schedule(i, hold, i);
    add(`scheduler push + pop, ${pending} pending`, (n) => {
      hold.left = n;
      scheduler.run();
      return hold.left;
    });
  }
}

/** Runs the processes until they have counted n steps in all. */
function processLoop(make: (count: () => void) => (manager: ProcessManager) => void): Loop {
  let leftOver = 0;
  const scheduler = new Scheduler();
  make(() => {
    if (--leftOver <= 0) scheduler.stop();
  })(new ProcessManager(scheduler));
  return (n) => {
    leftOver = n;
    scheduler.run();
    return n;
  };
}

function processCases(): void {
  add(
    'process delay (yield)',
    processLoop((count) => (manager) => {
      function* body(t: number): Proc {
        for (;;) {
          yield t;
          count();
        }
      }
      for (let i = 0; i < 64; i++) manager.spawn('p', body(10_000 + 997 * i));
    }),
  );
  add(
    'process delay (yield* delay)',
    processLoop((count) => (manager) => {
      function* body(t: number): Proc {
        for (;;) {
          yield* delay(t);
          count();
        }
      }
      for (let i = 0; i < 64; i++) manager.spawn('p', body(10_000 + 997 * i));
    }),
  );
  add(
    'event trigger + wait',
    processLoop((count) => (manager) => {
      const ping = new Event<number>('ping');
      const pong = new Event<number>('pong');
      function* body(mine: Event<number>, other: Event<number>): Proc {
        for (;;) {
          other.trigger(1);
          yield* mine.wait();
          count();
        }
      }
      function* tick(): Proc {
        for (;;) yield* delay(1000);
      }
      manager.spawn('a', body(ping, pong));
      manager.spawn('b', body(pong, ping));
      manager.spawn('tick', tick());
      manager.scheduler.deltaLimit = Number.MAX_SAFE_INTEGER;
    }),
  );
  add(
    'mailbox put + blocked get',
    processLoop((count) => (manager) => {
      const box = new Mailbox<number>();
      function* producer(): Proc {
        for (;;) {
          yield* box.put(1);
          yield* delay(100);
        }
      }
      function* consumer(): Proc {
        for (;;) {
          yield* box.get();
          count();
        }
      }
      manager.spawn('consumer', consumer());
      manager.spawn('producer', producer());
    }),
  );
  add(
    'semaphore get + put, free',
    processLoop((count) => (manager) => {
      const semaphore = new Semaphore(1);
      function* body(): Proc {
        for (;;) {
          yield* delay(1000);
          for (let i = 0; i < 1000; i++) {
            yield* semaphore.get();
            semaphore.put();
            count();
          }
        }
      }
      manager.spawn('p', body());
    }),
  );
  add(
    'spawn + end',
    processLoop((count) => (manager) => {
      // biome-ignore lint/correctness/useYield: the cheapest body ends without waiting.
      function* child(): Proc {
        count();
      }
      function* body(): Proc {
        for (;;) {
          manager.spawn('child', child());
          yield* delay(1000);
        }
      }
      manager.spawn('p', body());
    }),
  );
}

/** Time of n calls in ns. */
function time(loop: Loop, n: number): number {
  const start = process.hrtime.bigint();
  if (loop(n) === 0.5) throw new Error('never: only keeps the loop from being optimised away');
  return Number(process.hrtime.bigint() - start);
}

function report(): void {
  const counts = cases.map(([, loop]) => {
    let n = 1000;
    while (time(loop, n) < ROUND_NS / 4) n *= 2;
    return n;
  });
  const rounds: number[][] = cases.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    cases.forEach(([, loop], i) => {
      const n = counts[i] as number;
      (rounds[i] as number[]).push(time(loop, n) / n);
    });
  }
  cases.forEach(([name], i) => {
    const sorted = (rounds[i] as number[]).sort((a, b) => a - b);
    const median = sorted[ROUNDS >> 1] as number;
    console.log(
      `${name.padEnd(36)} ${median.toFixed(1).padStart(8)} ns   best ${(sorted[0] as number).toFixed(1).padStart(8)}`,
    );
  });
}

byteCases();
randomCases();
schedulerCases();
processCases();
report();
