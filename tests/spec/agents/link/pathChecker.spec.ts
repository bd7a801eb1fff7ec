import { expect } from 'chai';
import type { QpPath } from '../../../../agents/verbs/verbsItems.ts';
import { aeth, deth, type RoceFields, roceFrame, setIcrc } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const NETWORK = 14;
const SEND: RoceFields = { opcode: 4, psn: 0x100, payload: 4 };
/** What `roceFrame` writes. */
const PATH4: QpPath = { ipv6: false, trafficClass: 2, flowLabel: 0, hopLimit: 64 };
const PATH6: QpPath = { ipv6: true, trafficClass: 0, flowLabel: 0, hopLimit: 64 };
const IPV6 = [0x2001_0db8, 0, 0] as const;

/** Ports with the addresses of `roceFrame`, and a connection on a path. */
function bench(path: QpPath | undefined = PATH4, lossless = false): WireBench {
  const b = new WireBench(lossless).connect({ path });
  for (const host of [0, 1]) {
    const ipv4 = 0x0a00_0001 + host;
    b.transport.portReady(host, { macHigh: 0x0200, macLow: host, ipv4, ipv6: [...IPV6, host + 1] });
  }
  return b;
}

/** A frame with a byte changed and all sums made right again. */
function edited(f: RoceFields, index: number, value: number): number[] {
  const frame = roceFrame(f);
  frame[index] = value;
  if (f.ipv6 !== true) {
    frame.fill(0, NETWORK + 10, NETWORK + 12);
    let sum = 0;
    for (let i = NETWORK; i < NETWORK + 20; i += 2) sum += ((frame[i] as number) << 8) | (frame[i + 1] as number);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    frame[NETWORK + 10] = (~sum >> 8) & 255;
    frame[NETWORK + 11] = ~sum & 255;
  }
  const length = NETWORK + (f.ipv6 === true ? 40 : 20) + 8 + 12 + 4;
  setIcrc(frame, NETWORK, f.ipv6 ?? false, length);
  return frame;
}

