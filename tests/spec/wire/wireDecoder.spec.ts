import { expect } from 'chai';
import fc from 'fast-check';
import { DecodedPacket, PACKET } from '../../../agents/wire/decodedPacket.ts';
import { WireDecoder } from '../../../agents/wire/wireDecoder.ts';
import { WireIcrc } from '../../../agents/wire/wireIcrc.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import { PROBLEM, WIRE_PROBLEM_IDS, WIRE_REPORT_IDS, type WireReportId } from '../../../agents/wire/wireRules.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { aeth, atomicEth, deth, reth, type RoceFields, roceFrame, setIcrc, word } from '../agents/support/roceFrame.ts';
import { type IcrcVector, icrcVectors } from '../support/icrcVectors.ts';

/**
 * Vectors that break a rule for senders: port 4791 as source, fragments allowed and SE on a plain WRITE, FECN and a
 * wrong checksum, and a dump with a corrupt byte under the mask.
 */
const ODD: Readonly<Record<string, number>> = {
  'published-ip-rc-write-only-128': PROBLEM.udpPort | PROBLEM.bth | PROBLEM.fragment,
  'captured-cnp-connectx-vf': PROBLEM.cnp,
  'invariance-ttl-tos-ce-udpsum-fecn-becn': PROBLEM.bth | PROBLEM.udpChecksum,
};

