import { expect } from 'chai';
import { GRH_BYTES, QP_TYPE, WC_STATUS } from '../../../../rdma/verbs.ts';
import type { Completion } from '../../../../sequences/user/completion.ts';
import type { Connection } from '../../../../sequences/user/connection.ts';
import { resetBoth } from '../../../../sequences/user/reconnection.ts';
import type { RegisteredBuffer } from '../../../../sequences/user/memory/registeredBuffer.ts';
import { UserSequence } from '../../../../sequences/user/userSequence.ts';
import { type Proc, join, joinAll } from '../../../../uvm/kernel/process.ts';
import { play } from '../../tests/harness.ts';
import { expectClean, expectIdle, playConnection, type Work } from './playConnection.ts';

const BYTES = 100;

/** What a call is refused with; '' when it is not. */
function* refusal(call: () => Proc<unknown>): Proc<string> {
  try {
    yield* call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

function* sendOne(sequence: UserSequence, { left, right }: Connection): Proc<void> {
  yield* right.receive(yield* right.sink(BYTES));
  yield* left.send(yield* left.source(BYTES));
  sequence.expectSuccess(yield* right.received(), 'receive');
  sequence.expectSuccess(yield* left.sent(), 'SEND');
}

/** A mistake, and what must be said about it. */
type Mistake = readonly [says: RegExp, call: (c: Connection, near: RegisteredBuffer, far: RegisteredBuffer) => unknown];

const MISTAKES: readonly Mistake[] = [
  [/source\(-5\) is no length; give a whole number of bytes, 0 \.\. 4294967296/, ({ left }) => left.source(-5)],
  [/sink\(10\.5\) is no length/, ({ left }) => left.sink(10.5)],
  [/source\(NaN\) is no length/, ({ left }) => left.source(Number.NaN)],
  [/source\(5368709120\) is more than the \d+ bytes that are left of the area/, ({ left }) => left.source(5 * 2 ** 30)],
  [/part\(NaN, 10\): give whole numbers of bytes, 0 \.\. 100/, (_, near) => near.part(Number.NaN, 10)],
  [/part\(0, 10\.5\): give whole numbers/, (_, near) => near.part(0, 10.5)],
  [/part\(95, 10\) leaves the buffer of 100 bytes/, (_, near) => near.part(95, 10)],
  [/split\(0\): give the number of parts, 1 or more/, (_, near) => near.split(0)],
  [/split\(1\.5\)/, (_, near) => near.split(1.5)],
  [/imm is 8589934597; give a whole number, 0 \.\. 4294967295/, ({ left }, n) => left.send(n, { imm: 2 ** 33 + 5 })],
  [/imm is -1;/, ({ left }, near) => left.send(near, { imm: -1 })],
  [/imm is 0\.5;/, ({ left }, near, far) => left.write(near, far, { imm: 0.5 })],
  // @ts-expect-error the compiler refuses it too
  [/READ with immediate data \(imm: 3\).*leave imm out/, ({ left }, near, far) => left.read(near, far, { imm: 3 })],
  [/list of 7 buffers is over the 6 entries.*raise \+SG_NUM/, ({ left }, near) => left.send(Array(7).fill(near))],
  [/list of 7 buffers/, ({ left }, near) => left.receive(Array(7).fill(near))],
  [/the data are memory of host 1; give what source or sink of this side.*unchecked/, ({ left }, _, f) => left.send(f)],
  [/the data are memory of host 1;/, ({ left }, near, far) => left.write(far, near)],
  [/the data are memory of host 1;/, ({ left }, near, far) => left.send([near, far.part(1, 2)])],
  [/RC QP 14: the data are memory of host 0;/, ({ right }, near) => right.receive(near)],
  [/the target is memory of host 0, and the peer is host 1 RC QP 14; give/, ({ left }, near) => left.write(near, near)],
  [/the target is memory of host 0, and the peer/, ({ left }, near) => left.read(near, near.part(0, 5))],
  [/the buffer is memory of host 1; give what source or sink of this side/, ({ left }, _, far) => left.deregister(far)],
];

describe('a side of a connection', () => {
  it('refuses each mistake with its value, the range and what to do, and works on after it', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (sequence, connection) {
      const near = yield* connection.left.source(BYTES);
      const far = yield* connection.right.sink(BYTES);
      for (const [, call] of MISTAKES) {
        said.push(
          yield* refusal(function* () {
            const made = call(connection, near, far);
            yield* made as Proc<unknown>;
          }),
        );
      }
      expect([connection.left.sendsPosted, connection.left.recvsPosted]).to.deep.equal([0, 0]);
      yield* sendOne(sequence, connection);
    });
    expectClean(run);
    for (const [i, [says]] of MISTAKES.entries()) expect(said[i]).to.match(says);
  });

  it('has another queue pair after it was renewed, whose completions go to who waited before', async () => {
    const run = await playConnection(function* (sequence, connection) {
      const { left, right } = connection;
      const former = [left, right].map(({ qp }) => qp);
      yield* sendOne(sequence, connection);
      const waiting = sequence.run.processes.spawn('waiting', right.received());
      yield* resetBoth(left, right);
      for (const side of [left, right]) yield* side.renew();
      const [a, b] = [left.qp, right.qp];
      expect(former.map(({ alive }) => alive)).to.deep.equal([false, false]);
      expect([a.qpn, b.qpn].some((qpn, i) => qpn === former[i]?.qpn)).to.equal(false);
      expect([a.maxSendWr, a.maxRecvWr, a.sendCq]).to.deep.equal([
        former[0]?.maxSendWr,
        former[0]?.maxRecvWr,
        former[0]?.sendCq,
      ]);
      yield* left.api.connectQp(a, { host: right.host, qpn: b.qpn, psn: 7 }, { psn: 9 });
      yield* right.api.connectQp(b, { host: left.host, qpn: a.qpn, psn: 9 }, { psn: 7 });
      yield* right.receive(yield* right.sink(BYTES));
      yield* left.send(yield* left.source(BYTES));
      sequence.expectSuccess(yield* left.sent(), 'SEND');
      sequence.expectSuccess((yield* join(waiting)) as Completion, 'receive');
    });
    expectClean(run);
  });

  it('receives a datagram into a list that has room for the GRH itself', async () => {
    const run = await playConnection(function* (sequence, { left, right }) {
      const sink = yield* right.sink(GRH_BYTES + BYTES);
      yield* right.receive([sink.part(0, 30), sink.part(30, sink.length - 30)], { grhInside: true });
      yield* left.send(yield* left.source(BYTES));
      sequence.expectSuccess(yield* left.sent(), 'datagram');
      const received = yield* right.received();
      expect([received.status, received.byteLen]).to.deep.equal([WC_STATUS.success, BYTES]);
    }, '+UD_QP_NUM=1');
    expectClean(run);
  });

  it('posts what does not belong there when it is asked to, for the NIC to refuse', async () => {
    const run = await playConnection(function* (sequence, { left, right }) {
      const [near, far] = [yield* left.source(BYTES), yield* right.source(BYTES)];
      yield* left.write(near, near.unchecked());
      sequence.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'WRITE');
      yield* right.api.destroyQp(right.qp);
      expect(far.unchecked().key).to.equal(far.key);
    });
    expect([run.verdict, run.counts['UVM_ERROR'], run.counts['error_completions']], run.log).to.deep.equal([
      'passed',
      0,
      1,
    ]);
  });

  it('refuses memory of another protection domain, and takes that of another queue pair in its own', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (sequence, connection) {
      const buffers = [];
      for (const { left } of sequence.connections) buffers.push([left, yield* left.source(BYTES)] as const);
      const { left } = connection;
      for (const [side, buffer] of buffers) {
        if (side.qp.pd === left.qp.pd) continue;
        said.push(yield* refusal(() => left.send(buffer)));
      }
      const own = buffers.filter(([side]) => side.qp.pd === left.qp.pd);
      expect(own.length).to.be.above(1);
      yield* connection.right.receive(yield* connection.right.sink(BYTES));
      yield* left.send((own.at(-1) as (typeof own)[0])[1]);
      sequence.expectSuccess(yield* left.sent(), 'SEND');
      sequence.expectSuccess(yield* connection.right.received(), 'receive');
    }, '+RC_QP_NUM=8');
    expectClean(run);
    expect(said).to.have.length.above(0);
    for (const text of said)
      expect(text).to.contain('memory of host 0 in another protection domain than that of host 0');
  });

  it('refuses operations that the service type does not have', async () => {
    const said: string[] = [];
    const work: Work = function* (_, { type, left, right }) {
      const [near, far] = [yield* left.sink(BYTES), yield* right.sink(BYTES)];
      if (type === QP_TYPE.ud) said.push(yield* refusal(() => left.write(near, far)));
      said.push(yield* refusal(() => left.read(near, far)));
      if (type === QP_TYPE.uc) said.push(yield* refusal(() => left.sendTo(right, near)));
    };
    expectIdle(await playConnection(work, '+RC_QP_NUM=0 +UD_QP_NUM=1'));
    expectIdle(await playConnection(work, '+RC_QP_NUM=0 +UC_QP_NUM=1'));
    expect(said[0]).to.match(/UD QP 14: UD has no RDMA WRITE; leave UD out of the sequence's `services`/);
    expect(said[1]).to.contain('UD has no RDMA READ');
    expect(said[2]).to.contain('UC has no RDMA READ');
    expect(said[3]).to.match(/UC QP 14: sendTo concerns .*UC QP 14.*, which is connected; use send\(\) on RC and UC/);
  });

  it('brings back what a word held, which atomics then change', async () => {
    const found: unknown[] = [];
    const run = await playConnection(function* (sequence, { left, right }) {
      const [near, far] = [yield* left.sink(8), yield* right.words(8)];
      right.fill(far, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0));
      yield* left.fetchAdd(near, far, 1n);
      sequence.expectSuccess(yield* left.sent(), 'FETCH_ADD');
      found.push([...left.contents(near)], [...right.contents(far)]);
      yield* left.compareSwap(near, far, 2n << 32n, -2n);
      sequence.expectSuccess(yield* left.sent(), 'COMPARE_SWAP');
      found.push([...left.contents(near)], [...right.contents(far)]);
    });
    expectClean(run);
    const second = [0, 0, 0, 0, 2, 0, 0, 0];
    const last = [0xfe, ...Array<number>(7).fill(0xff)];
    expect(found).to.deep.equal([[0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0], second, second, last]);
  });

  it('takes data into the request as they are when it is posted, and refuses what does not fit', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (sequence, { left, right }) {
      const [near, far] = [yield* left.source(100), yield* right.sink(100)];
      yield* left.write(near.part(0, 60), far, { inline: true });
      yield* left.deregister(near);
      sequence.expectSuccess(yield* left.sent(), 'WRITE');
      said.push(yield* refusal(() => left.send([near.part(0, 60), near.part(60, 1)], { inline: true })));
      const options: { readonly inline?: never } = { inline: true as never };
      said.push(yield* refusal(() => right.read(far, near.unchecked(), options)));
    });
    expectClean(run);
    expect(said[0]).to.contain('61 bytes are more than the 60 that may be inline; use fewer, or raise +MAX_INLINE');
    expect(said[1]).to.contain('a READ has no data to be inline; leave inline out; SEND and WRITE can have it');
  });

  it('refuses memory that was deregistered, unless that is on purpose', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (sequence, connection) {
      const { left, right } = connection;
      const [near, far] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      yield* left.deregister(near.part(0, 10));
      said.push(yield* refusal(() => left.send(near)));
      said.push(yield* refusal(() => right.read(far, near)));
      yield* left.write(near.unchecked(), far);
      yield* sequence.expectRefused(connection, 'requester', 'WRITE from there');
    });
    expectClean(run);
    expect(said[0]).to.contain(
      'RC QP 14: the data are in a region that was deregistered; use another; buffer.unchecked()',
    );
    expect(said[1]).to.contain('RC QP 14: the target is in a region that was deregistered; use another');
  });

  it('says how many requests a queue holds when it is full', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (sequence, { left, right }) {
      for (let i = 0; i < 31; i++) yield* right.receive([]);
      said.push(yield* refusal(() => right.receive([])));
      const [near, far] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      for (let i = 0; i < 32; i++) yield* left.write(near, far, i < 31 ? { imm: i } : {});
      said.push(yield* refusal(() => left.send(near)));
      for (let i = 0; i < 32; i++) sequence.expectSuccess(yield* left.sent(), 'WRITE');
    });
    expectClean(run);
    expect(said[0]).to.contain(
      'all 31 requests that the receive queue holds are outstanding; wait for some with received() first, or raise +MAX_RECV_WR',
    );
    expect(said[1]).to.contain(
      'all 32 requests that the send queue holds are outstanding; wait for some with sent() first, or raise +MAX_SEND_WR',
    );
  });

  for (const pair of ['+RC_QP_NUM=1', '+RC_QP_NUM=0 +UC_QP_NUM=1', '+RC_QP_NUM=0 +UD_QP_NUM=1']) {
    it(`has queues as deep as the run asks for, with ${pair}`, async () => {
      const depth = 200;
      const run = await playConnection(function* (sequence, { left, right }) {
        const near = (yield* left.source(BYTES * depth)).split(depth);
        const far = (yield* right.sink(BYTES * depth)).split(depth);
        for (const part of far) yield* right.receive(part);
        for (const part of near) yield* left.send(part);
        for (let i = 0; i < depth; i++) sequence.expectSuccess(yield* left.sent(), 'SEND');
        for (let i = 0; i < depth; i++) sequence.expectSuccess(yield* right.received(), 'receive');
      }, `${pair} +MAX_SEND_WR=${depth} +MAX_RECV_WR=${depth}`);
      expectClean(run);
    });
  }

  it('numbers what several processes post at once, each request once', async () => {
    const ids: number[][] = [];
    const work: Work = function* (sequence, { left, right }) {
      const sink = yield* right.sink(4 * BYTES);
      const source = yield* left.source(BYTES);
      const { processes } = sequence.run;
      yield* joinAll(sink.split(4).map((part, i) => processes.spawn(`receive${i}`, right.receive(part))));
      yield* joinAll([0, 1, 2, 3].map((i) => processes.spawn(`send${i}`, left.send(source))));
      const seen: number[] = [];
      for (let i = 0; i < 4; i++) seen.push((yield* right.received()).wrId, (yield* left.sent()).wrId);
      ids.push(seen);
    };
    for (const line of ['+RC_QP_NUM=1', '+RC_QP_NUM=0 +UD_QP_NUM=1']) expectClean(await playConnection(work, line));
    expect(ids).to.deep.equal(Array(2).fill([0, 0, 1, 1, 2, 2, 3, 3]));
  });

  it('brings immediate data of all 32 bits', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      yield* right.receive([]);
      yield* left.send([], { imm: 0xffff_fffe });
      expect((yield* right.received()).imm).to.equal(0xffff_fffe);
      yield* left.sent();
    });
    expectClean(run);
  });
});

