/** Requests that reach the same bytes while they are outstanding: legal, and judged as far as their order says. */

import { expect } from 'chai';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { play, type Played } from '../tests/harness.ts';

type Drive = (connections: readonly Connection[]) => Proc<void>;

class Overlaps extends UserSequence {
  static readonly typeName = 'overlaps';
  static drive: Drive;

  override *body(): Proc {
    yield* Overlaps.drive(this.connections);
  }
}

function run(drive: Drive, ...plusargs: string[]): Promise<Played> {
  Overlaps.drive = drive;
  const given = plusargs.length === 0 ? ['+RC_QP_NUM=1'] : plusargs;
  return play('test_sequence', ['+UVM_TEST_SEQ=overlaps', ...given], 1, ({ factory }) => {
    factory.register(Overlaps.typeName, Overlaps);
  });
}

function expectClean(played: Played): void {
  expect(played.verdict, played.log).to.equal('passed');
}

describe('requests to the same bytes', () => {
  for (const targets of [
    [
      [0, 1000],
      [0, 500],
    ],
    [
      [0, 500],
      [0, 1000],
    ],
    [
      [0, 9000],
      [300, 500],
      [200, 400],
    ],
  ] as const) {
    it(`WRITEs of one queue pair to ${JSON.stringify(targets)} (offset, length)`, async () => {
      const played = await run(function* ([first]) {
        const { left, right } = first as Connection;
        const src = yield* left.source(10_000);
        const dst = yield* right.sink(10_000);
        for (const [i, [offset, length]] of targets.entries())
          yield* left.write(src.part(10 * i, length), dst.part(offset, length));
        for (let i = 0; i < targets.length; i++) yield* left.sent();
      });
      expectClean(played);
    });
  }

  it('WRITEs of UC, of which the link lets the second overtake the first', async () => {
    const overtaken = function* ([first]: readonly Connection[]): Proc<void> {
      const { left, right } = first as Connection;
      const src = yield* left.source(2000);
      const dst = yield* right.sink(1000);
      yield* left.write(src.part(0, 60), dst.part(500, 60));
      yield* left.write(src.part(900, 1000), dst);
      for (let i = 0; i < 2; i++) yield* left.sent();
    };
    const late = '+NET_FAULT=reorder host=0 service=uc nth=1';
    expectClean(await run(overtaken, '+RC_QP_NUM=0', '+UC_QP_NUM=1', late));
  });

  it('a SEND of UC and a WRITE behind it, which the link lets overtake it, into the same buffer', async () => {
    const overtaken = function* ([first]: readonly Connection[]): Proc<void> {
      const { left, right } = first as Connection;
      const src = yield* left.source(4000);
      const dst = yield* right.sink(1000);
      yield* right.receive(dst.part(500, 60));
      yield* left.send(src.part(0, 60));
      yield* left.write(src.part(900, 1000), dst);
      for (let i = 0; i < 2; i++) yield* left.sent();
      yield* right.received();
    };
    const late = '+NET_FAULT=delay host=0 service=uc nth=1 by=20us';
    expectClean(await run(overtaken, '+RC_QP_NUM=0', '+UC_QP_NUM=1', late));
  });

  it('WRITEs of UC, of which the first packet of the first comes once more behind the second', async () => {
    const repeated = function* ([first]: readonly Connection[]): Proc<void> {
      const { left, right } = first as Connection;
      const src = yield* left.source(9000);
      const dst = yield* right.sink(8000);
      yield* left.write(src.part(0, 6000), dst.part(0, 6000));
      yield* left.write(src.part(7000, 1000), dst.part(500, 1000));
      for (let i = 0; i < 2; i++) yield* left.sent();
    };
    const again = '+NET_FAULT=duplicate host=0 service=uc opcode=write_first nth=1 after=20us';
    expectClean(await run(repeated, '+RC_QP_NUM=0', '+UC_QP_NUM=1', '+MTU=1024', again));
  });

  it('a WRITE and behind it one with immediate', async () => {
    const played = await run(function* ([first]) {
      const { left, right } = first as Connection;
      const src = yield* left.source(4000);
      const dst = yield* right.sink(4000);
      yield* right.receive([]);
      yield* left.write(src.part(0, 4000), dst);
      yield* left.write(src.part(10, 1000), dst.part(500, 1000), { imm: 1 });
      yield* right.received();
      for (let i = 0; i < 2; i++) yield* left.sent();
    });
    expectClean(played);
  });

  it('a WRITE and behind it a SEND into the same buffer', async () => {
    const played = await run(function* ([first]) {
      const { left, right } = first as Connection;
      const src = yield* left.source(4000);
      const dst = yield* right.sink(4000);
      yield* right.receive(dst.part(500, 1000));
      yield* left.write(src.part(0, 4000), dst);
      yield* left.send(src.part(10, 1000));
      yield* right.received();
      for (let i = 0; i < 2; i++) yield* left.sent();
    });
    expectClean(played);
  });

  it('a WRITE and behind it messages of which the first changes its bytes', async () => {
    const played = await run(function* ([first]) {
      const { left, right } = first as Connection;
      const src = yield* left.source(4000);
      const dst = yield* right.sink(4000);
      const other = yield* right.sink(4000);
      yield* right.receive(dst.part(500, 1000));
      yield* right.receive(other);
      yield* left.write(src.part(0, 4000), dst);
      yield* left.send(src.part(10, 1000));
      yield* left.send(src);
      for (let i = 0; i < 2; i++) yield* right.received();
      for (let i = 0; i < 3; i++) yield* left.sent();
    });
    expectClean(played);
  });

  it('WRITEs of two queue pairs of a process', async () => {
    const played = await run(
      function* (connections) {
        const [one, two] = connections as [Connection, Connection];
        const dst = yield* one.right.sink(4000);
        const first = yield* one.left.source(4000);
        const second = yield* two.left.source(4000);
        for (const [side, src, at, length] of [
          [one.left, first, 0, 3000],
          [two.left, second, 1500, 2500],
        ] as const)
          yield* side.write(src.part(0, length), dst.part(at, length));
        yield* one.left.sent();
        yield* two.left.sent();
      },
      '+RC_QP_NUM=2',
      '+PROC_NUM=1',
    );
    expectClean(played);
  });

  it('a READ of what a WRITE of the other side overwrites', async () => {
    const played = await run(function* ([first]) {
      const { left, right } = first as Connection;
      const there = yield* left.sink(4000);
      const src = yield* right.source(4000);
      const here = yield* right.sink(4000);
      const mine = yield* left.source(2000);
      yield* left.read(there, here);
      yield* left.write(mine.part(0, 2000), here.part(1000, 2000));
      yield* right.write(src.part(0, 1000), there.part(500, 1000));
      for (let i = 0; i < 2; i++) yield* left.sent();
      yield* right.sent();
    });
    expectClean(played);
  });

  it('are no cover for bytes written beside them', async () => {
    const played = await run(
      function* ([first]) {
        const { left, right } = first as Connection;
        const src = yield* left.source(4000);
        const dst = yield* right.sink(4000);
        yield* left.write(src.part(0, 1001), dst.part(0, 1001));
        yield* left.write(src.part(10, 500), dst.part(0, 500));
        for (let i = 0; i < 2; i++) yield* left.sent();
      },
      '+RC_QP_NUM=1',
      '+DUT_FAULT=write_rounded',
    );
    expect(played.verdict).to.equal('failed');
    expect(played.log).to.contain('[SCB_STRAY_WRITE]').and.contain('[SCB_GUARD]').and.contain('(deregistered by now)');
  });
});
