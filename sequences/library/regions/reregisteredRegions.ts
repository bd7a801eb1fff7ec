import { reregMr } from '../../../env/verbs/reregister.ts';
import type { Mr } from '../../../env/verbs/verbsObjects.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { bindable, bindWindow } from '../../user/keys/keyRequests.ts';
import { reregistered } from '../../user/keys/regionRequests.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at any MTU. */
const BYTES = 20_000;
const REQUESTS = 6;
const LONGEST_PAUSE = 20_000;
const { localWrite, remoteWrite, remoteRead } = ACCESS;
const ALL = localWrite | remoteWrite | remoteRead;

type Play = (sequence: ReregisteredRegions, connection: Connection, random: RandomStream) => Proc<void>;

const CASES: readonly Play[] = [rights, domain, range, underWrites, underReads, backAgain, withWindow];

/**
 * Regions that are registered anew, with other rights, in another protection domain, on other bytes: then the new registration alone
 * counts, and while that goes on a request of the peer finds what was, what will be, or nothing (roce-transport.md 4.4). With windows
 * bound a region stays as it is. One case on each connection; `+KEYS_SOON=1` gives each the entry of the region before.
 */
export class ReregisteredRegions extends UserSequence {
  static readonly typeName: string = 'reregistered_regions';
  static readonly description: string =
    'regions that are reregistered with other rights, another domain or other bytes; +RC_QP_NUM=7 +KEYS_SOON=1 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['domains', 'memoryWindows', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const play = CASES[connection.index % CASES.length] as Play;
    yield* play(this, connection, this.streamOf(connection, 'pause'));
  }
}

/** Without the right to write it may be read, and written no more. */
function* rights(sequence: ReregisteredRegions, connection: Connection): Proc<void> {
  const { left, right } = connection;
  const own = yield* left.sink(BYTES);
  const anew = yield* reregistered(right, yield* right.sink(BYTES), { access: localWrite | remoteRead });
  yield* left.read(own, anew);
  sequence.expectSuccess(yield* left.sent(), 'READ of a region that lost the right to be written');
  yield* left.write(own, anew);
  yield* sequence.expectRefused(connection, 'responder', 'WRITE to a region that lost the right to it');
}

/** In another domain it opens to the queue pairs of that one alone. */
function* domain(sequence: ReregisteredRegions, connection: Connection): Proc<void> {
  const { left, right } = connection;
  const pd = right.api.allocPd(right.qp.process);
  const anew = yield* reregistered(right, yield* right.sink(BYTES), { pd });
  yield* left.write(yield* left.source(BYTES), anew.unchecked());
  yield* sequence.expectRefused(connection, 'responder', 'WRITE to a region that went to another domain');
}

/** With a shorter range its new end counts, and its bytes are those of the new place. */
function* range(sequence: ReregisteredRegions, connection: Connection): Proc<void> {
  const { left, right } = connection;
  const old = yield* right.sink(BYTES);
  const { hi, lo } = yield* right.sink(BYTES);
  const anew = yield* reregistered(right, old, { hi, lo, length: BYTES / 2 });
  yield* left.write(yield* left.source(BYTES / 2), anew);
  sequence.expectSuccess(yield* left.sent(), 'WRITE to the new bytes of a region');
  yield* left.write(yield* left.source(BYTES), anew.ofLength(BYTES));
  yield* sequence.expectRefused(connection, 'responder', 'WRITE that ends where the region ended before');
}

function* underWrites(_: ReregisteredRegions, { left, right }: Connection, random: RandomStream): Proc<void> {
  const target = yield* right.sink(BYTES);
  const source = yield* left.source(BYTES);
  for (let i = 0; i < REQUESTS; i++) yield* left.write(source, target);
  yield* delay(random.range(0, LONGEST_PAUSE) * NS);
  yield* reregistered(right, target, { access: localWrite | remoteRead });
  for (let i = 0; i < REQUESTS; i++) (yield* left.sent()).expected();
}

function* underReads(_: ReregisteredRegions, { left, right }: Connection, random: RandomStream): Proc<void> {
  const target = yield* right.sink(BYTES);
  const elsewhere = yield* right.sink(BYTES);
  const sink = yield* left.sink(BYTES);
  for (let i = 0; i < REQUESTS; i++) yield* left.read(sink, target);
  yield* delay(random.range(0, LONGEST_PAUSE) * NS);
  yield* reregistered(right, target, { hi: elsewhere.hi, lo: elsewhere.lo });
  for (let i = 0; i < REQUESTS; i++) (yield* left.sent()).expected();
}

/** Through another domain, no rights and no bytes, and back: nothing of that is left. */
function* backAgain(sequence: ReregisteredRegions, { left, right }: Connection): Proc<void> {
  const { api, qp } = right;
  const pd = api.allocPd(qp.process);
  let region = yield* right.sink(BYTES);
  const { emptyRegions } = api.capabilities;
  for (const change of [{ pd }, { access: 0 }, { length: emptyRegions ? 0 : 1 }])
    region = yield* reregistered(right, region, change);
  region = yield* reregistered(right, region, { pd: qp.pd, access: ALL, length: BYTES });
  const data = yield* left.source(BYTES);
  yield* left.write(data, region);
  sequence.expectSuccess(yield* left.sent(), 'WRITE to a region that is what it was');
  yield* left.read(yield* left.sink(BYTES), region);
  sequence.expectSuccess(yield* left.sent(), 'READ of a region that is what it was');
}

/** As long as a window is bound to it, it stays; then it goes. */
function* withWindow(sequence: ReregisteredRegions, { left, right }: Connection): Proc<void> {
  const region = yield* bindable(right, yield* right.words(BYTES));
  const mw = yield* right.api.allocMw(right.qp.pd, 2);
  const window = yield* bindWindow(right, mw, region);
  sequence.expectSuccess(yield* right.sent(), 'bind');
  const isKept = yield* isRefused(reregMr(right.api, region.mr as Mr, { access: localWrite }));
  const own = yield* left.sink(BYTES);
  yield* left.read(own, window);
  if (!isKept) {
    (yield* left.sent()).expected();
    return;
  }
  sequence.expectSuccess(yield* left.sent(), 'READ through a window whose region was to be registered anew');
  yield* right.api.deallocMw(mw);
  const anew = yield* reregistered(right, region, { access: localWrite | remoteRead });
  yield* left.read(own, anew);
  sequence.expectSuccess(yield* left.sent(), 'READ of a region without windows that was registered anew');
}

/** Whether a NIC refuses a call since something is in use. */
function* isRefused(call: Proc<unknown>): Proc<boolean> {
  try {
    yield* call;
    return false;
  } catch (error) {
    if (error instanceof HostApiError && error.kind === 'IN_USE') return true;
    throw error;
  }
}
