/** Queue pairs that their peers talk to while software brings them up (roce-transport.md 6.2, 6.4): nobody complains. */

import { expect } from 'chai';
import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { ACCESS, QP_STATE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { reconnection, resetBoth, takeSteps } from '../../../sequences/user/reconnection.ts';
import { NO_KEY } from '../../../sequences/user/memory/registeredBuffer.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import { play } from '../tests/harness.ts';

type Drive = (sequence: BringUp, connection: Connection) => Proc<void>;

class BringUp extends UserSequence {
  static readonly typeName = 'bring_up';
  static drive: Drive;

  override *connection(connection: Connection): Proc<void> {
    yield* BringUp.drive(this, connection);
  }

  /** Software of the right side works on its queue pair while the left side does `meanwhile`. */
  *during(work: Proc<void>, meanwhile: Proc<void>): Proc<void> {
    const software = this.run.processes.spawn('software', work);
    yield* meanwhile;
    yield* joinAll([software]);
  }
}

const FIRST = { left: 5, right: 9 };

/**
 * Resets both sides and brings up the left one.
 * @returns the steps that bring up the right side: to INIT, RTR and RTS
 */
function* halfConnected(
  { left, right }: Connection,
  ofRight: ConnectAttributes = {},
  ofLeft: ConnectAttributes = {},
): Proc<[QpAttributes, QpAttributes, QpAttributes]> {
  yield* resetBoth(left, right);
  yield* takeSteps(left, reconnection(left, right, { psn: FIRST.left, mtu: 1024, ...ofLeft }, FIRST.right));
  const [init, rtr, rts] = reconnection(right, left, { psn: FIRST.right, mtu: 1024, ...ofRight }, FIRST.left);
  return [init as QpAttributes, rtr as QpAttributes, rts as QpAttributes];
}

async function expectClean(options: string, drive: Drive): Promise<void> {
  BringUp.drive = drive;
  const line = `+UVM_TEST_SEQ=bring_up ${options}`;
  const played = await play('test_sequence', line, 1, ({ factory }) => factory.register(BringUp.typeName, BringUp));
  expect(played.counts, played.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
}

describe('a queue pair that is given other attributes when it goes from RTR to RTS', () => {
  for (const [what, before, after] of [
    ['grants', ACCESS.remoteRead, ACCESS.remoteWrite],
    ['withdraws', ACCESS.remoteWrite, ACCESS.remoteRead],
  ] as const) {
    it(`${what} its peer rights, and what is on its way may be refused or not`, () =>
      expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
        const { left, right } = connection;
        const [source, target] = [yield* left.source(64), yield* right.sink(64)];
        for (let i = 0; i < 40; i++) {
          const [init, rtr, rts] = yield* halfConnected(connection, { accessFlags: before });
          yield* takeSteps(right, [init, rtr]);
          const write = function* (): Proc<void> {
            yield* delay(i * 150 * NS);
            yield* left.write(source, target);
            (yield* left.sent()).expected();
          };
          yield* sequence.during(right.api.modifyQp(right.qp, { ...rts, accessFlags: after }), write());
        }
      }));
  }

  it('asks for the old or the new time while it is not ready', () =>
    expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
      const { left, right } = connection;
      const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
      for (let i = 0; i < 30; i++) {
        const [init, rtr, rts] = yield* halfConnected(connection, { minRnrTimer: 1 });
        yield* takeSteps(right, [init, rtr]);
        yield* left.send(source);
        yield* delay(i * 100 * NS);
        yield* right.api.modifyQp(right.qp, { ...rts, minRnrTimer: 3 });
        yield* right.receive(sink);
        sequence.expectSuccess(yield* left.sent(), 'SEND');
        sequence.expectSuccess(yield* right.received(), 'receive');
      }
    }));

  it('takes datagrams with its old or its new Q_Key', () =>
    expectClean('+RC_QP_NUM=0 +UD_QP_NUM=1', function* (sequence, { left, right }) {
      const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
      const { api, qp } = right;
      for (let i = 0; i < 60; i++) {
        yield* takeSteps(right, [
          { state: QP_STATE.reset },
          { state: QP_STATE.init, pkeyIndex: 0, port: 1, qkey: 77 },
          { state: QP_STATE.rtr },
        ]);
        yield* right.receive(sink);
        const send = function* (): Proc<void> {
          yield* delay(i * 100 * NS);
          yield* left.sendTo(right, source, { qkey: 99 });
          sequence.expectSuccess(yield* left.sent(), 'SEND');
        };
        yield* sequence.during(api.modifyQp(qp, { state: QP_STATE.rts, sqPsn: 0, qkey: 99 }), send());
        yield* delay(20 * US);
      }
    }));
});

describe('a request that comes to its peer before that is in RTR', () => {
  it('is sent again when its time-out has expired, also when that takes longer than a queue pair may be stuck', async () => {
    for (const timeout of [10, 17]) {
      await expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
        const { left, right } = connection;
        const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
        const [init, rtr, rts] = yield* halfConnected(connection, {}, { timeout });
        yield* takeSteps(right, [init]);
        yield* right.receive(sink);
        yield* left.send(source);
        yield* delay(3 * US);
        yield* takeSteps(right, [rtr, rts]);
        sequence.expectSuccess(yield* left.sent(), 'SEND');
        sequence.expectSuccess(yield* right.received(), 'receive');
      });
    }
  });

  it('may have been tried for the last time by then', async () => {
    const statuses: number[] = [];
    await expectClean('+RC_QP_NUM=1', function* (_sequence, connection) {
      const { left, right } = connection;
      const [source, target] = [yield* left.source(64), yield* right.sink(64)];
      for (let tries = 0; tries < 8; tries++) {
        const [init, rtr] = yield* halfConnected(connection, {}, { timeout: 4, retryCnt: 1 });
        yield* takeSteps(right, [init]);
        yield* left.write(source.part(0, 0), target.part(0, 0));
        yield* delay(tries * 20 * US);
        yield* takeSteps(right, [rtr]);
        const completion = yield* left.sent();
        completion.expected();
        statuses.push(completion.status);
      }
    });
    expect(statuses).to.include.members([WC_STATUS.success, WC_STATUS.retryExcErr]);
  });
});