describe('what a sequence destroys', () => {
  it('is left out when all is taken down: queue pairs, regions and completion queues', async () => {
    const run = await playConnection(function* (sequence, connection) {
      const { left } = connection;
      yield* sendOne(sequence, connection);
      const buffer = yield* left.source(BYTES);
      yield* left.deregister(buffer.part(10, 20));
      const { sendCq } = left.qp;
      yield* left.api.destroyQp(left.qp);
      yield* left.api.destroyCq(sendCq);
    });
    expectClean(run);
  });

  it('is said to have been destroyed when it is used again', async () => {
    const said: string[] = [];
    const run = await playConnection(function* (_, { left }) {
      const { api, qp } = left;
      const buffer = yield* left.source(BYTES);
      yield* left.deregister(buffer);
      yield* api.destroyQp(qp);
      yield* api.destroyCq(qp.sendCq);
      said.push(yield* refusal(() => left.deregister(buffer)));
      said.push(yield* refusal(() => api.destroyQp(qp)));
      said.push(yield* refusal(() => left.send([])));
      said.push(yield* refusal(() => api.armCq(qp.sendCq, false)));
      said.push(yield* refusal(() => api.waitCq(qp.sendCq)));
    });
    expectIdle(run);
    for (const text of said) expect(text).to.contain('has been destroyed; create another one');
    expect(said).to.have.length(5);
  });

  it('may be what is left of queue pairs that the sequence has created itself', async () => {
    const run = await playConnection(function* (_, { left }) {
      const { api, qp } = left;
      const { type, pd, sendCq, recvCq } = qp;
      yield* api.createQp(pd, { type, sendCq, recvCq, maxSendWr: 4, maxRecvWr: 3, maxSge: 1 });
      yield* left.source(BYTES);
    });
    expectIdle(run);
  });
});

