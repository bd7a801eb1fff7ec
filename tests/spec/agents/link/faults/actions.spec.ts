import { expect } from 'chai';
import { DecodedPacket, PACKET } from '../../../../../agents/wire/decodedPacket.ts';
import { WireDecoder } from '../../../../../agents/wire/wireDecoder.ts';
import { PROBLEM } from '../../../../../agents/wire/wireRules.ts';
import { NS, US } from '../../../../../uvm/kernel/time.ts';
import { FaultBench } from '../../support/faultBench.ts';
import { aeth, type RoceFields, reth, roceFrame } from '../../support/roceFrame.ts';

const SEND_ONLY = 0x04;
const WRITE_ONLY = 0x0a;
const ACKNOWLEDGE = 0x11;
/** First byte of the base transport header, and of the payload of a SEND, in a frame over IPv4. */
const TRANSPORT = 42;
const PAYLOAD = 54;

function only(psn: number, more: Partial<RoceFields> = {}): RoceFields {
  return { opcode: SEND_ONLY, psn, payload: 64, ...more };
}

/** What is said of a frame that has come to host 1. */
function decoded(bench: FaultBench, n: number): DecodedPacket {
  const { bytes } = bench.run;
  const frame = bench.bytes(n);
  const at = bytes.alloc(8192);
  bytes.u8.set(frame, at + 2);
  const packet = new DecodedPacket();
  new WireDecoder(bytes).decode(at + 2, frame.length, packet);
  return packet;
}

function isDropped(p: DecodedPacket): boolean {
  const fatal = PROBLEM.icrc | PROBLEM.ipChecksum | PROBLEM.ipLength | PROBLEM.udpLength;
  return p.kind !== PACKET.roce || (p.problems & fatal) !== 0;
}

/** What a rule makes of one frame. */
function changedBy(rule: string, fields: RoceFields): { bench: FaultBench; sent: number[]; got: number[] } {
  const bench = new FaultBench([rule]);
  bench.send(fields);
  const sent = roceFrame({ to: 1, destQp: 0x11, identification: 0, ...fields });
  return { bench, sent, got: bench.bytes(0) };
}

function changedBytes(a: readonly number[], b: readonly number[]): number[] {
  return a.map((_, i) => i).filter((i) => a[i] !== b[i]);
}

