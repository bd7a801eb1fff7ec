/** Requests that are posted while software deregisters what they name: the NIC may have forgotten it already, or not (roce-transport.md 4.4). */

import { expect } from 'chai';
import type { Mr } from '../../../env/verbs/verbsObjects.ts';
import { QP_TYPE, QP_TYPE_NAME, type TransportType, WC_STATUS, WC_STATUS_NAME } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import type { QpSide } from '../../../sequences/user/qpSide.ts';
import { NO_KEY, type RegisteredBuffer } from '../../../sequences/user/memory/registeredBuffer.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../tests/harness.ts';

/** Regions that are deregistered at once: the NIC is told of the last one long after the first. */
const REGIONS = 16;
const PAGE = 4096;
const LENGTH = 3000;
/** Bytes that are on their way for many microseconds. */
const LONG = 200_000;
const CONNECTIONS = 12;
/** Each connection posts so much later, ps, than the one before it. */
const STEP = 40 * US;

/** What software does with a region of side `owner`. */
interface Case {
  readonly owner: 'left' | 'right';
  /** Memory that is needed besides. */
  prepare(this: void, connection: Connection): Proc<RegisteredBuffer>;
  /** Posts, when software has begun to deregister `going`. */
  post(this: void, connection: Connection, going: RegisteredBuffer, other: RegisteredBuffer): Proc<void>;
}

type Work = (this: UserSequence, connection: Connection) => Proc<void>;

function playOn(type: TransportType, work: Work): Promise<Played> {
  class Going extends UserSequence {
    static readonly typeName = 'going';
    override readonly services = [type];
    override connection(connection: Connection): Proc<void> {
      return work.call(this, connection);
    }
  }
  const numbers = ['RC', 'UC', 'UD'].map((t) => `+${t}_QP_NUM=${t === QP_TYPE_NAME[type] ? CONNECTIONS : 0}`).join(' ');
  const line = `+UVM_TEST_SEQ=going +DATA_CNT=1 +DATA_UNIT=MB ${numbers}`;
  return play('test_sequence', line, 1, ({ factory }) => factory.register('going', Going));
}

/** A run with a case, and the statuses of its requests, in no particular order. */
async function playCase(
  type: TransportType,
  { owner, prepare, post }: Case,
): Promise<{ run: Played; statuses: Set<number> }> {
  const statuses = new Set<number>();
  const run = await playOn(type, function* (connection) {
    const side = connection[owner];
    const memory = yield* side.sink(REGIONS * PAGE);
    const mrs = yield* regions(side, memory);
    const last = mrs[REGIONS - 1] as Mr;
    const other = yield* prepare(connection);
    // Connections share the commands of their host: the last region goes after those of the others.
    yield* delay(500 * US);
    const work = this.run.processes.spawn('deregistration', side.api.deregMrs(mrs));
    yield* delay(connection.index * STEP);
    yield* post(connection, memory.part((REGIONS - 1) * PAGE, LENGTH).withKey(last.key), other);
    const ended = yield* connection.left.sent();
    ended.expected();
    statuses.add(ended.status);
    yield* joinAll([work]);
    yield* this.quiet();
  });
  return { run, statuses };
}

/** One region for each page of a buffer. */
function* regions({ api, qp }: QpSide, { hi, lo }: RegisteredBuffer): Proc<readonly Mr[]> {
  const requests = Array.from({ length: REGIONS }, (_, i) => ({ hi, lo: lo + PAGE * i, length: PAGE, access: 0xf }));
  return yield* api.regMrs(qp.pd, requests);
}

const REMOTE: Record<string, Case> = {
  WRITE: {
    owner: 'right',
    prepare: ({ left }) => left.source(LENGTH),
    post: ({ left }, going, source) => left.write(source, going),
  },
  'WRITE with immediate': {
    owner: 'right',
    *prepare({ left, right }) {
      yield* right.receive(yield* right.sink(64));
      return yield* left.source(LENGTH);
    },
    post: ({ left }, going, source) => left.write(source, going, { imm: 7 }),
  },
  READ: {
    owner: 'right',
    prepare: ({ left }) => left.sink(LENGTH),
    post: ({ left }, going, sink) => left.read(sink, going),
  },
};
const LOCAL: Record<string, Case> = {
  WRITE: {
    owner: 'left',
    prepare: ({ right }) => right.sink(LENGTH),
    post: ({ left }, going, sink) => left.write(going, sink),
  },
  SEND: {
    owner: 'left',
    *prepare({ right }) {
      const sink = yield* right.sink(LENGTH);
      yield* right.receive(sink);
      return sink;
    },
    post: ({ left }, going) => left.send(going),
  },
  READ: {
    owner: 'left',
    prepare: ({ right }) => right.source(LENGTH),
    post: ({ left }, going, source) => left.read(going, source),
  },
  receive: {
    owner: 'right',
    prepare: ({ left }) => left.source(LENGTH),
    *post({ left, right }, going, source) {
      yield* right.receive(going);
      yield* left.send(source);
    },
  },
};

describe('requests that are posted while their memory is being deregistered', () => {
  for (const [where, cases, failure] of [
    ['remote', REMOTE, WC_STATUS.remAccessErr],
    ['local', LOCAL, WC_STATUS.locProtErr],
  ] as const)
    for (const [name, each] of Object.entries(cases)) {
      it(`may succeed or fail for a ${where} key: ${name} of RC`, async () => {
        const { run, statuses } = await playCase(QP_TYPE.rc, each);
        expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
        expect([...statuses]).to.have.members([WC_STATUS.success, name === 'receive' ? WC_STATUS.remOpErr : failure]);
      });
      if (name === 'READ') continue;
      it(`may arrive or be lost for a ${where} key: ${name} of UC`, async () => {
        const { run } = await playCase(QP_TYPE.uc, each);
        expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
      });
    }

  for (const name of ['SEND', 'receive'] as const) {
    it(`may arrive or be lost for a local key: ${name} of UD`, async () => {
      const { run } = await playCase(QP_TYPE.ud, LOCAL[name] as Case);
      expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
    });
  }

  it('end with one NAK, that of a READ which fails in the middle, where one behind it has been refused before', async () => {
    const ends: string[] = [];
    const run = await playOn(QP_TYPE.rc, function* ({ index, left, right }) {
      const [sink, long] = [yield* left.sink(LONG), yield* right.source(LONG)];
      const [source, other] = [yield* left.source(64), yield* right.sink(64)];
      yield* left.read(sink, long);
      yield* left.write(source, other.withKey(NO_KEY));
      yield* delay(index * STEP);
      yield* right.deregister(long);
      const [read, write] = [yield* left.sent(), yield* left.sent()];
      for (const each of [read, write]) each.expected();
      ends.push(`${WC_STATUS_NAME[read.status]} ${WC_STATUS_NAME[write.status]}`);
      yield* this.quiet();
    });
    expect(run.verdict, run.log).to.equal('passed');
    expect(new Set(ends)).to.have.keys(['REM_ACCESS_ERR WR_FLUSH_ERR', 'SUCCESS REM_ACCESS_ERR']);
  });

  it('may be lost without a word for a remote key that goes while a WRITE with immediate of UC is on its way', async () => {
    const run = await playOn(QP_TYPE.uc, function* ({ index, left, right }) {
      const [source, sink] = [yield* left.source(LONG), yield* right.sink(LONG)];
      yield* right.receive(yield* right.sink(64));
      yield* left.write(source, sink, { imm: 7 });
      yield* delay(index * STEP);
      yield* right.deregister(sink);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      yield* this.quiet();
    });
    expect(run.verdict, run.log).to.equal('passed');
  });
});
