import { expect } from 'chai';
import { CMD } from '../../../../../dut-model/hangu/layout/commands.ts';
import { ACCESS, QP_STATE } from '../../../../../rdma/verbs.ts';
import { CommandError } from '../../../../../env/verbs/hostErrors.ts';
import type { Qp } from '../../../../../env/verbs/verbsObjects.ts';
import type { SeenCommand } from '../../support/fakeHcr.ts';
import type { Proc } from '../../../../../uvm/kernel/process.ts';
import { ProviderBench } from '../../support/providerBench.ts';

const REMOTE = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/** The published case: two queue pairs with a completion queue and a 10-byte region each. */
function bringUp(bench: ProviderBench): readonly Qp[] {
  const { api } = bench;
  return bench.run(
    (function* () {
      const qps: Qp[] = [];
      yield* api.openDevice();
      const pd = api.allocPd(1);
      for (let i = 0; i < 2; i++) {
        const cq = yield* api.createCq(1, { entries: 64 });
        qps.push(yield* api.createQp(pd, { type: 2, sendCq: cq, recvCq: cq, maxSendWr: 30, maxRecvWr: 30, maxSge: 6 }));
      }
      for (const qp of qps) yield* api.connectQp(qp, { host: 1, qpn: qp.qpn ^ 1, psn: 0 });
      for (const qp of qps) yield* api.regMr(pd, { ...api.dataAddress(qp, false), length: 10, access: REMOTE });
      return qps;
    })(),
  );
}

const published = { settings: { events: false }, pages: 'contiguous' as const };

