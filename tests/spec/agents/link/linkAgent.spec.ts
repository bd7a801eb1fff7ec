import { expect } from 'chai';
import fc from 'fast-check';
import { INJECTED_TAG } from '../../../../agents/link/inject/injectedPacket.ts';
import { LinkAgent, LINK_REPORT_IDS } from '../../../../agents/link/linkAgent.ts';
import type { LinkFaultHook, LinkVerdict } from '../../../../agents/link/linkFaults.ts';
import { type LinkSettings, LinkUsageError } from '../../../../agents/link/linkSettings.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { Run } from '../../../../uvm/run.ts';
import { FakeNic } from '../support/fakeNic.ts';
import { macOf, roceFrame } from '../support/roceFrame.ts';
import { BLOCK_BYTES } from '../../../../dut-model/nic.ts';

/** Some hosts with fake NICs on one link. */
class LinkBench {
  readonly run = new Run({ seed: 1, testName: 'spec' });
  readonly blocks = new BlockPool(this.run.bytes, BLOCK_BYTES);
  readonly link: LinkAgent;
  readonly nics: FakeNic[] = [];

  constructor(hosts: number, settings: Partial<LinkSettings> = {}, ports = 1) {
    const portsOf = new Array<number>(hosts).fill(ports);
    this.link = new LinkAgent('link', this.run, { hosts, ports: portsOf, blocks: this.blocks, settings });
    for (let host = 0; host < hosts; host++) {
      const nic = new FakeNic(this.run.scheduler, this.run.bytes);
      this.nics.push(nic);
      this.link.attach(host, nic, 0x0200, host);
    }
  }

  send(host: number, bytes: readonly number[], readyAt = 0): void {
    const port = this.link.port(host);
    const frame = port.acquire();
    this.run.bytes.u8.set(bytes, frame.data);
    frame.length = bytes.length;
    frame.readyAt = readyAt;
    port.send(frame);
  }

  settle(): void {
    this.run.scheduler.run();
  }

  fault(change: (verdict: LinkVerdict, n: number) => void): void {
    let n = 0;
    const hook: LinkFaultHook = { judge: (_frame, verdict) => change(verdict, n++) };
    this.link.faults = hook;
  }

  ids(): Record<string, number> {
    return Object.fromEntries([...this.run.reports.idCounts()].filter(([id]) => id.startsWith('LINK_')));
  }
}

const frameTo = (to: number, n = 0, length = 60) => {
  const frame = [...macOf(to), ...macOf(9), 8, 6, ...new Array<number>(length - 14).fill(0)];
  frame[20] = n & 255;
  frame[21] = n >> 8;
  return frame;
};
const numbers = (nic: FakeNic) => nic.frames.map((f) => (f.bytes[20] as number) | ((f.bytes[21] as number) << 8));

