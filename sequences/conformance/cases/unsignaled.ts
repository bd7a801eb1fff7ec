/** Requests that ask for no completion (roce-transport.md 5.2): none when they succeed, one when they do not. */
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { hexWord, WORD, Word } from '../../host/atomicWords.ts';
import type { Completion } from '../../user/completion.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { remake } from '../../user/remake.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
const SILENT = { signaled: false } as const;
const START = 0x1000_0000_0000_0001n;
/** Requests of a batch. */
const BATCH = 4;

/** A request of the left side; `post` says how it asks for a completion, and by which key of its own. */
type Post = (options: { readonly signaled?: boolean }, local: (key: number) => number) => Proc<void>;

/** The left side completes what asks for that. */
function* selective(t: CaseBench): Proc<void> {
  yield* remake(t.connectionAt(0), [{ signalAll: false }, {}], t.streamOf(t.connectionAt(0), 'psns'));
}

/** One that asks for none, and one behind it that does: there is one completion, of the second. */
function* thenSignaled(t: CaseBench, post: Post): Proc<void> {
  const first = t.left.sendsPosted;
  yield* post(SILENT, (key) => key);
  yield* post({}, (key) => key);
  expectFirst(t, yield* t.sent(), first + 1);
  yield* t.quiet();
  t.expectEqual('requests that are outstanding', t.left.qp.sendOutstanding, 0);
}

/** One that asks for none and fails for its own key: it has a completion all the same. */
function* fails(t: CaseBench, post: Post): Proc<void> {
  const first = t.left.sendsPosted;
  yield* post(SILENT, () => NO_KEY);
  expectFirst(t, yield* t.sent('locProtErr'), first);
}

function expectFirst(t: CaseBench, completion: Completion, wrId: number): void {
  t.expectEqual('the request that completes first', completion.wrId, wrId);
}

function* sends(t: CaseBench): Proc<Post> {
  const [source, sink] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
  for (let i = 0; i < 2; i++) yield* t.right.receive(sink);
  return (options, local) => t.left.send(source.withKey(local(source.key)), options);
}

function* writes(t: CaseBench): Proc<Post> {
  const [source, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
  return (options, local) => t.left.write(source.withKey(local(source.key)), target, options);
}

function* reads(t: CaseBench): Proc<Post> {
  const [copy, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
  return (options, local) => t.left.read(copy.withKey(local(copy.key)), remote, options);
}

export const UNSIGNALED = subject(['unsignaled'], {
  *G241(t) {
    yield* selective(t);
    const post = yield* sends(t);
    yield* post(SILENT, (key) => key);
    yield* t.received();
    yield* t.quiet();
    t.expectEqual('completions of its queue', t.left.qp.sendCq.produced, 0);
  },
  *G262(t) {
    yield* selective(t);
    yield* fails(t, yield* sends(t));
  },
  *G265(t) {
    yield* selective(t);
    yield* thenSignaled(t, yield* reads(t));
  },
  *G266(t) {
    yield* remake(t.connectionAt(0), [{ signalAll: true }, {}], t.streamOf(t.connectionAt(0), 'psns'));
    const post = yield* writes(t);
    for (let i = 0; i < BATCH; i++) yield* post(SILENT, (key) => key);
    for (let i = 0; i < BATCH; i++) yield* t.sent();
  },
  *G271(t) {
    yield* selective(t);
    yield* fails(t, yield* reads(t));
  },
  *G277(t) {
    yield* selective(t);
    yield* thenSignaled(t, yield* writes(t));
  },
  *T_074(t) {
    yield* selective(t);
    yield* thenSignaled(t, yield* sends(t));
    for (const kind of [writes, reads]) yield* thenSignaled(t, yield* kind(t));
    yield* fails(t, yield* writes(t));
  },
});

export const UNSIGNALED_REFUSED = subject(['unsignaled', 'naks'], {
  *G287(t) {
    yield* selective(t);
    const [source, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const first = t.left.sendsPosted;
    yield* t.left.write(source, target.withKey(NO_KEY), SILENT);
    expectFirst(t, yield* t.sent('remAccessErr'), first);
  },
});

export const UNSIGNALED_ATOMICS = subject(['unsignaled', 'atomics', 'naks'], {
  *G293(t) {
    yield* twice(t, (word, post) => post.fetchAdd(word, 3n));
  },
  *G305(t) {
    yield* twice(t, (word, post) => post.compareSwap(word, word.value, word.value + 5n));
  },
  *G298(t) {
    yield* failsLocally(t, 'fetchAdd');
  },
  *G306(t) {
    yield* failsLocally(t, 'compareSwap');
  },
});

export const UNSIGNALED_DATAGRAMS = subject(['unsignaled', 'ud'], {
  *G366(t) {
    yield* selective(t);
    const source = yield* t.left.source(BYTES / 2);
    t.expectEqual('service', t.left.qp.type, QP_TYPE.ud);
    for (let i = 0; i < BATCH; i++) yield* t.left.send(source, SILENT);
    yield* t.left.send(source);
    expectFirst(t, yield* t.sent(), t.left.sendsPosted - 1);
    yield* t.quiet();
    t.expectEqual('requests that are outstanding', t.left.qp.sendOutstanding, 0);
  },
});

/** Posts an atomic on a word of the right side, and says what the word holds behind it. */
interface AtomicPost {
  fetchAdd(word: Word, add: bigint): Proc<void>;
  compareSwap(word: Word, compare: bigint, swap: bigint): Proc<void>;
}

/** The same atomic twice, first without a completion: both are applied, in order. */
function* twice(t: CaseBench, operate: (word: Word, post: AtomicPost) => Proc<void>): Proc<void> {
  yield* selective(t);
  const [target, result] = [yield* t.right.words(WORD), yield* t.left.sink(WORD)];
  const word = new Word(t.right, target, START);
  const post = (options: { readonly signaled?: boolean }): AtomicPost => ({
    *fetchAdd(at, add) {
      at.add(add);
      yield* t.left.fetchAdd(result, target, add, options);
    },
    *compareSwap(at, compare, swap) {
      at.compareSwap(compare, swap);
      yield* t.left.compareSwap(result, target, compare, swap, options);
    },
  });
  const first = t.left.sendsPosted;
  yield* operate(word, post(SILENT));
  yield* operate(word, post({}));
  expectFirst(t, yield* t.sent(), first + 1);
  yield* t.quiet();
  t.expectEqual('the word', hexWord(word.contents), hexWord(word.value));
}

/** What it holds can not be brought back: the word may have changed. */
function* failsLocally(t: CaseBench, operation: 'fetchAdd' | 'compareSwap'): Proc<void> {
  yield* selective(t);
  const [target, result] = [yield* t.right.words(WORD), (yield* t.left.sink(WORD)).withKey(NO_KEY)];
  const first = t.left.sendsPosted;
  if (operation === 'fetchAdd') yield* t.left.fetchAdd(result, target, 1n, SILENT);
  else yield* t.left.compareSwap(result, target, 0n, 1n, SILENT);
  expectFirst(t, yield* t.sent('locProtErr'), first);
}