describe('HanGu command flow', () => {
  it('follows the golden order, with the transitions of verbs in place of RTR2RTS alone', () => {
    const bench = new ProviderBench(published);
    bringUp(bench);
    const names = bench.nic.commands.map((c) => (needsNumber(c) ? `${c.name} ${c.modifier}` : c.name));
    const ring = (key: number): string[] => [`WRITE_MTT`, `SW2HW_MPT ${key}`];
    const connect = (qpn: number): string[] => [
      `RST2INIT ${qpn}`,
      `INIT2RTR ${qpn}`,
      `RTR2RTS ${qpn}`,
      `QUERY_QP ${qpn}`,
    ];
    expect(names).to.deep.equal([
      'QUERY_DEV_LIM',
      'QUERY_ADAPTER',
      'INIT_HCA',
      'MAP_ICM',
      'MAP_ICM',
      ...ring(1),
      'MAP_ICM',
      'SW2HW_CQ 254',
      ...ring(2),
      ...ring(3),
      'MAP_ICM',
      ...ring(4),
      'SW2HW_CQ 255',
      ...ring(5),
      ...ring(6),
      ...connect(14),
      ...connect(15),
      ...ring(7),
      ...ring(8),
    ]);
    expect(bench.reports).to.deep.equal([]);
  });

  it('writes the golden registers', () => {
    const bench = new ProviderBench(published);
    bringUp(bench);
    const hcr = (name: string): string => bench.nic.commands.find((c) => c.name === name)?.hcr.join(' ') ?? '';
    expect(hcr('QUERY_ADAPTER')).to.equal('00000000 00000000 00000000 00000000 12342000 ffff0000 00800006');
    expect(hcr('INIT_HCA')).to.equal('00000000 12341000 00000000 00000000 00000000 ffff0000 00800007');
    expect(hcr('MAP_ICM')).to.equal('00000000 12341000 00000001 00000000 00000000 ffff0000 00802ffa');
    expect(hcr('SW2HW_CQ')).to.equal('00000000 12341000 000000fe 00000000 00000000 ffff0000 00800016');
    expect(hcr('RTR2RTS')).to.equal('00000000 12341000 0000000e 00000000 00000000 ffff0000 0080001b');
    expect(hcr('QUERY_QP')).to.equal('00000000 00000000 0000000e 00000000 12342000 ffff0000 00800022');
    const maps = bench.nic.commands.filter((c) => c.name === 'MAP_ICM').map((c) => c.opModifier);
    expect(maps).to.deep.equal([2, 2, 1, 1]);
  });

  it('maps ICM by the address of the entry, not by count', () => {
    const bench = new ProviderBench(published);
    bringUp(bench);
    const cqc = bench.nic.commands.filter((c) => c.name === 'MAP_ICM')[2] as SeenCommand;
    expect(cqc.inbox.slice(16 * 3)).to.equal('00 00 20 00 00 00 30 00 00 00 30 00 00 00 30 01');
  });

  it('registers rings from 0 and data from its first byte, with flags as the hardware reads them', () => {
    const bench = new ProviderBench(published);
    bringUp(bench);
    const mpts = bench.nic.commands.filter((c) => c.name === 'SW2HW_MPT').map((c) => c.inbox);
    expect(mpts[0]?.slice(0, 11)).to.equal('f0 02 01 21');
    expect(mpts[0]?.slice(16 * 3, 32 * 3 - 1)).to.equal('00 00 00 00 00 00 00 00 00 00 00 00 00 00 08 00');
    expect(mpts[6]?.slice(0, 11)).to.equal('f0 02 01 07');
    expect(mpts[6]?.slice(16 * 3, 32 * 3 - 1)).to.equal('00 00 80 1c 00 00 00 00 00 00 00 00 00 00 00 0a');
    expect(mpts[6]?.slice(44 * 3, 52 * 3 - 1)).to.equal('00 00 00 00 00 00 00 06');
  });

  it('writes the page of each region into its translation entries', () => {
    const bench = new ProviderBench(published);
    bringUp(bench);
    const mtts = bench.nic.commands.filter((c) => c.name === 'WRITE_MTT').map((c) => c.inbox.slice(56 * 3));
    expect(mtts[0]).to.equal('00 01 00 02 0f e0 00 00');
    expect(mtts[1]).to.equal('00 01 00 40 0e 00 00 00');
    expect(mtts[2]).to.equal('00 01 00 40 0e 80 00 00');
    expect(mtts[6]).to.equal('00 01 80 1c 00 00 00 00');
  });

  it('splits the translation entries of a large region and its ICM pages', () => {
    const bench = new ProviderBench(published);
    const { pd, qp } = bench.queuePair();
    bench.nic.commands.length = 0;
    const length = 600 * 512 * 4096;
    bench.run(bench.api.regMr(pd, { hi: 0x801c, lo: 0x800, length, access: 1 }));
    const counts = bench.nic.commands.filter((c) => c.name === 'WRITE_MTT').map((c) => c.modifier);
    const pages = 600 * 512 + 1;
    expect(counts.reduce((a, b) => a + b, 0)).to.equal(pages);
    expect(counts.slice(0, -1).every((c) => c === 255)).to.equal(true);
    const chunks = bench.nic.commands
      .filter((c) => c.name === 'MAP_ICM')
      .map((c) => parseInt(c.inbox.slice(-5).replace(' ', ''), 16) & 0xfff);
    expect(chunks).to.deep.equal([255, 255, 90]);
    expect(qp.qpn).to.equal(14);
  });

  it('enters regions that are registered together with one WRITE_MTT, and takes them back', () => {
    const bench = new ProviderBench(published);
    const { pd } = bench.queuePair();
    bench.nic.commands.length = 0;
    const regions = [0x800, 0x2fff, 0x7000].map((lo, i) => ({ hi: 0x801c, lo, length: 2 + i * 4096, access: 1 }));
    const mrs = bench.run(bench.api.regMrs(pd, regions));
    expect(bench.nic.names).to.deep.equal(['WRITE_MTT', 'SW2HW_MPT', 'SW2HW_MPT', 'SW2HW_MPT']);
    const [mtt, ...mpts] = bench.nic.commands;
    // The second one crosses a page boundary at either end.
    expect(mtt?.modifier).to.equal(1 + 3 + 3);
    const entry = (i: number): string =>
      mtt?.inbox.slice((32 + 32 * (i >> 2) + 24 - 8 * (i & 3)) * 3).slice(0, 23) ?? '';
    expect([0, 1, 2, 3, 4, 5, 6].map((i) => entry(i).slice(12, 20))).to.deep.equal([
      '00 00 00',
      '00 00 20',
      '00 00 30',
      '00 00 40',
      '00 00 70',
      '00 00 80',
      '00 00 90',
    ]);
    expect(mpts.map((c) => c.modifier)).to.deep.equal(mrs.map((mr) => mr.key));
    const first = parseInt(mpts[0]?.inbox.slice(48 * 3, 52 * 3).replaceAll(' ', '') ?? '', 16);
    const starts = mpts.map((c) => parseInt(c.inbox.slice(48 * 3, 52 * 3).replaceAll(' ', ''), 16));
    expect(starts).to.deep.equal([first, first + 1, first + 4]);
    bench.nic.commands.length = 0;
    bench.run(bench.api.deregMrs(mrs));
    expect(bench.nic.names).to.deep.equal(['HW2SW_MPT', 'HW2SW_MPT', 'HW2SW_MPT']);
    expect(pd.users).to.equal(1);
    expect(bench.run(bench.api.regMrs(pd, []))).to.deep.equal([]);
    bench.run(bench.api.deregMrs([]));
    expect(bench.reports).to.deep.equal([]);
  });

  it('takes everything down and leaves nothing behind', () => {
    const bench = new ProviderBench({ settings: { events: true } });
    bringUp(bench);
    bench.nic.commands.length = 0;
    bench.run(bench.api.closeDevice());
    const names = bench.nic.names;
    expect(names.filter((n) => n === '2ERR').length).to.equal(2);
    expect(names.filter((n) => n === 'ERR2RST').length).to.equal(2);
    expect(names.filter((n) => n === 'HW2SW_CQ').length).to.equal(2);
    expect(names.filter((n) => n === 'HW2SW_EQ').length).to.equal(2);
    expect(names.filter((n) => n === 'HW2SW_MPT').length).to.equal(10);
    expect(names.filter((n) => n === 'UNMAP_ICM').length).to.equal(5);
    expect(names.at(-1)).to.equal('CLOSE_HCA');
    expect(bench.reports).to.deep.equal([]);
    expect(bench.api.objects.counts).to.deep.equal({ pds: 0, mrs: 0, cqs: 0, qps: 0 });
  });

  it('names queue pair and modifier of commands without an inbox', () => {
    const bench = new ProviderBench(published);
    const [qp] = bringUp(bench);
    bench.run(bench.api.modifyQp(qp as Qp, { state: QP_STATE.err }));
    expect(bench.nic.commands.at(-1)?.hcr.join(' ')).to.equal(
      '00000000 00000000 0000000e 00000000 00000000 ffff0000 0080301e',
    );
  });

  it('opens event queues, interrupt table and event mask', () => {
    const bench = new ProviderBench();
    bench.run(bench.api.openDevice());
    const eqs = bench.nic.commands.filter((c) => c.name === 'SW2HW_EQ');
    expect(eqs.map((c) => c.modifier)).to.deep.equal([0, 1]);
    expect(bench.nic.registerWrites).to.deep.equal([
      { offset: 0x5400, words: [0xfee0_0000 | 0, 0, 0, 0] },
      { offset: 0x5410, words: [0xfee0_0010 | 0, 0, 1, 0] },
    ]);
    expect(bench.nic.commands.find((c) => c.name === 'MAP_EQ')?.hcr[1]).to.equal('0003033c');
    expect(bench.nic.doorbells.map((d) => d.offset)).to.deep.equal([0x20, 0x20]);
  });

  it('reports and throws a status, and goes on with the next command', () => {
    const bench = new ProviderBench(published);
    bench.nic.status.set(CMD.sw2hwMpt, 0x0a);
    bench.run(bench.api.openDevice());
    expect(() => bench.run(bench.api.createCq(1, { entries: 8 }))).to.throw(CommandError, 'BAD_INDEX');
    expect(bench.reports[0]).to.match(/^HCA_CMD_STATUS SW2HW_MPT .* BAD_INDEX$/);
    bench.nic.status.clear();
    expect(bench.run(bench.api.createCq(1, { entries: 8 })).entries).to.equal(8);
  });

  it('gives up a command whose go bit stays set', () => {
    const bench = new ProviderBench({ settings: { pollLimit: 5 } });
    bench.nic.busyPolls = 1e9;
    expect(() => bench.run(bench.api.openDevice())).to.throw(CommandError, 'no answer');
    expect(bench.reports[0]).to.match(
      /^HCA_CMD_TIMEOUT host 0: QUERY_DEV_LIM \(modifier 0x0, opcode modifier 0x0\) has no answer after [\d.]+us and 5 polls: bit 23 \(go\) of the dword at 0x18 of BAR 0, which reads 0x00800000, is still set$/,
    );
  });

  it('looks ever more seldom after a command that takes long, and again at once after the next of its kind', () => {
    const bench = new ProviderBench(published);
    const timeOf = (polls: number, command: Proc<unknown>): number => {
      const from = bench.scheduler.now;
      bench.nic.busyPolls = polls;
      bench.run(command);
      return bench.scheduler.now - from;
    };
    bench.run(bench.api.openDevice());
    const entries = { entries: 8 };
    const first = timeOf(0, bench.api.createCq(1, entries));
    expect(timeOf(12_000, bench.api.createCq(1, entries))).to.be.greaterThan(18_000 * 310_000);
    expect(timeOf(0, bench.api.createCq(1, entries))).to.be.at.most(first);
  });

  it('gives up a command when reads of its go bit fail four times in a row, not when they fail now and then', () => {
    const bench = new ProviderBench(published);
    bench.run(bench.api.openDevice());
    bench.nic.failingPolls = 3;
    bench.run(bench.api.createCq(1, { entries: 8 }));
    expect(bench.reports).to.deep.equal([]);
    bench.nic.failingPolls = 4;
    expect(() => bench.run(bench.api.createCq(1, { entries: 8 }))).to.throw(CommandError, 'no answer');
    expect(bench.reports[0]).to.match(
      /^HCA_CMD_TIMEOUT host 0: \w+ .* and 4 polls: the last 4 reads of the dword at 0x18 of BAR 0, which reads 0xffffffff, have failed$/,
    );
  });

  it('takes no answer for the limits of the device when none was written', () => {
    for (const [opcode, name] of [
      [CMD.queryDevLim, 'QUERY_DEV_LIM'],
      [CMD.queryAdapter, 'QUERY_ADAPTER'],
    ] as const) {
      const bench = new ProviderBench(published);
      bench.nic.unanswered.add(opcode);
      expect(() => bench.run(bench.api.openDevice())).to.throw(CommandError, `${name} ended with OK and no answer`);
      expect(bench.reports).to.have.length(1);
      expect(bench.reports[0]).to.match(
        /^HCA_CMD_OUTBOX .* nothing of its answer of \d+ bytes is at 0x00000000_12342000$/,
      );
    }
  });

  it('reports a status that is there before the command has ended, and goes on', () => {
    const bench = new ProviderBench(published);
    bench.nic.busyPolls = 2;
    bench.run(bench.api.openDevice());
    expect(bench.reports, 'a command that takes long').to.deep.equal([]);
    bench.nic.earlyStatus = 0x0a;
    bench.run(bench.api.createCq(1, { entries: 8 }));
    const said = 'a status was set before the go bit was cleared';
    expect(new Set(bench.reports)).to.deep.equal(
      new Set(['MAP_ICM', 'WRITE_MTT', 'SW2HW_MPT', 'SW2HW_CQ'].map((name) => `HCA_CMD_EARLY_STATUS ${name}: ${said}`)),
    );
  });

  it('finds no status in a read that has failed', () => {
    const bench = new ProviderBench(published);
    bench.run(bench.api.openDevice());
    bench.nic.failingPolls = 1;
    bench.run(bench.api.createCq(1, { entries: 8 }));
    expect(bench.reports).to.deep.equal([]);
  });

  it('reports each table entry size that is not as documented', () => {
    const bench = new ProviderBench(published);
    bench.run(bench.api.openDevice());
    expect(bench.reports, 'sizes as documented').to.deep.equal([]);
    const tables = ['qpc', 'cqc', 'eqc', 'mpt'];
    for (const [i, table] of tables.entries()) {
      const other = new ProviderBench(published);
      other.nic.entrySizes = [256, 64, 64, 64].map((bytes, n) => (n === i ? 32 : bytes));
      other.run(other.api.openDevice());
      const expected = `${table} entries of 32 bytes, ${i === 0 ? 256 : 64} are expected`;
      expect(other.reports).to.deep.equal([`HCA_DEV_LIM ${expected}`]);
    }
  });

  it('runs one command at a time when processes compete', () => {
    const bench = new ProviderBench(published);
    bench.nic.busyPolls = 3;
    bench.run(bench.api.openDevice());
    const cqns: number[] = [];
    const make = function* () {
      const cq = yield* bench.api.createCq(1, { entries: 8 });
      cqns.push(cq.cqn);
    };
    bench.processes.spawn('a', make());
    bench.processes.spawn('b', make());
    bench.scheduler.run();
    expect(cqns.sort()).to.deep.equal([254, 255]);
    for (const c of bench.nic.commands.filter((s) => s.name === 'SW2HW_CQ')) {
      expect(parseInt(c.inbox.slice(46 * 3).replace(' ', ''), 16)).to.equal(c.modifier);
    }
  });
});