describe('LinkAgent', () => {
  it('says of an injected frame at which port of which host it comes', () => {
    const bench = new LinkBench(2, {}, 2);
    const seen: object[] = [];
    bench.link.arrivals.connect({ write: ({ host, port, tag }) => seen.push({ host, port, tag }) });
    const fill = (data: number): number => {
      bench.run.bytes.u8.set(frameTo(1), data);
      return 60;
    };
    for (const port of [1, 2]) bench.link.inject(0, 1, fill, port);
    bench.settle();
    expect(seen).to.deep.equal([1, 2].map((port) => ({ host: 1, port, tag: INJECTED_TAG })));
  });

  it('delivers a frame between two hosts after its time on the wire and the latency', () => {
    const b = new LinkBench(2);
    const bytes = roceFrame({ opcode: 4, payload: 64 });
    b.send(0, bytes);
    b.settle();
    expect(b.nics[1]?.frames).to.deep.equal([{ bytes, time: Math.ceil((bytes.length + 24) * 80) + 500_000 }]);
    expect(b.nics[0]?.frames).to.have.length(0);
    expect(b.blocks.inUse).to.equal(0);
    expect(b.link.inFlight).to.equal(0);
  });

  it('counts a short frame as a minimum frame', () => {
    const b = new LinkBench(2);
    b.send(0, frameTo(1).slice(0, 20));
    b.settle();
    expect(b.nics[1]?.frames[0]?.time).to.equal(84 * 80 + 500_000);
    expect(b.nics[1]?.frames[0]?.bytes).to.have.length(20);
  });

  it('sends frames back to back, not before they are ready, and in order', () => {
    const b = new LinkBench(2);
    b.send(0, frameTo(1, 1), 1_000_000);
    b.send(0, frameTo(1, 2));
    b.send(1, frameTo(0, 3));
    b.settle();
    const slot = 84 * 80;
    expect(b.nics[1]?.frames.map((f) => f.time)).to.deep.equal([1_500_000 + slot, 1_500_000 + 2 * slot]);
    expect(numbers(b.nics[1] as FakeNic)).to.deep.equal([1, 2]);
    expect(b.nics[0]?.frames.map((f) => f.time)).to.deep.equal([500_000 + slot]);
  });

  it('publishes frames as they are sent, with sender, destination and time', () => {
    const b = new LinkBench(3);
    const seen: number[][] = [];
    b.link.frames.connect((f) => seen.push([f.host, f.to, f.length, f.time]));
    b.send(2, frameTo(0));
    b.send(2, frameTo(7));
    expect(seen).to.deep.equal([
      [2, 0, 60, 0],
      [2, -1, 60, 84 * 80],
    ]);
  });

  it('switches by destination address and queues at the exit', () => {
    const b = new LinkBench(3);
    b.send(0, frameTo(2, 1));
    b.send(1, frameTo(2, 2));
    b.send(2, frameTo(1, 3));
    b.settle();
    const slot = 84 * 80;
    const first = slot + 500_000 + 300_000 + slot + 500_000;
    expect(b.nics[2]?.frames.map((f) => f.time)).to.deep.equal([first, first + slot]);
    expect(numbers(b.nics[2] as FakeNic)).to.deep.equal([1, 2]);
    expect(numbers(b.nics[1] as FakeNic)).to.deep.equal([3]);
    expect(b.nics[0]?.frames).to.have.length(0);
  });

  it('floods group and unknown addresses to all others', () => {
    const b = new LinkBench(4);
    b.send(1, [...new Array<number>(6).fill(255), ...frameTo(0, 5).slice(6)]);
    b.send(1, frameTo(0x55, 6));
    b.settle();
    for (const host of [0, 2, 3]) expect(numbers(b.nics[host] as FakeNic)).to.deep.equal([5, 6]);
    expect(b.nics[1]?.frames).to.have.length(0);
    expect(b.blocks.inUse).to.equal(0);
  });

  it('drops what is addressed to its sender', () => {
    const b = new LinkBench(3);
    b.send(1, frameTo(1));
    b.settle();
    expect(b.link.statistics[1]?.droppedFrames).to.equal(1);
    expect(b.blocks.inUse).to.equal(0);
  });

  it('delivers every frame once and in order per pair of hosts', () => {
    const traffic = fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 60, max: 4000 }), fc.nat(3_000_000)));
    fc.assert(
      fc.property(traffic, (list) => {
        const b = new LinkBench(4);
        const expected = new Map<string, number[]>();
        list.forEach(([from, to, length, readyAt], n) => {
          b.send(
            from,
            [...frameTo(to, n, length).slice(0, 6), ...macOf(from), ...frameTo(to, n, length).slice(12)],
            readyAt,
          );
          if (from !== to) expected.set(`${from}>${to}`, [...(expected.get(`${from}>${to}`) ?? []), n]);
        });
        b.settle();
        const got = new Map<string, number[]>();
        b.nics.forEach((nic, to) => {
          nic.frames.forEach((f, i) => {
            const key = `${f.bytes[11]}>${to}`;
            got.set(key, [...(got.get(key) ?? []), numbers(nic)[i] as number]);
          });
        });
        expect([...got].sort()).to.deep.equal([...expected].sort());
        expect(b.blocks.inUse).to.equal(0);
      }),
      { numRuns: 60 },
    );
  });

  it('drops, duplicates, delays and edits on request of fault rules', () => {
    const b = new LinkBench(2);
    b.fault((verdict, n) => {
      if (n === 0) verdict.drop = true;
      if (n === 1) verdict.delay = 2_000_000;
      if (n === 2) Object.assign(verdict, { duplicates: 2, duplicateDelay: 100_000 });
      if (n === 3) {
        verdict.edit = {
          edit: (bytes, data, length) => {
            bytes.u8[data + 20] = 99;
            return length - 1;
          },
        };
      }
    });
    for (let n = 0; n < 4; n++) b.send(0, frameTo(1, n));
    b.settle();
    expect(numbers(b.nics[1] as FakeNic)).to.deep.equal([2, 99, 2, 2, 1]);
    expect(b.nics[1]?.frames[1]?.bytes).to.have.length(59);
    expect(b.link.statistics[0]?.droppedFrames).to.equal(1);
    expect(b.blocks.inUse).to.equal(0);
  });

  it('tells what a fault rule does to a frame right after it, and what arrives with the tag that it was given', () => {
    const b = new LinkBench(2);
    const seen: string[] = [];
    const arrived: number[] = [];
    b.link.frames.connect((f) => {
      seen.push(`frame of ${f.length}`);
      f.tag = f.length;
    });
    b.link.fates.connect(({ frame, duplicates, dropped }) => {
      seen.push(`${frame.length} ${duplicates} more${dropped ? ', dropped' : ''}`);
    });
    b.link.arrivals.connect(({ tag }) => arrived.push(tag));
    b.fault((verdict, n) => Object.assign(verdict, { duplicates: n, drop: n === 3 }));
    for (let n = 0; n < 4; n++) b.send(0, frameTo(1, n, 60 + n));
    b.settle();
    expect(seen.join(', ')).to.equal(
      'frame of 60, frame of 61, 61 1 more, frame of 62, 62 2 more, frame of 63, 63 3 more, dropped',
    );
    expect(arrived.toSorted((x, y) => x - y)).to.deep.equal([60, 61, 61, 62, 62, 62, 63, 63, 63]);
    expect(b.nics[1]?.frames).to.have.length(1 + 2 + 3 + 3);
  });

  it('edits a private copy, so that a sender may keep its block', () => {
    const b = new LinkBench(2);
    const port = b.link.port(0);
    const frame = port.acquire();
    b.run.bytes.u8.set(frameTo(1, 7), frame.data);
    frame.length = 60;
    b.blocks.retain(frame.block);
    const { block, data } = frame;
    b.fault((verdict) => {
      verdict.edit = {
        edit: (bytes, at, length) => {
          bytes.u8[at + 20] = 1;
          return length;
        },
      };
    });
    port.send(frame);
    b.settle();
    expect(b.run.bytes.u8[data + 20]).to.equal(7);
    b.blocks.release(block);
    expect(b.blocks.inUse).to.equal(0);
  });

  it('reports misuse', () => {
    const b = new LinkBench(2);
    const port = b.link.port(0);
    const frame = port.acquire();
    frame.length = 60;
    port.send(frame);
    port.send(frame);
    expect(b.ids()).to.deep.equal({ LINK_MISUSE: 1 });
    b.send(0, [1, 2, 3]);
    expect(b.ids()).to.deep.equal({ LINK_MISUSE: 1, LINK_LENGTH: 1 });
    const ids = ['LINK_MISUSE', 'LINK_LENGTH', 'LINK_DATA', 'LINK_READY', 'LINK_STATS'];
    expect(Object.keys(LINK_REPORT_IDS)).to.have.members(ids);
  });

  it('takes no frame whose bytes or time cannot be', () => {
    const b = new LinkBench(2);
    const port = b.link.port(0);
    const send = (wrong: { data?: number; readyAt?: number }): void => {
      const frame = port.acquire();
      frame.length = 60;
      port.send(Object.assign(frame, wrong));
    };
    for (const data of [-1, 0.5, Number.NaN, 2 ** 32 - 20]) send({ data });
    for (const readyAt of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) send({ readyAt });
    b.settle();
    expect(b.ids()).to.deep.equal({ LINK_DATA: 4, LINK_READY: 3 });
    expect(b.link.statistics[0]?.droppedFrames).to.equal(7);
  });

  it('refuses wrong settings with value and remedy', () => {
    expect(() => new LinkBench(0)).to.throw(LinkUsageError, /hosts: 0 .*1 to 64/);
    expect(() => new LinkBench(2, { rate: 0 })).to.throw(/rate: 0 /);
    expect(() => new LinkBench(2, { latency: -5 })).to.throw(/latency: -5 /);
    expect(() => new LinkBench(2).link.attach(2, new LinkBench(2).nics[0] as FakeNic, 0, 0)).to.throw(/host: 2 /);
  });

  it('gives the same transcript for the same frames, and another for another byte', () => {
    const digest = (n: number) => {
      const b = new LinkBench(2);
      b.send(0, frameTo(1, n));
      b.settle();
      return b.run.transcript.digest();
    };
    expect(digest(1)).to.equal(digest(1));
    expect(digest(1)).not.to.equal(digest(2));
  });
});