describe('what a fault rule does', () => {
  it('loses a frame, whatever else is done with it', () => {
    const bench = new FaultBench(['duplicate', 'drop', 'delay by=1us', 'corrupt byte=0 xor=1']);
    bench.send(only(0x100));
    expect(bench.arrived(1)).to.deep.equal([]);
    expect(bench.link.statistics[0]?.droppedFrames).to.equal(1);
    expect(bench.injector.outcome().rules.map(({ fired }) => fired)).to.deep.equal([1, 1, 1, 1]);
  });

  it('repeats a frame so many times, each so much later', () => {
    const bench = new FaultBench(['duplicate nth=1 times=2 after=3us']);
    for (const psn of [0x100, 0x101]) bench.send(only(psn), true);
    bench.settle();
    expect(bench.arrived(1)).to.deep.equal([0, 1, 0, 0]);
    const [first, , second, third] = bench.times() as [number, number, number, number];
    expect([second - first, third - first]).to.deep.equal([3 * US, 6 * US]);
  });

  it('delays a frame, so that others overtake it', () => {
    const bench = new FaultBench(['delay nth=1 by=2us']);
    for (const psn of [0x100, 0x101]) bench.send(only(psn), true);
    bench.settle();
    expect(bench.arrived(1)).to.deep.equal([1, 0]);
  });

  for (const [by, low, high] of [
    ['1us..3us', 1 * US, 3 * US],
    ['exponential(1us)', 0, 10 * US],
    ['normal(10us,1us)', 4 * US, 16 * US],
  ] as const) {
    it(`draws each delay by=${by}, and writes down what it was`, () => {
      const bench = new FaultBench([`delay by=${by}`]);
      for (let i = 0; i < 100; i++) bench.send(only(0x100 + i));
      const [rule] = bench.injector.outcome().rules;
      const times = bench.injector.outcome().rules[0]?.schedule?.map((text) => /by=([\d.]+)(\w+)/.exec(text)) ?? [];
      const unit: Record<string, number> = { ps: 1, ns: NS, us: US };
      const ps = times.map((m) => Number(m?.[1]) * (unit[m?.[2] ?? ''] ?? Number.NaN));
      expect(rule?.fired).to.equal(100);
      expect(Math.min(...ps)).to.be.at.least(low);
      expect(Math.max(...ps)).to.be.at.most(high);
      expect(new Set(ps).size).to.be.above(90);
    });
  }

  it('holds a frame until so many later ones have passed', () => {
    const bench = new FaultBench(['reorder nth=2 by=2']);
    for (let i = 0; i < 5; i++) bench.send(only(0x100 + i), true);
    bench.settle();
    expect(bench.arrived(1)).to.deep.equal([0, 2, 3, 1, 4]);
    expect(bench.link.inFlight).to.equal(0);
  });

  it('lets a held frame go when its time is over, or the link is quiet for ever', () => {
    const bench = new FaultBench(['reorder nth=1 by=9 within=7us']);
    bench.send(only(0x100), true);
    bench.send(only(0x101), true);
    expect(bench.link.inFlight).to.equal(2);
    bench.settle();
    expect(bench.arrived(1)).to.deep.equal([1, 0]);
    const [second, first] = bench.times() as [number, number];
    expect(first - second).to.be.within(6 * US, 7 * US);
  });

  it('counts only frames of the same host to the same place towards the release of a held one', () => {
    const bench = new FaultBench(['reorder host=0 nth=1 by=1']);
    bench.send(only(0x100), true);
    bench.send({ from: 1, opcode: ACKNOWLEDGE, psn: 0x100, ext: aeth(0x1f, 1) }, true);
    bench.send(only(0x101), true);
    bench.settle();
    expect(bench.arrived(1)).to.deep.equal([2, 0]);
  });

  it('changes a byte of the payload, so that the ICRC is wrong', () => {
    const { bench, sent, got } = changedBy('corrupt byte=5 xor=0x10', only(0x100));
    expect(changedBytes(sent, got)).to.deep.equal([PAYLOAD + 5]);
    expect((got[PAYLOAD + 5] as number) ^ (sent[PAYLOAD + 5] as number)).to.equal(0x10);
    expect(isDropped(decoded(bench, 0))).to.equal(true);
  });

  it('repairs the ICRC where that is asked for', () => {
    const { bench, sent, got } = changedBy('corrupt byte=5 set=0x77 repaired', only(0x100));
    const packet = decoded(bench, 0);
    expect(got[PAYLOAD + 5]).to.equal(0x77);
    expect(changedBytes(sent, got).length).to.be.within(2, 5);
    expect([packet.kind, packet.problems]).to.deep.equal([PACKET.roce, 0]);
  });

  for (const [field, value, read] of [
    ['psn', 0x123456, (p: DecodedPacket) => p.psn],
    ['dest_qp', 0xabcdef, (p: DecodedPacket) => p.destQp],
    ['p_key', 0x1234, (p: DecodedPacket) => p.partitionKey],
    ['opcode', 0x2a, (p: DecodedPacket) => p.opcode],
    ['r_key', 0x7fffffff, (p: DecodedPacket) => p.rkey],
    ['dma_length', 0x40, (p: DecodedPacket) => p.dmaLength],
    ['tos', 0x55, (p: DecodedPacket) => p.trafficClass],
    ['ttl', 7, (p: DecodedPacket) => p.hopLimit],
    ['ack_req', 0, (p: DecodedPacket) => Number(p.ackRequest)],
    ['se', 1, (p: DecodedPacket) => Number(p.solicited)],
  ] as const) {
    it(`sets the field ${field}`, () => {
      const fields = { opcode: WRITE_ONLY, psn: 0x100, payload: 64, ext: reth(64) };
      const { bench } = changedBy(`corrupt field=${field} set=${value} repaired`, fields);
      const packet = decoded(bench, 0);
      expect(packet.kind).to.equal(PACKET.roce);
      expect(read(packet)).to.equal(value);
      expect(packet.problems & (PROBLEM.icrc | PROBLEM.ipChecksum)).to.equal(0);
    });
  }

  it('does the same over IPv6', () => {
    const { bench } = changedBy('corrupt field=ttl set=9 repaired', only(0x100, { ipv6: true }));
    expect(decoded(bench, 0)).to.include({ kind: PACKET.roce, problems: 0, hopLimit: 9 });
  });

  it('has nothing to do where a packet has no such field or byte, and does not count that', () => {
    const bench = new FaultBench(['corrupt field=syndrome', 'corrupt byte=64 xor=1', 'truncate cut=65']);
    bench.send(only(0x100));
    expect(bench.injector.outcome().rules.map(({ matched, fired }) => [matched, fired])).to.deep.equal([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(bench.bytes(0)).to.deep.equal(roceFrame({ to: 1, destQp: 0x11, identification: 0, ...only(0x100) }));
  });

  it('flips any bit of a packet, each so that its receiver drops it, but for those outside the ICRC', () => {
    const bench = new FaultBench(['corrupt field=packet']);
    for (let i = 0; i < 300; i++) bench.send(only(0x100 + i));
    const schedule = bench.injector.outcome().rules[0]?.schedule ?? [];
    const bytes = schedule.map((text) => Number(/byte=(\d+)/.exec(text)?.[1]));
    expect([Math.min(...bytes), Math.max(...bytes)]).to.deep.equal([0, 79]);
    for (let i = 0; i < 300; i++) expect(isDropped(decoded(bench, i)), schedule[i]).to.equal(bytes[i] !== 4);
  });

  it('cuts bytes off', () => {
    const { bench, sent, got } = changedBy('truncate cut=7', only(0x100));
    expect(got).to.deep.equal(sent.slice(0, -7));
    expect(isDropped(decoded(bench, 0))).to.equal(true);
  });

  for (const [payload, cut] of [
    [64, 7],
    [64, 64],
    [61, 1],
    [5, 5],
  ] as const) {
    for (const ipv6 of [false, true]) {
      it(`cuts ${cut} of ${payload} bytes and repairs what says so${ipv6 ? ' over IPv6' : ''}`, () => {
        const fields = only(0x100, { payload, ipv6 });
        const { bench, got } = changedBy(`truncate cut=${cut} repaired`, fields);
        expect(decoded(bench, 0)).to.include({ kind: PACKET.roce, problems: 0, payloadLength: payload - cut });
        expect(got).to.deep.equal(
          roceFrame({ to: 1, destQp: 0x11, identification: 0, ...only(0x100), payload: payload - cut, ipv6 }),
        );
      });
    }
  }

  it('marks what is capable of it, and nothing else', () => {
    const { bench, sent, got } = changedBy('mark', only(0x100));
    expect(changedBytes(sent, got)).to.deep.equal([15, 25]);
    expect(decoded(bench, 0)).to.include({ problems: 0, trafficClass: 3 });
    // The frames of this support over IPv6 say that they are not.
    expect(changedBy('mark', only(0x100, { ipv6: true })).bench.injector.outcome().rules[0]?.fired).to.equal(0);
  });

  it('loses frames in bursts whose length and share are what was asked for', () => {
    const bench = new FaultBench(['burst enter=0.02 leave=0.25']);
    const count = 20_000;
    for (let i = 0; i < count; i++) bench.send(only((0x100 + i) & 0xffffff, { payload: 0 }));
    const lost =
      bench.injector.outcome().rules[0]?.schedule?.map((text) => Number(/frame=(\d+)/.exec(text)?.[1])) ?? [];
    const bursts = lost.filter((n, i) => n !== (lost[i - 1] ?? 0) + 1).length;
    expect(lost.length / count).to.be.within(0.06, 0.09);
    expect(lost.length / bursts).to.be.within(3.5, 4.5);
  });

  it('lets frames through at the rate of a bottleneck, and loses those that do not fit its queue', () => {
    const bench = new FaultBench(['rate gbps=1 queue=1KB']);
    for (let i = 0; i < 20; i++) bench.send(only(0x100 + i), true);
    bench.settle();
    const times = bench.times();
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
    // 122 bytes at 8 ns each.
    for (const gap of gaps) expect(gap).to.be.within(960 * NS, 990 * NS);
    expect(times).to.have.length(8);
    bench.send(only(0x200));
    expect(bench.arrived(1).at(-1)).to.equal(20);
  });

  it('lets a frame through that finds a bottleneck idle, however short its queue is', () => {
    const bench = new FaultBench(['rate gbps=1 queue=64B']);
    for (let i = 0; i < 3; i++) bench.send(only(0x100 + i), true);
    bench.settle();
    expect(bench.times()).to.have.length(1);
    bench.send(only(0x200));
    expect(bench.arrived(1).at(-1)).to.equal(3);
  });

  it('cuts one direction, or a whole cable, for a time', () => {
    for (const [rule, toOne, toZero] of [
      ['partition host=0 to=1', [], [1]],
      ['partition host=1', [0], []],
      ['link_down host=1', [], []],
      ['link_down host=0 from=1s', [0], [1]],
    ] as const) {
      const bench = new FaultBench([rule]);
      bench.send(only(0x100));
      bench.send({ from: 1, opcode: ACKNOWLEDGE, psn: 0x100, ext: aeth(0x1f, 1) });
      expect([bench.arrived(1), bench.arrived(0)], rule).to.deep.equal([toOne, toZero]);
    }
  });

  it('acts on one frame by all rules that select it', () => {
    const bench = new FaultBench([
      'duplicate after=1us',
      'corrupt byte=0 xor=1',
      'corrupt byte=1 xor=1',
      'delay by=5us',
    ]);
    bench.send(only(0x100));
    expect(bench.arrived(1)).to.deep.equal([0, 0]);
    const sent = roceFrame({ to: 1, destQp: 0x11, identification: 0, ...only(0x100) });
    for (const n of [0, 1]) expect(changedBytes(sent, bench.bytes(n))).to.deep.equal([PAYLOAD, PAYLOAD + 1]);
    expect(bench.times()[0]).to.be.above(5 * US);
  });

  it('leaves the copy of the sender as it was', () => {
    const bench = new FaultBench(['corrupt field=psn set=1']);
    const seen: number[] = [];
    bench.link.frames.connect(({ data }) => seen.push(bench.run.bytes.u8[data + TRANSPORT + 11] as number));
    bench.send(only(0x122));
    expect(seen).to.deep.equal([0x22]);
    expect(bench.bytes(0)[TRANSPORT + 11]).to.equal(1);
  });
});