describe('the random numbers of a connection', () => {
  it('are its own, and the same in every run with the seed', async () => {
    class Draws extends UserSequence {
      static readonly typeName = 'draws';
      readonly drawn: number[] = [];
      override *connection(connection: Connection): Proc<void> {
        yield* connection.left.source(1);
        this.drawn.push(this.streamOf(connection, 'lengths').uint32());
        if (connection.index === 3) this.info('DRAWN', this.drawn.join(' '));
      }
    }
    const draw = async (): Promise<string> => {
      const run = await play('test_sequence', '+UVM_TEST_SEQ=draws +RC_QP_NUM=4', 1, ({ factory }) =>
        factory.register('draws', Draws),
      );
      return /\[DRAWN\] (.*)/.exec(run.log)?.[1] ?? '';
    };
    const first = await draw();
    expect(new Set(first.split(' ')).size).to.equal(4);
    expect(await draw()).to.equal(first);
  });
});

describe('parameters of a sequence', () => {
  it('are read from plusargs of its own, and from the table', async () => {
    const run = await playConnection(function* (sequence, { left }) {
      yield* left.source(BYTES);
      const { plusargs } = sequence.run;
      expect([plusargs.value('AD_HOC_RECORDS'), plusargs.value('AD_HOC_MORE')]).to.deep.equal(['12', undefined]);
      expect([sequence.values.MTU, sequence.values.RETRY_CNT]).to.deep.equal([512, 7]);
    }, '+RC_QP_NUM=1 +MTU=512 +AD_HOC_RECORDS=12');
    expectIdle(run);
  });
});