describe('QUERY_QP', () => {
  it('returns the attributes that were written', () => {
    const bench = new ProviderBench(published);
    const { qp } = bench.queuePair();
    const attr = bench.run(bench.api.queryQp(qp));
    expect(attr).to.include({
      state: QP_STATE.rts,
      destQpn: 99,
      rqPsn: 7,
      sqPsn: 3,
      pathMtu: 5,
      retryCnt: 7,
      timeout: 14,
    });
    expect(attr.av).to.deep.include({ remoteHost: 1, ipv6: false, hopLimit: 64 });
  });

  it('finds every planted change of a static field', () => {
    for (const at of [10, 12, 23, 27, 32, 36, 63, 70, 75, 79, 81, 95, 115, 119, 123, 143, 155]) {
      const bench = new ProviderBench(published);
      bench.nic.tamper = (image) => {
        image[at] = (image[at] as number) ^ 0x20;
      };
      bench.queuePair();
      expect(bench.reports.length, `byte ${at}`).to.equal(1);
      expect(bench.reports[0]).to.match(/^HCA_QUERY_QP host 0 RC QP 14: /);
    }
  });

  it('accepts sequence numbers that went forward but not back', () => {
    for (const [step, reports] of [
      [5, 0],
      [-1, 1],
    ] as const) {
      const bench = new ProviderBench(published);
      bench.nic.tamper = (image) => {
        image[135] = (image[135] as number) + step;
      };
      bench.queuePair();
      expect(bench.reports.length).to.equal(reports);
    }
  });
});

function needsNumber(c: SeenCommand): boolean {
  return !['QUERY_DEV_LIM', 'QUERY_ADAPTER', 'INIT_HCA', 'MAP_ICM', 'WRITE_MTT'].includes(c.name);
}