describe('a request that is posted before its peer is in RTR', () => {
  type Ask = (connection: Connection, key: number) => Proc<void>;
  const write: Ask = function* ({ left, right }) {
    yield* left.write(yield* left.source(64), yield* right.sink(64));
  };
  const writeByKey: Ask = function* ({ left, right }, key) {
    yield* left.write(yield* left.source(64), (yield* right.sink(64)).withKey(key));
  };
  const read: Ask = function* ({ left, right }) {
    yield* left.read(yield* left.sink(64), yield* right.source(64));
  };
  const { success, remAccessErr, remInvReqErr } = WC_STATUS;

  for (const [what, ask, ofRight, status] of [
    ['for rights that it lacks', write, { accessFlags: ACCESS.remoteRead }, remInvReqErr],
    ['because it is of another protection domain than the region', writeByKey, {}, remAccessErr],
    ['because it answers no READs', read, { maxDestRdAtomic: 0 }, remInvReqErr],
  ] as const) {
    it(`is refused ${what}`, async () => {
      const statuses: number[] = [];
      await expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
        const { left, right } = connection;
        const sink = yield* right.sink(64);
        const { hi, lo, length } = sink;
        const mr = yield* right.api.regMr(right.api.allocPd(right.qp.process), { hi, lo, length, access: 7 });
        for (const peerIn of [QP_STATE.reset, QP_STATE.init]) {
          const [init, rtr] = yield* halfConnected(connection, ofRight, { timeout: 4 });
          if (peerIn === QP_STATE.reset) yield* ask(connection, mr.key);
          yield* takeSteps(right, [init]);
          yield* right.receive(sink);
          if (peerIn === QP_STATE.init) yield* ask(connection, mr.key);
          yield* takeSteps(right, [rtr]);
          const completion = yield* left.sent();
          completion.expected();
          statuses.push(completion.status);
          sequence.expectStatus(yield* right.received(), WC_STATUS.wrFlushErr, 'receive');
        }
        yield* right.api.deregMr(mr);
      });
      expect(statuses).to.deep.equal([status, status]);
    });
  }

  it('is carried out when nothing is wrong with it', () =>
    expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
      const { left, right } = connection;
      for (const ask of [write, read]) {
        const steps = yield* halfConnected(connection, {}, { timeout: 4 });
        yield* ask(connection, 0);
        yield* takeSteps(right, steps);
        sequence.expectStatus(yield* left.sent(), success, 'request');
      }
    }));
});

describe('the event that a peer talks to a queue pair in RTR', () => {
  it('is not missed where the first message comes while the queue pair is taken to RTS', () =>
    expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
      const { left, right } = connection;
      const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
      for (let i = 0; i < 70; i++) {
        const [init, rtr, rts] = yield* halfConnected(connection);
        yield* takeSteps(right, [init, rtr]);
        yield* right.receive(sink);
        yield* left.send(source);
        const takeToRts = function* (): Proc<void> {
          yield* delay(i * 50 * NS);
          yield* right.api.modifyQp(right.qp, rts);
        };
        const receive = function* (): Proc<void> {
          sequence.expectSuccess(yield* right.received(), 'receive');
        };
        yield* sequence.during(takeToRts(), receive());
        sequence.expectSuccess(yield* left.sent(), 'SEND');
      }
    }));

  it('is rightful where the first request comes before software knows that the queue pair is in RTR', () =>
    expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
      const { left, right } = connection;
      const [source, target] = [yield* left.source(64), yield* right.sink(64)];
      for (let i = 0; i < 150; i++) {
        const [init, rtr, rts] = yield* halfConnected(connection, {}, { timeout: 4 });
        yield* takeSteps(right, [init]);
        yield* left.write(source.part(0, 0), target.part(0, 0));
        yield* delay(i * 20 * NS);
        yield* takeSteps(right, [rtr]);
        sequence.expectSuccess(yield* left.sent(), 'WRITE');
        yield* delay(5 * US);
        yield* takeSteps(right, [rts]);
      }
    }));
});

describe('a queue pair that its peer breaks as soon as it is connected', () => {
  it('may be found in ERR or in RTS when software asks whether it has what it was given', () =>
    expectClean('+RC_QP_NUM=1', function* (sequence, connection) {
      const { left, right } = connection;
      const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
      const { api, qp } = right;
      for (let i = 0; i < 100; i++) {
        yield* halfConnected(connection);
        const attributes = { psn: FIRST.right, mtu: 1024 };
        const connect = api.connectQp(qp, { host: left.host, qpn: left.qp.qpn, psn: FIRST.left }, attributes);
        const breakIt = function* (): Proc<void> {
          yield* delay(1500 * NS + i * 20 * NS);
          yield* left.write(source, sink.withKey(NO_KEY));
          (yield* left.sent()).expected();
        };
        yield* sequence.during(connect, breakIt());
        expect(qp.state).to.equal(QP_STATE.err);
      }
    }));
});