describe('PathChecker', () => {
  it('is silent about packets on their path, over IPv4 and IPv6', () => {
    for (const [path, ipv6] of [[PATH4, false] as const, [PATH6, true] as const]) {
      const b = bench(path);
      b.request({ ...SEND, ipv6 });
      b.response({ opcode: 4, psn: 0x900, payload: 4, ipv6 });
      expect(b.ids()).to.deep.equal({});
    }
  });

  it('asks nothing of hosts without addresses and of connections whose path is not known', () => {
    const b = new WireBench().connect();
    b.raw(edited(SEND, 0, 6));
    b.request({ ...SEND, psn: 0x101, ipv6: true });
    expect(b.ids()).to.deep.equal({});
  });

  it('takes a datagram for right on any path between its two hosts that was announced, and asks nothing before', () => {
    const datagram = { opcode: 0x64, psn: 0x100, payload: 4, ext: deth(5) };
    for (const [paths, ipv6, right] of [
      [[], true, true],
      [[PATH4], false, true],
      [[PATH4], true, false],
      [[PATH6, PATH4], false, true],
      [[PATH6, PATH4], true, true],
      [
        [
          { ...PATH4, hopLimit: 1 },
          { ...PATH4, trafficClass: 4 },
        ],
        false,
        false,
      ],
      [[PATH6, { ...PATH4, hopLimit: 1 }], false, false],
    ] as const) {
      const b = bench();
      for (const path of paths) b.transport.ahMade({ host: 0, index: 0, remoteHost: 1, path });
      b.request({ ...datagram, ipv6 });
      expect(b.ids()).to.deep.equal(right ? {} : { WIRE_PATH: 1 });
    }
  });

  const six = { ...SEND, ipv6: true };
  const planted: [string, string, QpPath, number[]][] = [
    ['WIRE_ADDRESS', 'another source MAC address', PATH4, edited(SEND, 11, 9)],
    ['WIRE_ADDRESS', 'another destination MAC address', PATH4, edited(SEND, 0, 6)],
    ['WIRE_ADDRESS', 'another source IPv4 address', PATH4, edited(SEND, NETWORK + 15, 9)],
    ['WIRE_ADDRESS', 'another destination IPv4 address', PATH4, edited(SEND, NETWORK + 16, 9)],
    ['WIRE_ADDRESS', 'another source IPv6 address', PATH6, edited(six, NETWORK + 8, 9)],
    ['WIRE_ADDRESS', 'another destination IPv6 address', PATH6, edited(six, NETWORK + 39, 9)],
    ['WIRE_PATH', 'IPv4 in place of IPv6', PATH6, roceFrame(SEND)],
    ['WIRE_PATH', 'another traffic class', PATH4, edited(SEND, NETWORK + 1, 4)],
    ['WIRE_PATH', 'another traffic class in IPv6', PATH6, edited(six, NETWORK, 0x61)],
    ['WIRE_PATH', 'another hop limit', PATH4, edited(SEND, NETWORK + 8, 63)],
    ['WIRE_PATH', 'another hop limit in IPv6', PATH6, edited(six, NETWORK + 7, 63)],
    ['WIRE_PATH', 'another flow label', PATH6, edited(six, NETWORK + 3, 1)],
    ['WIRE_PATH', 'another partition key', PATH4, edited(SEND, NETWORK + 31, 0xfe)],
  ];
  for (const [id, what, path, frame] of planted) {
    it(`reports ${id} for ${what}`, () => {
      const b = bench(path);
      b.raw(frame);
      expect(b.ids()).to.deep.equal({ [id]: 1 });
    });
  }

  it('names the address that it found and the right one', () => {
    const found = (path: typeof PATH4, frame: number[]): string => {
      const b = bench(path);
      b.raw(frame);
      return b.lines[0] ?? '';
    };
    const mac = 'has source MAC address 02:00:00:00:00:09; that of host 0 is 02:00:00:00:00:00';
    expect(found(PATH4, edited(SEND, 11, 9))).to.contain(mac);
    const ip = 'has source IP address 10.0.0.9; that of host 0 is 10.0.0.1';
    expect(found(PATH4, edited(SEND, NETWORK + 15, 9))).to.contain(ip);
    expect(found(PATH6, edited(six, NETWORK + 39, 9))).to.match(
      /has destination IP address ([0-9a-f]{4}:){7}0009; that of host 1 is ([0-9a-f]{4}:){7}0002/,
    );
  });

  it('looks at every byte of the addresses, each in its place', () => {
    const macs = [1, 0].flatMap((host) => [2, 0x11, 0x22, 0x33, 0x44, 0x50 + host]);
    const ipv6 = [0x2021_2223, 0x2425_2627, 0x2829_2a2b] as const;
    const from = Array.from({ length: 12 }, (_, i) => 0x20 + i);
    const ips = [0, 1].flatMap((host) => [...from, 0, 0, 0, host + 1]);
    const six = roceFrame({ ...SEND, ipv6: true });
    six.splice(0, 12, ...macs);
    six.splice(NETWORK + 8, 32, ...ips);
    const addresses = [...macs.keys(), ...ips.map((_, i) => NETWORK + 8 + i)];
    for (const wrong of [-1, ...addresses]) {
      const b = bench(PATH6);
      for (const host of [0, 1]) {
        const mac = { macHigh: 0x0211, macLow: 0x2233_4450 + host };
        b.transport.portReady(host, { ...mac, ipv4: 0, ipv6: [...ipv6, host + 1] });
      }
      const frame = [...six];
      if (wrong >= 0) frame[wrong] = (frame[wrong] as number) ^ 0x80;
      setIcrc(frame, NETWORK, true, NETWORK + 40 + 8 + 12 + 4);
      b.raw(frame);
      expect(b.ids(), `byte ${wrong}`).to.deep.equal(wrong < 0 ? {} : { WIRE_ADDRESS: 1 });
    }
  });

  it('holds a queue pair to its path although its peer is gone', () => {
    const b = bench();
    b.request(SEND);
    b.transport.qpGone(1, 0x11);
    b.raw(edited({ ...SEND, psn: 0x101 }, NETWORK + 8, 3));
    expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
  });

  it('reports WIRE_PATH when a queue pair changes its UDP source port', () => {
    const b = bench();
    b.request(SEND);
    b.raw(edited({ ...SEND, psn: 0x101 }, NETWORK + 21, 0xdf));
    expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
  });

  describe('of a queue pair whose path is changed', () => {
    const OLD = roceFrame({ ...SEND, psn: 0x101 });
    const shorter = (psn: number): number[] => edited({ ...SEND, psn }, NETWORK + 8, 3);
    const other = (change: Partial<QpPath>) => ({ path: { ...PATH4, ...change } });

    it('takes either path while the change is under way, and the new one behind it', () => {
      const b = bench();
      b.request(SEND);
      b.change(other({ hopLimit: 3 }), () => {
        b.raw(OLD);
        b.raw(shorter(0x102));
        expect(b.ids()).to.deep.equal({});
        b.raw(edited({ ...SEND, psn: 0x103 }, NETWORK + 8, 4));
        expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
      });
      b.wait(1);
      b.raw(shorter(0x104));
      expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
    });

    it('reports WIRE_PATH for a request that leaves on the old path later', () => {
      const b = bench();
      b.request(SEND);
      b.change(other({ hopLimit: 3 }));
      b.wait(1);
      b.raw(OLD);
      expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
    });

    it('lets answers to earlier requests come on the old path, and only those', () => {
      const b = bench(PATH4, true);
      const ack = (psn: number): unknown => b.response({ opcode: 17, psn, ext: aeth(0x1f, psn - 0xff) });
      b.request(SEND);
      b.changePeer(other({ hopLimit: 3 }));
      b.wait(1);
      b.request({ ...SEND, psn: 0x101 });
      ack(0x100);
      expect(b.ids()).to.deep.equal({});
      ack(0x101);
      expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
    });

    it('lets an answer come on no path that was changed before its request was sent', () => {
      const b = bench(PATH4, true);
      b.request(SEND);
      for (const [hopLimit, psn] of [
        [3, 0x101],
        [5, 0x102],
      ] as const) {
        b.changePeer(other({ hopLimit }));
        b.wait(1);
        b.request({ ...SEND, psn });
      }
      const answer = (psn: number): unknown => b.response({ opcode: 17, psn, ext: aeth(0x1f, psn - 0xff) });
      answer(0x100);
      expect(b.ids()).to.deep.equal({});
      answer(0x101);
      expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
    });

    it('expects another UDP source port if the flow label is another, and only then', () => {
      const moved = (psn: number): number[] => edited({ ...SEND, psn }, NETWORK + 21, 0xdf);
      for (const [change, wrong] of [[{ flowLabel: 5 }, 0] as const, [{ trafficClass: 2, hopLimit: 64 }, 1] as const]) {
        const b = bench();
        b.request(SEND);
        b.change(other(change));
        b.wait(1);
        b.raw(moved(0x101));
        b.raw(moved(0x102));
        expect(b.ids()).to.deep.equal(wrong === 0 ? {} : { WIRE_PATH: 2 });
      }
    });
  });

  it('tells any number of paths apart, of one queue pair and of many', () => {
    const b = bench();
    const paths = Array.from({ length: 3000 }, (_, i) => ({ ...PATH4, flowLabel: i + 1 }));
    for (const path of paths) b.change({ path });
    b.change({ path: { ...PATH4, hopLimit: 3 } });
    b.wait(1);
    b.request(SEND);
    expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
    const many = bench();
    for (const [i, path] of paths.entries()) many.connect({ qpn: 100 + i, remoteQpn: 5000 + i, path });
    many.connect({ qpn: 99, remoteQpn: 4999, path: { ...PATH4, hopLimit: 3 } });
    many.request({ ...SEND, destQp: 5001 });
    expect(many.ids()).to.deep.equal({});
    many.request({ ...SEND, destQp: 4999 });
    expect(many.ids()).to.deep.equal({ WIRE_PATH: 1 });
  });

  it('keeps the paths of others when queue pairs are gone and made again on other ones', () => {
    const b = bench();
    for (let hopLimit = 1; hopLimit < 64; hopLimit++) {
      b.connect({ qpn: 50, remoteQpn: 51, path: { ...PATH4, hopLimit } });
      b.change({ qpn: 50, remoteQpn: 51, path: PATH4 });
      b.transport.qpGone(1, 51);
    }
    b.connect({ qpn: 50, remoteQpn: 51, path: { ...PATH4, hopLimit: 3 } });
    b.request(SEND);
    expect(b.ids()).to.deep.equal({});
    b.request({ ...SEND, destQp: 51 });
    expect(b.ids()).to.deep.equal({ WIRE_PATH: 1 });
  });

  it('reports WIRE_ADDRESS when another host writes to the queue pair', () => {
    const b = bench();
    b.raw(roceFrame({ ...SEND, from: 2 }), 2, 1);
    expect(b.ids()).to.deep.equal({ WIRE_ADDRESS: 1 });
  });

  it('begins anew when a connection is made again', () => {
    const b = bench();
    b.request(SEND);
    b.connect({ path: { ...PATH4, hopLimit: 3 } });
    b.raw(edited(SEND, NETWORK + 8, 3));
    expect(b.ids()).to.deep.equal({});
  });
});
