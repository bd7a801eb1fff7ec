/** Fetch-and-add and compare-and-swap (roce-transport.md 3.10). */
import type { Proc } from '../../../uvm/kernel/process.ts';
import { hexWord, WORD, Word, wordIn } from '../../host/atomicWords.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const START = 0x7776_7574_7372_7170n;

/** A word of the right side with a value, and where the left side wants to have what it held. */
function* wordOf(t: CaseBench): Proc<{ word: Word; target: RegisteredBuffer; result: RegisteredBuffer }> {
  const [target, result] = [yield* t.right.words(2 * WORD), yield* t.left.sink(2 * WORD)];
  const word = new Word(t.right, target.part(0, WORD), START);
  return { word, target: target.part(0, WORD), result: result.part(0, WORD) };
}

function* fetchAdd(t: CaseBench, add: bigint): Proc<void> {
  const { word, target, result } = yield* wordOf(t);
  yield* t.left.fetchAdd(result, target, add);
  yield* check(t, result, word, word.add(add));
}

function* compareSwap(t: CaseBench, compare: bigint, swap: bigint): Proc<void> {
  const { word, target, result } = yield* wordOf(t);
  yield* t.left.compareSwap(result, target, compare, swap);
  yield* check(t, result, word, word.compareSwap(compare, swap));
}

function* check(t: CaseBench, result: RegisteredBuffer, word: Word, original: bigint): Proc<void> {
  yield* t.sent();
  t.expectEqual('what came back', hexWord(wordIn(t.left, result)), hexWord(original));
  yield* t.quiet();
  t.expectEqual('the word', hexWord(word.contents), hexWord(word.value));
}

type Operation = 'fetchAdd' | 'compareSwap';
type Statuses = Parameters<CaseBench['oneOf']>[1][];

/** An atomic that fails; what it asks for is made of a word and a buffer that are right. */
function* fails(
  t: CaseBench,
  operation: Operation,
  statuses: Statuses,
  { at = 0, badKey = false, badLocal = false, bytes = WORD, mayChange = false } = {},
): Proc<void> {
  const { word, target, result } = yield* wordOf(t);
  const there = badKey ? target.moved(at).withKey(NO_KEY) : at === 0 ? target : target.moved(at);
  const into = badLocal ? result.withKey(NO_KEY) : result.part(0, Math.min(bytes, WORD));
  if (operation === 'fetchAdd') yield* t.left.fetchAdd(into, there, 1n);
  else yield* t.left.compareSwap(into, there, START, 1n);
  yield* t.oneOf(t.left.sent(), ...statuses);
  yield* t.quiet();
  if (!mayChange) t.expectEqual('the word', hexWord(word.contents), hexWord(word.value));
}

const UNALIGNED = { at: 1 };

/** Implementations differ in what they look at first (roce-transport.md 11). */
function misalignedWithoutKey(t: CaseBench): Statuses[number] {
  return t.alignmentBeforeKey(t.right.host) ? 'remInvReqErr' : 'remAccessErr';
}

export const ATOMICS = subject(['atomics', 'naks'], {
  *G291(t) {
    yield* fetchAdd(t, 0n);
  },
  *G294(t) {
    yield* fetchAdd(t, 1n);
  },
  *G295(t) {
    yield* fetchAdd(t, 0x0123_4567_89ab_cdefn);
  },
  *G303(t) {
    yield* compareSwap(t, START ^ 1n, 5n);
  },
  *G304(t) {
    yield* compareSwap(t, START, 5n);
  },
  *G403(t) {
    yield* fetchAdd(t, 3n);
  },
  *G404(t) {
    yield* compareSwap(t, START, 3n);
  },
  *G290(t) {
    yield* fails(t, 'fetchAdd', ['locLenErr', 'locAccessErr', 'locProtErr', 'success'], { bytes: 4, mayChange: true });
  },
  *G310(t) {
    yield* fails(t, 'compareSwap', ['locLenErr'], { bytes: 4, mayChange: true });
  },
  *G296(t) {
    yield* fails(t, 'fetchAdd', ['remInvReqErr'], UNALIGNED);
  },
  *G311(t) {
    yield* fails(t, 'compareSwap', ['remInvReqErr'], UNALIGNED);
  },
  *G297(t) {
    yield* fails(t, 'fetchAdd', ['locProtErr'], { badLocal: true, mayChange: true });
  },
  *G307(t) {
    yield* fails(t, 'compareSwap', ['locProtErr'], { badLocal: true, mayChange: true });
  },
  *G299(t) {
    yield* fails(t, 'fetchAdd', ['remAccessErr'], { badKey: true });
  },
  *G308(t) {
    yield* fails(t, 'compareSwap', ['remAccessErr'], { badKey: true });
  },
  *G300(t) {
    yield* fails(t, 'fetchAdd', ['remAccessErr'], { badKey: true, badLocal: true });
  },
  *G309(t) {
    yield* fails(t, 'compareSwap', ['remAccessErr'], { badKey: true, badLocal: true });
  },
  *G301(t) {
    yield* fails(t, 'fetchAdd', ['remInvReqErr'], { ...UNALIGNED, badLocal: true });
  },
  *G313(t) {
    yield* fails(t, 'compareSwap', ['remInvReqErr'], { ...UNALIGNED, badLocal: true });
  },
  *G302(t) {
    yield* fails(t, 'fetchAdd', [misalignedWithoutKey(t)], { ...UNALIGNED, badKey: true });
  },
  *G312(t) {
    yield* fails(t, 'compareSwap', [misalignedWithoutKey(t)], { ...UNALIGNED, badKey: true });
  },
  *T_042(t) {
    for (const add of [1n, -1n, 0x1_0000_0000n, 0x8000_0000_0000_0000n]) yield* fetchAdd(t, add);
    for (const wrong of [1n, 1n << 32n, 1n << 63n]) yield* compareSwap(t, START ^ wrong, 7n);
    yield* compareSwap(t, START, -1n);
  },
});
