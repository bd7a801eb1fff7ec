/** Completion events: a queue that is armed says once that something has come (roce-transport.md 5.4). */
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 64;

/** A SEND into a queue of the right side that is armed, once or twice. @returns events that came for it */
function* eventsOf(t: CaseBench, solicited: boolean, ...armings: ('any' | 'solicited')[]): Proc<number> {
  const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
  const { api, qp } = t.right;
  for (const arming of armings) yield* api.armCq(qp.recvCq, arming === 'solicited');
  yield* t.right.receive(into);
  yield* t.left.send(data, { solicited });
  yield* t.sent();
  yield* t.received();
  return yield* t.completionEvents(qp.recvCq);
}

/** Requests of the left side, whose completion queue is armed before each. */
function* armedFor(t: CaseBench, request: Proc<void>): Proc<void> {
  const { api, qp } = t.left;
  yield* api.armCq(qp.sendCq, false);
  yield* request;
  yield* t.sent();
  t.expectEqual('events', yield* t.completionEvents(qp.sendCq), 1);
}

export const EVENTS = subject(['events'], {
  *G054(t) {
    yield* armedFor(t, t.left.write(yield* t.left.source(BYTES), yield* t.right.sink(BYTES)));
  },
  *G387(t) {
    yield* armedFor(t, t.left.read(yield* t.left.sink(BYTES), yield* t.right.source(BYTES)));
  },
  *G055(t) {
    t.expectEqual('events', yield* eventsOf(t, true, 'any'), 1);
  },
  *G056(t) {
    t.expectEqual('events', yield* eventsOf(t, true, 'solicited'), 1);
  },
  *G057(t) {
    t.expectEqual('events', yield* eventsOf(t, false, 'any'), 1);
  },
  *G058(t) {
    t.expectEqual('events', yield* eventsOf(t, false, 'solicited'), 0);
  },
  *G060(t) {
    t.expectEqual('events', yield* eventsOf(t, false, 'any'), 1);
    t.expectEqual('events', yield* eventsOf(t, false, 'any'), 1);
  },
  *G063(t) {
    t.expectEqual('events', yield* eventsOf(t, false, 'any', 'solicited'), 1);
  },
  *G064(t) {
    t.expectEqual('events', yield* eventsOf(t, false, 'solicited', 'any'), 1);
  },
  *G065(t) {
    t.expectEqual('events', yield* eventsOf(t, false), 0);
    yield* t.right.api.armCq(t.right.qp.recvCq, false);
    t.expectEqual('events', yield* t.completionEvents(t.right.qp.recvCq), 0);
    t.expectEqual('events', yield* eventsOf(t, false), 1);
  },
  *G062(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const { api, qp } = t.right;
    const rounds = 1000;
    let events = 0;
    for (let i = 0; i < rounds; i++) {
      yield* api.armCq(qp.recvCq, false);
      yield* t.right.receive(into);
      yield* t.left.send(data);
      yield* t.sent();
      yield* t.received();
      if (i % 100 === 99) events += yield* t.completionEvents(qp.recvCq);
    }
    // An event may come for several completions: one that is armed anew before its event was taken owes no second.
    t.expect(events > 0 && events <= rounds, `${events} events came for ${rounds} completions`);
  },
  *G061(t) {
    const { connections } = t;
    const queues = connections.map(({ right }) => right.qp.recvCq);
    const armed = function* ({ left, right }: Connection): Proc<void> {
      const [data, into] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      yield* right.receive(into);
      yield* right.api.armCq(right.qp.recvCq, false);
      yield* left.send(data);
      yield* t.sent('success', left);
      yield* t.received('success', right);
    };
    yield* t.forEachConnection(armed);
    t.expectEqual('completion queues', new Set(queues.map(({ cqn }) => cqn)).size, connections.length);
    for (const cq of queues) t.expectEqual(`events of completion queue ${cq.cqn}`, yield* t.completionEvents(cq), 1);
  },
});

export const ATOMIC_EVENTS = subject(['events', 'atomics'], {
  *G052(t) {
    yield* armedFor(t, t.left.fetchAdd(yield* t.left.sink(8), yield* t.right.words(8), 1n));
  },
});
