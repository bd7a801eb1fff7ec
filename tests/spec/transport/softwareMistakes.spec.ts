/** Mistakes of software that a right NIC answers with errors: the scoreboard foretells them, and has nothing to report. */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_STATE, QP_TYPE, SEND_FLAG, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import type { QpSide } from '../../../sequences/user/qpSide.ts';
import { RegisteredBuffer } from '../../../sequences/user/memory/registeredBuffer.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { play } from '../tests/harness.ts';

type Drive = (connection: Connection) => Proc<number[]>;

class Mistakes extends UserSequence {
  static readonly typeName = 'mistakes';
  static drive: Drive;
  static statuses: number[] = [];

  override *connection(connection: Connection): Proc<void> {
    Mistakes.statuses = yield* Mistakes.drive(connection);
  }
}

async function expectForetold(service: string, statuses: readonly number[], drive: Drive): Promise<void> {
  Mistakes.drive = drive;
  const numbers = ['RC', 'UC', 'UD'].map((t) => `+${t}_QP_NUM=${t === service ? 1 : 0}`).join(' ');
  const played = await play('test_sequence', `+UVM_TEST_SEQ=mistakes ${numbers}`, 1, ({ factory }) => {
    factory.register(Mistakes.typeName, Mistakes);
  });
  expect(Mistakes.statuses).to.deep.equal(statuses);
  expect(played.counts, played.log).to.include({ UVM_ERROR: 0 });
}

const S = WC_STATUS;

function oneSided(
  left: QpSide,
  mine: RegisteredBuffer,
  right: QpSide,
  theirs: RegisteredBuffer,
  read: boolean,
): SendWr {
  const wr = new SendWr();
  wr.opcode = read ? WR_OPCODE.rdmaRead : WR_OPCODE.rdmaWrite;
  wr.flags = SEND_FLAG.signaled;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: mine.hi, lo: mine.lo, length: mine.length, lkey: mine.key });
  const address = { remoteHi: theirs.hi, remoteLo: theirs.lo, rkey: theirs.key };
  const datagram = left.qp.type === QP_TYPE.ud;
  const ah = datagram ? left.api.createAh(left.qp.pd, right.qp.host).index : 0;
  return Object.assign(wr, address, { ah, remoteQpn: right.qp.qpn, remoteQkey: right.qp.qkey });
}

