import { expect } from 'chai';
import { CPL_STATUS, type Tlp, TLP_KIND } from '../../../../dut-model/nic.ts';
import { CompletionItem } from '../../../../agents/pcie/pcieItems.ts';
import { PCIE_REPORT_IDS } from '../../../../agents/pcie/pcieMonitor.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import { HostTlp } from '../../../../agents/pcie/tlpPool.ts';
import { PcieBench } from '../support/pcieBench.ts';

describe('PcieMonitor', () => {
  it('is silent about legal traffic of every size setting', () => {
    for (const size of [128, 256, 512, 1024, 2048, 4096]) {
      const b = new PcieBench({ maxPayload: size, maxReadRequest: size, tags: 32 });
      b.write(0x1000, size);
      b.write(0x1001, 3);
      b.write(0x1001, size - 1);
      for (let tag = 0; tag < 32; tag++) b.read(0x2000, size, tag);
      b.read(0x3000 - size, 0, 0, 0, (t) => {
        t.tag = 0;
        b.settle();
      });
      b.settle();
      expect(b.ids(), `at ${size}`).to.deep.equal({});
    }
  });

  const planted: [string, string, (b: PcieBench) => void][] = [
    ['PCIE_MPS', 'a write above the maximum payload size', (b) => b.write(0x1000, 260)],
    ['PCIE_MPS', 'an unaligned write that needs one dword too many', (b) => b.write(0x1001, 256)],
    ['PCIE_MRRS', 'a read above the maximum read request size', (b) => b.read(0x1000, 1024)],
    ['PCIE_4K', 'a request across a page', (b) => b.write(0x1ffe, 4)],
    ['PCIE_LEN', 'a request longer than 4096 bytes', (b) => b.read(0x1000, 5000)],
    ['PCIE_LEN', 'a negative length', (b) => b.write(0x1000, -4)],
    [
      'PCIE_TAG',
      'a tag used twice',
      (b) => {
        b.read(0x1000, 4, 3);
        b.read(0x1000, 4, 3);
      },
    ],
    ['PCIE_TAG', 'a tag wider than the field', (b) => b.read(0x1000, 4, 32)],
    ['PCIE_TAG_LIMIT', 'too many reads at once', (b) => [0, 1, 2, 3, 4].map((tag) => b.read(0x1000, 4, tag))],
    ['PCIE_BE', 'enables that do not start at the address', (b) => b.write(0x1000, 8, (t) => enable(t, 0xe, 0xf))],
    ['PCIE_BE', 'last enables in a request of one dword', (b) => b.write(0x1000, 4, (t) => enable(t, 0xf, 0xf))],
    ['PCIE_BE', 'a hole in the first enables', (b) => b.write(0x1000, 12, (t) => enable(t, 0b1011, 0xf))],
    [
      'PCIE_BE',
      'a hole in two dwords that are not a quadword',
      (b) => b.write(0x1004, 8, (t) => enable(t, 0b1011, 0xf)),
    ],
    ['PCIE_BE', 'enables in a flush read', (b) => b.read(0x1000, 0, 0, 0, (t) => enable(t, 1, 0))],
    [
      'PCIE_POISON',
      'a poisoned write',
      (b) => b.write(0x1000, 4, (t) => ((t as { poisoned: boolean }).poisoned = true)),
    ],
    ['PCIE_ADDR', 'a read of the MSI-X window', (b) => b.read(0xfee0_0000 | 0, 4)],
    ['PCIE_ADDR', 'a long write into the MSI-X window', (b) => b.write(0xfee0_0000 | 0, 8)],
    ['PCIE_ADDR', 'a write that runs into the MSI-X window', (b) => b.write((0xfee0_0000 - 2) | 0, 4)],
    ['PCIE_ADDR', 'an interrupt to ordinary memory', (b) => b.write(0x1000, 4, (t) => ((t as Tlp).interrupt = true))],
    [
      'PCIE_READ',
      'a read of a page that nobody has mapped, and only for that',
      (b) => {
        b.agent.monitor.readable = { readable: (hi, page) => hi === 0 && page === 1 };
        b.read(0x1000, 4);
        b.write(0x5000, 4);
        b.read(0x2000, 4, 1);
      },
    ],
    ['PCIE_KIND', 'a request that names a BAR', (b) => b.read(0x1000, 4, 0, 0, (t) => ((t as Tlp).bar = 2))],
    [
      'PCIE_KIND',
      'a request of unknown kind',
      (b) => b.read(0x1000, 4, 0, 0, (t) => ((t as { kind: number }).kind = 7)),
    ],
    [
      'PCIE_MISUSE',
      'a transaction sent twice',
      (b) => {
        const t = b.read(0x1000, 4);
        b.agent.upstream.send(t);
      },
    ],
    ['PCIE_MISUSE', "a transaction that is not the agent's", (b) => b.agent.upstream.send(new HostTlp(0))],
  ];
  for (const [id, what, fault] of planted) {
    it(`reports ${id} for ${what}`, () => {
      const b = new PcieBench({ maxPayload: 256, maxReadRequest: 512, tags: 4 });
      fault(b);
      b.settle();
      expect(b.ids()).to.have.property(id);
      const others = {
        'a write that runs into the MSI-X window': 'PCIE_4K',
        'a request longer than 4096 bytes': 'PCIE_MRRS',
      };
      const also = (others as Record<string, string>)[what];
      expect(Object.keys(b.ids())).to.have.members(also === undefined ? [id] : [id, also]);
      expect(b.lines.join('\n')).to.include(`[${id}]`);
    });
  }

  it('accepts holes in one dword and in an aligned quadword', () => {
    const b = new PcieBench();
    b.write(0x1000, 4, (t) => enable(t, 0b1001, 0));
    b.write(0x1000, 8, (t) => enable(t, 0b0101, 0b1010));
    b.settle();
    expect(b.ids()).to.deep.equal({});
  });

  it('accepts poisoned writes once a fault rule has poisoned something', () => {
    const b = new PcieBench();
    b.agent.setFaults({
      judge: (_host, t, verdict) => {
        verdict.poison = t.kind === TLP_KIND.memRead;
      },
    });
    b.read(0x1000, 4);
    b.settle();
    b.write(0x1000, 4, (t) => ((t as { poisoned: boolean }).poisoned = true));
    b.settle();
    expect(b.ids()).to.deep.equal({});
  });

  describe('on the host side', () => {
    const answered = (change: (b: PcieBench, t: HostTlp, item: CompletionItem) => void) => {
      const b = new PcieBench({ maxPayload: 256 });
      const t = new HostTlp(0);
      t.lo = 0x1000;
      t.length = 512;
      b.agent.monitor.request(t);
      const item = new CompletionItem();
      item.count = 256;
      t.remaining = 256;
      change(b, t, item);
      b.agent.monitor.completion(t, item.from, item.count);
      return b.ids();
    };

    it('is silent about a right part', () => {
      expect(answered(() => {})).to.deep.equal({});
    });

    it('reports PCIE_CPL_ORDER for a part out of order', () => {
      const ids = answered((_b, t, item) => {
        item.from = 256;
        t.remaining = 0;
      });
      expect(ids).to.deep.equal({ PCIE_CPL_ORDER: 1 });
    });

    it('reports PCIE_RCB for a cut beside a boundary', () => {
      const ids = answered((_b, t, item) => {
        item.count = 100;
        t.remaining = 412;
      });
      expect(ids).to.deep.equal({ PCIE_RCB: 1 });
    });

    it('reports PCIE_CPL_SIZE for a part above the maximum payload size', () => {
      const ids = answered((_b, t, item) => {
        item.count = 512;
        t.remaining = 0;
      });
      expect(ids).to.deep.equal({ PCIE_CPL_SIZE: 1 });
    });

    it('reports PCIE_ORDER for a read answered before an earlier write', () => {
      const b = new PcieBench();
      const t = new HostTlp(0);
      t.sequence = 1;
      t.length = 4;
      b.agent.monitor.request(t);
      b.agent.monitor.completion(t, 0, 4);
      expect(b.ids()).to.deep.equal({ PCIE_ORDER: 1 });
    });

    it('reports PCIE_ORDER for a write that overtakes', () => {
      const b = new PcieBench();
      const t = new HostTlp(0);
      t.kind = TLP_KIND.memWrite;
      t.sequence = 2;
      b.agent.monitor.write(t);
      expect(b.ids()).to.deep.equal({ PCIE_ORDER: 1 });
    });
  });

  it('shows twenty findings of a kind, and says how many more there were, also when the run is broken off', () => {
    const b = new PcieBench({ maxPayload: 256 });
    for (let i = 0; i < 30; i++) b.write(0x1000, 260);
    expect(b.lines).to.have.length(20);
    b.agent.monitor.preAbort();
    expect(b.ids()).to.deep.equal({ PCIE_MPS: 30 });
    expect(b.lines.at(-1)).to.contain('10 more findings of this kind, 30 in all');
  });

  it('counts traffic and latency', () => {
    const b = new PcieBench();
    b.write(0x1000, 100);
    b.read(0x1000, 50, 1);
    b.read(0x1000, 50, 2);
    b.agent.master.barWrite(0, 0, [1]);
    b.write(0xfee0_0000 | 0, 4);
    b.settle();
    const s = b.agent.statistics;
    expect(s).to.include({ writes: 2, writeBytes: 104, reads: 2, readBytes: 100, completions: 2, outstanding: 0 });
    expect(s).to.include({ peakOutstanding: 2, interrupts: 1, barWrites: 1 });
    expect(s.minReadLatency).to.be.greaterThan(400_000);
    expect(s.maxReadLatency).to.be.at.least(s.minReadLatency);
    expect(s.latencyHistogram[9]).to.equal(2);
    expect(s.toString()).to.include('2 reads (100 B');
  });

  it('takes the time of a write on its way for no idle time, and the time after its arrival for one', () => {
    for (const [wait, quiet] of [
      [15, 0],
      [27, 7],
    ] as const) {
      const b = new PcieBench({ upLatency: 20 * US });
      b.write(0x1000, 4);
      expect(b.agent.statistics.isIdle).to.equal(false);
      b.run.scheduler.schedule(wait * US, { fullName: 'later', fire: () => b.write(0x1000, 4) });
      b.settle();
      expect(b.agent.statistics.isIdle).to.equal(true);
      const { from, to } = b.agent.statistics.idle;
      expect(Math.round((to - from) / US)).to.equal(quiet);
    }
  });

  it('knows a meaning for every id it reports', () => {
    for (const [id, meaning] of Object.entries(PCIE_REPORT_IDS)) {
      expect(id).to.match(/^PCIE_[A-Z0-9_]+$/);
      expect(meaning).to.have.length.greaterThan(10);
    }
    for (const [id] of planted) expect(PCIE_REPORT_IDS).to.have.property(id);
    expect(CPL_STATUS.success).to.equal(0);
  });
});

function enable(t: Tlp, first: number, last: number): void {
  t.firstBe = first;
  t.lastBe = last;
}
