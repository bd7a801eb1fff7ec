/** States of queue pairs, what takes them from one to the next, and traffic to each of them (roce-transport.md 6). */
import type { QpAttributeName, QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { QP_STATE, QP_STATE_NAME, type QpState } from '../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { connectAgain, keptBy, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
/** In every request that comes to nothing, so that a few microseconds are enough to give up. */
export const IMPATIENT = { timeout: 4, retryCnt: 1, rnrRetry: 1 };

type Step = 'init' | 'rtr' | 'rts';
const STEPS: readonly Step[] = ['init', 'rtr', 'rts'];

/** The attributes that take the right side from RESET to a state, each step with all that it needs. */
function stepsOf(t: CaseBench, changes = {}): Readonly<Record<Step, QpAttributes>> {
  const [init, rtr, rts] = reconnection(t.right, t.left, { ...changes, psn: 0 }, 0) as [
    QpAttributes,
    QpAttributes,
    QpAttributes,
  ];
  return { init, rtr, rts };
}

/** Takes the right side to RESET and from there step by step up to `last`; the left one is connected with it. */
function* rightIn(t: CaseBench, last: Step | 'reset'): Proc<void> {
  yield* resetBoth(t.left, t.right);
  yield* takeSteps(t.left, reconnection(t.left, t.right, { ...IMPATIENT, psn: 0 }, 0));
  const steps = stepsOf(t);
  for (const step of STEPS.slice(0, STEPS.indexOf(last as Step) + 1)) yield* takeSteps(t.right, [steps[step]]);
}

/** Refuses a step of the right side, which is in RESET or was taken on to `from`. */
function* illegal(t: CaseBench, from: QpState, to: QpState): Proc<void> {
  const { api, qp } = t.right;
  t.expectEqual('state before', qp.state, from);
  const what = `${QP_STATE_NAME[from]} -> ${QP_STATE_NAME[to]}`;
  yield* t.expectRefusedCall(what, () => api.modifyQp(qp, { state: to }), 'STATE');
  t.expectEqual('state afterwards', qp.state, from);
}

/** Leaves out each attribute that a step of the right side needs; then it is taken with all of them. */
function* leaveOutEach(t: CaseBench, step: Step): Proc<void> {
  const { api, qp } = t.right;
  const before = qp.state;
  const whole = stepsOf(t)[step];
  for (const name of Object.keys(whole) as QpAttributeName[]) {
    if (name === 'state' || whole[name] === undefined || OPTIONAL[step].includes(name)) continue;
    const { [name]: _, ...rest } = whole;
    const call = () => t.modify(t.right, rest as QpAttributes);
    yield* t.expectRefusedCall(`a step without ${name}`, call, 'ATTRIBUTE');
    t.expectEqual(`state after a step without ${name}`, qp.state, before);
  }
  yield* api.modifyQp(qp, whole);
}

/** What those steps have that may be left out (6.2). */
const OPTIONAL: Readonly<Record<Step, readonly QpAttributeName[]>> = {
  init: [],
  rtr: ['accessFlags', 'pkeyIndex'],
  rts: ['curState', 'accessFlags', 'minRnrTimer'],
};

/** An attribute of each sort that no step of the right side takes. */
const FORBIDDEN: Readonly<Record<Step, QpAttributes>> = {
  init: { state: QP_STATE.init, sqPsn: 1, rqPsn: 1, timeout: 1, destQpn: 1, qkey: 1 },
  rtr: { state: QP_STATE.rtr, sqPsn: 1, timeout: 1, retryCnt: 1, qkey: 1, port: 1 },
  rts: { state: QP_STATE.rts, rqPsn: 1, destQpn: 1, pathMtu: 1, qkey: 1, port: 1 },
};

function* addEach(t: CaseBench, step: Step): Proc<void> {
  const { api, qp } = t.right;
  const before = qp.state;
  const whole = stepsOf(t)[step];
  for (const name of Object.keys(FORBIDDEN[step]) as QpAttributeName[]) {
    if (name === 'state') continue;
    const call = () => t.modify(t.right, { ...whole, [name]: FORBIDDEN[step][name] });
    yield* t.expectRefusedCall(`a step with ${name}`, call, 'ATTRIBUTE');
    t.expectEqual(`state after a step with ${name}`, qp.state, before);
  }
  yield* api.modifyQp(qp, whole);
}

/** A SEND to the right side. */
function* sends(t: CaseBench): Proc<void> {
  yield* t.left.send(yield* t.left.source(BYTES));
}

export const TRANSITIONS = subject([], {
  *G207(t) {
    yield* rightIn(t, 'reset');
    const steps = stepsOf(t);
    for (const step of STEPS) {
      yield* takeSteps(t.right, [steps[step]]);
      yield* t.expectState(step, t.right);
    }
  },
  *G208(t) {
    yield* rightIn(t, 'reset');
    yield* illegal(t, QP_STATE.reset, QP_STATE.rtr);
  },
  *G209(t) {
    yield* rightIn(t, 'init');
    yield* illegal(t, QP_STATE.init, QP_STATE.rts);
  },
  *G210(t) {
    yield* rightIn(t, 'rts');
    yield* illegal(t, QP_STATE.rts, QP_STATE.rtr);
  },
  *G211(t) {
    yield* rightIn(t, 'reset');
    yield* leaveOutEach(t, 'init');
  },
  *G212(t) {
    yield* rightIn(t, 'init');
    yield* leaveOutEach(t, 'rtr');
  },
  *G213(t) {
    yield* rightIn(t, 'rtr');
    yield* leaveOutEach(t, 'rts');
  },
  *T_081(t) {
    yield* rightIn(t, 'reset');
    for (const step of STEPS) yield* leaveOutEach(t, step);
    yield* t.expectState('rts', t.right);
  },
  *T_082(t) {
    yield* rightIn(t, 'reset');
    for (const step of STEPS) yield* addEach(t, step);
    yield* t.expectState('rts', t.right);
  },
});

export const REUSE = subject([], {
  *G221(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    for (const { api, qp } of [t.left, t.right]) yield* api.modifyQp(qp, { state: QP_STATE.err });
    yield* resetBoth(t.left, t.right);
    yield* connectAgain(t.left, t.right, t.streamOf(t.connectionAt(0), 'psns'));
    yield* t.right.receive(into);
    yield* t.left.send(data);
    yield* t.sent();
    yield* t.received();
  },
  *G230(t) {
    const data = yield* t.left.source(BYTES);
    yield* t.left.api.modifyQp(t.left.qp, { state: QP_STATE.err });
    yield* t.left.send(data);
    yield* t.sent('wrFlushErr');
  },
  *G233(t) {
    const into = yield* t.right.sink(BYTES);
    yield* t.right.api.modifyQp(t.right.qp, { state: QP_STATE.err });
    yield* t.right.receive(into);
    yield* t.received('wrFlushErr');
  },
  *G232(t) {
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    for (let i = 0; i < 4; i++) yield* t.left.read(into, remote);
    for (let i = 0; i < 4; i++) yield* t.sent();
    yield* t.left.api.modifyQp(t.left.qp, { state: QP_STATE.err });
    for (let batch = 0; batch < 3; batch++) {
      for (let i = 0; i < 4; i++) yield* t.left.read(into, remote);
      for (let i = 0; i < 4; i++) yield* t.sent('wrFlushErr');
    }
  },
  *G231(t) {
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    const count = 24;
    const posting = t.run.processes.spawn(
      'posting',
      (function* (): Proc<void> {
        for (let i = 0; i < count; i++) {
          yield* t.left.read(into, remote);
          yield* t.pause(0.2);
        }
      })(),
    );
    yield* t.pause(2);
    yield* t.left.api.modifyQp(t.left.qp, { state: QP_STATE.err });
    yield* joinAll([posting]);
    let flushed = false;
    for (let i = 0; i < count; i++) {
      const { status } = yield* t.oneOf(t.left.sent(), 'success', 'wrFlushErr');
      t.expect(!(flushed && status === 0), 'a request succeeds behind one that was flushed');
      flushed ||= status !== 0;
    }
    t.expect(flushed, 'no request was flushed');
  },
});

/** Queue pairs that come and go. */
export const LIFE_CYCLES = subject([], {
  *G393(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const random = t.streamOf(t.connectionAt(0), 'psns');
    const kept = { ...keptBy(t.left.qp), mtu: t.values.MTU };
    for (let round = 0; round < 20; round++) {
      yield* t.right.receive(into);
      yield* t.left.send(data);
      yield* t.sent();
      yield* t.received();
      for (const side of [t.left, t.right]) yield* side.renew();
      yield* connectAgain(t.left, t.right, random, kept);
    }
  },
});

/** Traffic to a queue pair that may not take it yet. */
export const UNREADY = subject(['naks'], {
  *G225(t) {
    const into = yield* t.right.sink(BYTES);
    yield* rightIn(t, 'reset');
    yield* t.expectRefusedCall('a receive in RESET', () => t.right.receive(into), 'STATE');
    yield* sends(t);
    yield* t.oneOf(t.left.sent(), 'retryExcErr', 'remOpErr');
  },
  *G227(t) {
    const into = yield* t.right.sink(BYTES);
    yield* rightIn(t, 'init');
    yield* t.right.receive(into);
    yield* sends(t);
    yield* t.sent('retryExcErr');
    t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 1);
  },
  *G229(t) {
    const into = yield* t.right.sink(BYTES);
    yield* rightIn(t, 'rtr');
    yield* t.right.receive(into);
    yield* takeSteps(t.right, [stepsOf(t).rts]);
    yield* sends(t);
    yield* t.sent();
    yield* t.received();
  },
  *G234(t) {
    const into = yield* t.right.sink(BYTES);
    yield* rightIn(t, 'rtr');
    yield* t.right.receive(into);
    yield* sends(t);
    yield* t.sent();
    yield* t.received();
  },
  *G223(t) {
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    yield* rightIn(t, 'rtr');
    for (let i = 0; i < 8; i++) yield* t.left.read(into, remote);
    yield* takeSteps(t.right, [stepsOf(t).rts]);
    for (let i = 0; i < 8; i++) yield* t.left.read(into, remote);
    for (let i = 0; i < 16; i++) yield* t.sent();
  },
  *G237(t) {
    const [data, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    for (const state of ['reset', 'init'] as const) {
      yield* rightIn(t, state);
      yield* t.left.write(data, target);
      yield* t.sent('retryExcErr');
      yield* rightIn(t, state);
      yield* t.left.read(into, remote);
      yield* t.sent('retryExcErr');
    }
  },
});

export const ATOMICS_TO_STATES = subject(['naks', 'atomics', 'sqd'], {
  *G317(t) {
    const [data, into, words] = [yield* t.left.source(8), yield* t.left.sink(8), yield* t.right.words(8)];
    const requests = [
      () => t.left.write(data, words),
      () => t.left.read(into, words),
      () => t.left.fetchAdd(into, words, 1n),
      () => t.left.compareSwap(into, words, 0n, 1n),
    ];
    for (const state of ['reset', 'init', 'rtr', 'rts', 'err'] as const) {
      for (const request of requests) {
        yield* rightIn(t, state === 'err' ? 'rts' : state);
        if (state === 'err') yield* t.right.api.modifyQp(t.right.qp, { state: QP_STATE.err });
        yield* request();
        yield* t.sent(state === 'rtr' || state === 'rts' ? 'success' : 'retryExcErr');
      }
    }
  },
});