describe('a mistake of software', () => {
  it('WRITE and READ to a queue pair that permits them no more', async () => {
    for (const read of [false, true]) {
      await expectForetold('RC', [S.success, S.remInvReqErr], function* ({ left, right }) {
        const [mine, theirs] = [yield* left.sink(1000), yield* right.sink(1000)];
        const post = (): Proc<void> => (read ? left.read(mine, theirs) : left.write(mine, theirs));
        yield* post();
        const first = yield* left.sent();
        yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags: 0 });
        yield* post();
        return [first.status, (yield* left.sent()).status];
      });
    }
  });

  it('is none when the right is given back before', async () => {
    await expectForetold('RC', [S.success], function* ({ left, right }) {
      const [mine, theirs] = [yield* left.source(1000), yield* right.sink(1000)];
      for (const accessFlags of [0, ACCESS.remoteWrite])
        yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags });
      yield* left.write(mine, theirs);
      return [(yield* left.sent()).status];
    });
  });

  it('WRITE on UC to a queue pair that permits none', async () => {
    await expectForetold('UC', [S.success], function* ({ left, right }) {
      const [mine, theirs] = [yield* left.source(1000), yield* right.sink(1000)];
      yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags: 0 });
      yield* left.write(mine, theirs);
      return [(yield* left.sent()).status];
    });
  });

  it('a receive that is too short for its message', async () => {
    await expectForetold('RC', [S.remInvReqErr, S.locLenErr], function* ({ left, right }) {
      yield* right.receive(yield* right.sink(999));
      yield* left.send(yield* left.source(1000));
      return [(yield* left.sent()).status, (yield* right.received()).status];
    });
  });

  for (const [service, long] of [
    ['UC', 10_000],
    ['UD', 1001],
  ] as const) {
    it(`a message on ${service} that is longer than the receive it comes to, which the next one takes`, async () => {
      await expectForetold(service, [S.success, S.success, S.success], function* ({ left, right }) {
        const source = yield* left.source(long);
        yield* right.receive(yield* right.sink(service === 'UC' ? 5000 : 1000));
        for (const bytes of [long, 500]) yield* left.send(source.part(0, bytes));
        return [(yield* left.sent()).status, (yield* left.sent()).status, (yield* right.received()).status];
      });
    });

    it(`a send queue on ${service} that stops for a local error and goes on (T-089)`, async () => {
      await expectForetold(service, [S.locProtErr, S.success, S.success], function* ({ left, right }) {
        const [source, sink] = [yield* left.source(long), yield* right.sink(long)];
        yield* right.receive(sink);
        const half = long / 2;
        const bad = new RegisteredBuffer(source.hi, source.lo, Math.floor(half), 0x7777);
        yield* left.send([source.part(0, Math.ceil(half)), bad]);
        const failed = yield* left.sent();
        yield* left.api.modifyQp(left.qp, { state: QP_STATE.rts });
        yield* left.send(source.part(0, 500));
        return [failed.status, (yield* left.sent()).status, (yield* right.received()).status];
      });
    });
  }

  it('READ to a queue pair that answers none, or fewer at once than are sent (T-048)', async () => {
    const limit = function* (side: QpSide, maxDestRdAtomic: number): Proc<void> {
      const notify = { enSqdAsyncNotify: true };
      yield* side.api.modifyQp(side.qp, { state: QP_STATE.sqd, ...notify });
      yield* side.api.modifyQp(side.qp, { state: QP_STATE.sqd, maxDestRdAtomic });
      yield* side.api.modifyQp(side.qp, { state: QP_STATE.rts });
    };
    await expectForetold('RC', [S.remInvReqErr], function* ({ left, right }) {
      yield* limit(right, 0);
      yield* left.read(yield* left.sink(100), yield* right.source(100));
      return [(yield* left.sent()).status];
    });
    await expectForetold('RC', [S.success, S.remInvReqErr], function* ({ left, right }) {
      yield* limit(right, 1);
      const [mine, theirs] = [yield* left.sink(100_000), yield* right.source(100_000)];
      for (let i = 0; i < 2; i++) yield* left.read(mine, theirs);
      return [(yield* left.sent()).status, (yield* left.sent()).status];
    });
  });

  for (const [service, sent] of [
    ['RC', S.remOpErr],
    ['UC', S.success],
    ['UD', S.success],
  ] as const) {
    it(`a receive on ${service} whose key does not open its buffer, with another one behind it`, async () => {
      await expectForetold(service, [sent, S.locProtErr, S.wrFlushErr], function* ({ left, right }) {
        const sink = yield* right.sink(1000);
        yield* right.receive(new RegisteredBuffer(sink.hi, sink.lo, 900, 0x7777));
        yield* right.receive(sink);
        yield* left.send(yield* left.source(500));
        const statuses = [(yield* left.sent()).status];
        for (let i = 0; i < 2; i++) statuses.push((yield* right.received()).status);
        return statuses;
      });
    });

    it(`is none on ${service} when the message ends in front of what the key does not open`, async () => {
      await expectForetold(service, [S.success, S.success], function* ({ left, right }) {
        const [sink, far] = [yield* right.sink(500), yield* right.sink(500)];
        yield* right.receive([sink, new RegisteredBuffer(far.hi, far.lo, 500, 0x7777)]);
        yield* left.send(yield* left.source(500));
        return [(yield* left.sent()).status, (yield* right.received()).status];
      });
    });
  }

  it('READ on UC, READ and WRITE on UD', async () => {
    for (const [service, read] of [
      ['UC', true],
      ['UD', true],
      ['UD', false],
    ] as const) {
      await expectForetold(service, [S.locQpOpErr], function* ({ left, right }) {
        const [mine, theirs] = [yield* left.sink(100), yield* right.sink(100)];
        // A side refuses it; the host API does not.
        yield* left.api.postSend(left.qp, [oneSided(left, mine, right, theirs, read)], 1);
        return [(yield* left.sent()).status];
      });
    }
  });

  it('a datagram longer than a packet', async () => {
    await expectForetold('UD', [S.locLenErr], function* ({ left }) {
      yield* left.send(yield* left.source(4097));
      const { status } = yield* left.sent();
      yield* delay(1_000_000);
      return [status];
    });
  });
});