describe('WireDecoder', () => {
  const bytes = ByteStore.create();
  const decoder = new WireDecoder(bytes);
  const at = bytes.alloc(8192);
  const p = new DecodedPacket();
  const decode = (frame: readonly number[]) => {
    bytes.u8.set(frame, at);
    decoder.decode(at, frame.length, p);
    return p;
  };
  const ids = (problems: number) => WIRE_PROBLEM_IDS.filter((_, bit) => problems & (1 << bit));

  describe('with frames of known ICRC', () => {
    for (const file of ['icrc.json', 'icrc-computed.json'] as const) {
      it(`agrees with every vector of ${file}`, () => {
        const vectors = icrcVectors(file);
        expect(vectors.length).to.be.greaterThan(20);
        for (const v of vectors) checkVector(v);
      });
    }
  });

  it('reads the keys of golden SENDs with invalidate, the last packet of a message and an only one', () => {
    const golden = (name: string): string => icrcVectors('icrc-computed.json').find((v) => v.name === name)?.hex ?? '';
    decode([...Buffer.from(golden('send-last-inv-1'), 'hex')]);
    expect(p).to.include({
      opcode: 0x16,
      destQp: 0x11,
      psn: 0x10,
      immediate: 0x00abcd42,
      payloadLength: 1,
      padCount: 3,
    });
    expect(p.flags & OPCODE.ieth).not.to.equal(0);
    decode([...Buffer.from(golden('send-only-inv-4'), 'hex')]);
    expect(p).to.include({
      opcode: 0x17,
      destQp: 0x11,
      psn: 0x11,
      immediate: 0x00abcd42,
      payloadLength: 4,
      padCount: 0,
    });
    expect(p.flags & OPCODE.ieth).not.to.equal(0);
  });

  function checkVector(v: IcrcVector): void {
    const packet = [...Buffer.from(v.hex, 'hex')];
    const wire = Buffer.from(v.icrc, 'hex').readInt32LE(0);
    if (v.encapsulation.startsWith('RoCEv1')) {
      expect(decode(packet).kind, v.name).to.equal(PACKET.other);
      expect(new WireIcrc(bytes).compute(6, at + 14, at + 54, at + packet.length - 4), v.name).to.equal(wire);
      return;
    }
    const version = (packet[0] as number) >> 4;
    const ether = [...new Array<number>(12).fill(2), ...(version === 6 ? [0x86, 0xdd] : [8, 0])];
    decode(v.layer === 'ip' ? [...ether, ...packet] : packet);
    expect(p.kind, v.name).to.equal(PACKET.roce);
    expect(p.icrc, v.name).to.equal(wire);
    expect(p.icrcExpected, v.name).to.equal(wire);
    expect(p.opcode, v.name).to.equal(Number(v.opcode));
    expect(ids(p.problems & ~(ODD[v.name] ?? 0)), v.name).to.deep.equal([]);
    flipBits(v.name);
  }

  /** Each bit of base header, extended headers and payload is protected, but for the congestion bits. */
  function flipBits(name: string): void {
    const from = p.network;
    const end = p.payload + p.payloadLength + p.padCount;
    const icrc = new WireIcrc(bytes);
    const { ipVersion, transport } = p;
    const masked = (i: number, bit: number) =>
      (ipVersion === 4 ? [1, 8, 10, 11] : [1, 2, 3, 7]).includes(i) ||
      (ipVersion === 6 && i === 0 && bit < 4) ||
      [transport - from - 2, transport - from - 1, transport - from + 4].includes(i);
    const right = icrc.compute(ipVersion, from, transport, end);
    for (let i = 0; i < end - from; i++) {
      const bit = i & 7;
      bytes.u8[from + i] = (bytes.u8[from + i] as number) ^ (1 << bit);
      const same = icrc.compute(ipVersion, from, transport, end) === right;
      expect(same, `${name}: byte ${i}, bit ${bit}`).to.equal(masked(i, bit));
      bytes.u8[from + i] = (bytes.u8[from + i] as number) ^ (1 << bit);
    }
  }

  it('reads every extended header', () => {
    decode(
      roceFrame({
        opcode: 0x0b,
        destQp: 0xabcdef,
        psn: 0xfedcba,
        payload: 5,
        ackRequest: true,
        solicited: true,
        ext: [
          ...[...word(0x01020304), ...word(0x85060708), ...word(0xcafe), ...word(0x8000_0000)],
          ...word(0xdeadbeef),
        ],
      }),
    );
    expect(p).to.include({ destQp: 0xabcdef, psn: 0xfedcba, padCount: 3, payloadLength: 5, ackRequest: true });
    expect(p).to.include({ solicited: true, vaHi: 0x01020304, vaLo: 0x85060708 | 0, rkey: 0xcafe });
    expect(p).to.include({ dmaLength: 0x8000_0000, immediate: 0xdeadbeef | 0, problems: 0, partitionKey: 0xffff });
    decode(roceFrame({ opcode: 0x13, ext: atomicEth() }));
    expect(p).to.include({ swapHi: 0, swapLo: 5, compareHi: 0, compareLo: 6, problems: 0 });
    decode(roceFrame({ opcode: 0x12, ext: [...aeth(0x1f, 9), ...word(7), ...word(8)] }));
    expect(p).to.include({ syndrome: 0x1f, msn: 9, originalHi: 7, originalLo: 8, problems: 0 });
    decode(
      roceFrame({ opcode: 0x65, ext: [...deth(0x123456, 0x8000_0001), ...word(3)], payload: 8, ipv6: true, vlan: 5 }),
    );
    expect(p).to.include({
      sourceQp: 0x123456,
      qkey: 0x8000_0001 | 0,
      immediate: 3,
      vlan: 5,
      ipVersion: 6,
      problems: 0,
    });
    decode(roceFrame({ opcode: 0x17, ext: word(0x99), payload: 4 }));
    expect(p).to.include({ immediate: 0x99, problems: 0 });
    expect(p.flags & OPCODE.ieth).not.to.equal(0);
  });

  it('finds no fault in right frames of any shape', () => {
    const shapes: RoceFields[] = [
      { opcode: 0x04, payload: 0 },
      { opcode: 0x04, payload: 4096 },
      { opcode: 0x00, payload: 1024 },
      { opcode: 0x02, payload: 1 },
      { opcode: 0x0c, ext: reth(600) },
      { opcode: 0x10, ext: aeth(0, 1), payload: 3 },
      { opcode: 0x11, ext: aeth(0x62, 1) },
      { opcode: 0x2a, ext: reth(7), payload: 7 },
      { opcode: 0x81, becn: true, ext: new Array<number>(16).fill(0) },
    ];
    const shape = fc.constantFrom(...shapes);
    fc.assert(
      fc.property(shape, fc.boolean(), fc.boolean(), fc.nat(0xffffff), (s, ipv6, tagged, psn) => {
        const cnp = s.opcode === 0x81;
        decode(roceFrame({ ...s, ipv6, psn: cnp ? 0 : psn, ...(tagged ? { vlan: 7 } : {}) }));
        expect(ids(p.problems)).to.deep.equal([]);
        expect(p.kind).to.equal(PACKET.roce);
      }),
    );
  });

  it('leaves other protocols alone', () => {
    expect(decode([...new Array<number>(12).fill(1), 8, 6, ...new Array<number>(46).fill(0)]).kind).to.equal(
      PACKET.other,
    );
    const dns = roceFrame({ opcode: 4 });
    dns[36] = 0;
    expect(decode(dns).kind).to.equal(PACKET.other);
    const tcp = roceFrame({ opcode: 4 });
    tcp[23] = 6;
    expect(decode(tcp).kind).to.equal(PACKET.other);
    expect(decode(new Array<number>(14).fill(8)).kind).to.equal(PACKET.other);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(100), (noise, cut) => {
        const frame = roceFrame({ opcode: 0x0a, ext: reth(20), payload: 20 });
        noise.forEach((b, i) => {
          if (i !== 12 && i !== 13 && i !== 23 && i !== 36 && i !== 37) frame[i] = b;
        });
        decode(frame.slice(0, 14 + cut));
      }),
      { numRuns: 500 },
    );
  });

  const NETWORK = 14;
  const BTH = 42;
  const planted: [WireReportId, string, () => number[]][] = [
    ['WIRE_FRAME', 'bytes behind the packet', () => [...roceFrame({ opcode: 4, payload: 64 }), 0]],
    ['WIRE_FRAME', 'a frame that is too short for Ethernet', () => roceFrame({ opcode: 4 }).slice(0, 58)],
    ['WIRE_IP_HEADER', 'options in the IPv4 header', () => edit({ opcode: 4, payload: 64 }, NETWORK, 0x46)],
    ['WIRE_IP_HEADER', 'a hop limit of 0', () => edit({ opcode: 4, payload: 64, ipv6: true }, NETWORK + 7, 0)],
    ['WIRE_IP_LENGTH', 'an IP length beyond the frame', () => edit({ opcode: 4, payload: 64 }, NETWORK + 2, 1)],
    [
      'WIRE_IP_LENGTH',
      'an IPv6 length beyond the frame',
      () => edit({ opcode: 4, payload: 64, ipv6: true }, NETWORK + 4, 1),
    ],
    ['WIRE_IP_CHECKSUM', 'a wrong header checksum', () => edit({ opcode: 4, payload: 64 }, NETWORK + 10, 0)],
    ['WIRE_FRAGMENT', 'a fragment', () => edit({ opcode: 4, payload: 64 }, NETWORK + 6, 0x20)],
    ['WIRE_FRAGMENT', 'a packet that may be cut', () => edit({ opcode: 4, payload: 64 }, NETWORK + 6, 0)],
    ['WIRE_UDP_LENGTH', 'a wrong UDP length', () => edit({ opcode: 4, payload: 64 }, NETWORK + 25, 80)],
    ['WIRE_UDP_CHECKSUM', 'a wrong UDP checksum', () => edit({ opcode: 4, payload: 64 }, NETWORK + 26, 1)],
    ['WIRE_UDP_PORT', 'a low source port', () => edit({ opcode: 4, payload: 64 }, NETWORK + 20, 0x11)],
    ['WIRE_ICRC', 'a wrong ICRC', () => edit({ opcode: 4, payload: 64 }, BTH + 20, 99, false)],
    ['WIRE_BTH', 'a transport version', () => edit({ opcode: 4, payload: 64 }, BTH + 1, 1)],
    ['WIRE_BTH', 'a reserved bit', () => edit({ opcode: 4, payload: 64 }, BTH + 8, 1)],
    ['WIRE_BTH', 'BECN in a data packet', () => roceFrame({ opcode: 4, payload: 64, becn: true })],
    ['WIRE_BTH', 'SE in the middle of a message', () => roceFrame({ opcode: 1, payload: 256, solicited: true })],
    ['WIRE_BTH', 'SE on a plain WRITE', () => roceFrame({ opcode: 0xa, ext: reth(64), payload: 64, solicited: true })],
    [
      'WIRE_BTH',
      'an acknowledge request in a response',
      () => roceFrame({ opcode: 0x11, ext: aeth(0, 1), ackRequest: true }),
    ],
    ['WIRE_OPCODE', 'a reserved opcode', () => roceFrame({ opcode: 0x1f, payload: 64 })],
    ['WIRE_PAD', 'a wrong pad count', () => edit({ opcode: 4, payload: 64 }, BTH + 1, 0x10)],
    ['WIRE_PAD', 'a missing pad', () => roceFrame({ opcode: 4, payload: 63, pad: 0 })],
    ['WIRE_PAD', 'pad without payload', () => roceFrame({ opcode: 4, payload: 0, pad: 4 - 1 })],
    ['WIRE_PAYLOAD', 'FIRST with an impossible size', () => roceFrame({ opcode: 0, payload: 260 })],
    ['WIRE_PAYLOAD', 'an empty LAST', () => roceFrame({ opcode: 2, payload: 0 })],
    ['WIRE_PAYLOAD', 'data in an acknowledgement', () => roceFrame({ opcode: 0x11, ext: aeth(0, 1), payload: 4 })],
    ['WIRE_PAYLOAD', 'a packet shorter than its headers', () => roceFrame({ opcode: 0x14, payload: 8 })],
    ['WIRE_SYNDROME', 'a reserved syndrome', () => roceFrame({ opcode: 0x11, ext: aeth(0x40, 1) })],
    ['WIRE_SYNDROME', 'a reserved NAK code', () => roceFrame({ opcode: 0x11, ext: aeth(0x64, 1) })],
    ['WIRE_SYNDROME', 'bit 7 of the syndrome', () => roceFrame({ opcode: 0x11, ext: aeth(0x80, 1) })],
    ['WIRE_SYNDROME', 'a NAK with READ data', () => roceFrame({ opcode: 0x10, ext: aeth(0x62, 1), payload: 4 })],
    [
      'WIRE_DETH',
      'the reserved byte of a DETH',
      () => roceFrame({ opcode: 0x64, ext: [0, 0, 0, 1, 9, 0, 0, 5], payload: 4 }),
    ],
    ['WIRE_CNP', 'a notification without BECN', () => roceFrame({ opcode: 0x81, ext: new Array<number>(16).fill(0) })],
    [
      'WIRE_CNP',
      'a notification with a PSN',
      () => roceFrame({ opcode: 0x81, becn: true, psn: 1, ext: new Array<number>(16).fill(0) }),
    ],
    ['WIRE_DEST_QP', 'destination QP 0', () => roceFrame({ opcode: 4, payload: 64, destQp: 0 })],
    ['WIRE_DEST_QP', 'the multicast QP on a connection', () => roceFrame({ opcode: 4, payload: 64, destQp: 0xffffff })],
  ];
  for (const [id, what, frame] of planted) {
    it(`finds ${id} in ${what}`, () => {
      expect(ids(decode(frame()).problems)).to.include(id);
      const alone = ids(p.problems).filter((other) => other !== 'WIRE_IP_CHECKSUM' || id === 'WIRE_IP_CHECKSUM');
      const also = id === 'WIRE_PAD' ? [] : ['WIRE_PAD'];
      expect(alone.filter((other) => !also.includes(other))).to.deep.equal([id]);
    });
  }

  it('accepts a right UDP checksum', () => {
    const frame = roceFrame({ opcode: 4, payload: 63 });
    let sum = 17 + (frame.length - 34);
    for (let i = 26; i < frame.length; i += 2) sum += ((frame[i] as number) << 8) | (frame[i + 1] ?? 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    frame[40] = (~sum >> 8) & 255;
    frame[41] = ~sum & 255;
    expect(ids(decode(frame).problems)).to.deep.equal([]);
    frame[41] ^= 1;
    expect(ids(decode(frame).problems)).to.deep.equal(['WIRE_UDP_CHECKSUM']);
  });

  it('has a documented id for every problem, which one of these plants', () => {
    expect(WIRE_PROBLEM_IDS).to.have.members(planted.map(([id]) => id).filter((id, i, all) => all.indexOf(id) === i));
    expect(WIRE_PROBLEM_IDS).to.have.length(Object.keys(PROBLEM).length);
    for (const id of WIRE_PROBLEM_IDS) expect(WIRE_REPORT_IDS).to.have.property(id);
    expect(ids(PROBLEM.udpPort | PROBLEM.destQp)).to.deep.equal(['WIRE_UDP_PORT', 'WIRE_DEST_QP']);
  });

  /** A frame with one byte changed, and the ICRC made right again unless told otherwise. */
  function edit(f: RoceFields, index: number, value: number, repair = true): number[] {
    const frame = roceFrame(f);
    frame[index] = value;
    if (repair) setIcrc(frame, NETWORK, f.ipv6 ?? false, frame.length - 4);
    return frame;
  }
});
