import { expect } from 'chai';
import fc from 'fast-check';
import { Frame } from '../../../../dut-model/nic.ts';
import { bthWord0, FrameBuilder } from '../../../../dut-model/roce/frameBuilder.ts';
import { DROP, FrameParser } from '../../../../dut-model/roce/frameParser.ts';
import { RxPacket } from '../../../../dut-model/roce/rxPacket.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { type IcrcVector, icrcVectors } from '../../support/icrcVectors.ts';

const store = ByteStore.create();
const block = store.alloc(8192, 16);

/** Puts a frame two bytes into the block and parses it. */
function parse(bytes: Uint8Array): { ok: boolean; packet: RxPacket; parser: FrameParser } {
  store.u8.set(bytes, block + 2);
  const frame = new Frame();
  frame.data = block + 2;
  frame.length = bytes.length;
  const packet = new RxPacket();
  const parser = new FrameParser(store);
  return { ok: parser.parse(frame, packet), packet, parser };
}

function vectors(): IcrcVector[] {
  return [...icrcVectors('icrc.json'), ...icrcVectors('icrc-computed.json')].filter(
    (v) => v.layer === 'ethernet' && v.encapsulation.startsWith('RoCEv2') && v.opcode !== '0x81',
  );
}

const PATH = {
  ipv6: false,
  dmacHigh: 0x0200,
  dmacLow: 2,
  smacHigh: 0x0200,
  smacLow: 1,
  sip: 0x0a000001,
  dip: 0x0a000002,
  sgid: [0xfd000000 | 0, 0, 0, 1],
  dgid: [0xfd000000 | 0, 0, 0, 2],
  trafficClass: 2,
  hopLimit: 64,
  flowLabel: 0,
  sourcePort: 0xc123,
} as const;

/** A finished frame with `payload` bytes of counting data behind the BTH. */
function build(ipv6: boolean, opcode: number, psn: number, payload: number): Uint8Array {
  const builder = new FrameBuilder(store);
  const template = store.alloc(80, 16);
  const l3Bytes = ipv6 ? 40 : 20;
  builder.writeTemplate(template, { ...PATH, ipv6 });
  const at = builder.begin(
    block,
    template,
    l3Bytes,
    bthWord0(opcode, false, 0xffff),
    0x123456,
    psn | (1 << 31),
    0,
    payload,
  );
  for (let i = 0; i < payload; i++) store.u8[at + i] = i;
  const length = builder.end(block, l3Bytes, at + payload);
  return store.u8.slice(block + 2, block + 2 + length);
}

describe('FrameParser', () => {
  it('believes the link that an ICRC is right only where it was told to', () => {
    const bytes = build(false, 4, 1, 64);
    bytes[60] = (bytes[60] as number) ^ 1;
    store.u8.set(bytes, block + 2);
    const frame = new Frame();
    frame.data = block + 2;
    frame.length = bytes.length;
    frame.sealed = true;
    const parser = new FrameParser(store);
    expect(parser.parse(frame, new RxPacket())).to.equal(false);
    expect(parser.dropped[DROP.icrc]).to.equal(1);
    parser.takesSeals = true;
    expect(parser.parse(frame, new RxPacket())).to.equal(true);
    frame.sealed = false;
    expect(parser.parse(frame, new RxPacket())).to.equal(false);
  });

  it('accepts every frame whose ICRC is independently known', () => {
    let seen = 0;
    for (const v of vectors()) {
      const { ok, packet, parser } = parse(Buffer.from(v.hex, 'hex'));
      // Opcodes of services that the model lacks are dropped after the ICRC was found good.
      if (!ok) expect(parser.dropped[DROP.opcode], v.name).to.equal(1);
      else expect(packet.opcode, v.name).to.equal(Number(v.opcode));
      seen++;
    }
    expect(seen).to.be.greaterThan(40);
  });

  it('reads the keys of golden SENDs with invalidate', () => {
    for (const [name, psn, length] of [
      ['send-last-inv-1', 0x10, 1],
      ['send-only-inv-4', 0x11, 4],
    ] as const) {
      const { hex = '' } = vectors().find((v) => v.name === name) ?? {};
      const { ok, packet } = parse(Buffer.from(hex, 'hex'));
      expect(ok, name).to.equal(true);
      expect([packet.imm | 0, packet.psn, packet.length], name).to.deep.equal([0x00abcd42, psn, length]);
    }
  });

  it('drops a frame in which any covered bit is flipped, and counts it', () => {
    const good = build(false, 0x04, 7, 64);
    expect(parse(good).ok).to.equal(true);
    fc.assert(
      fc.property(fc.integer({ min: (14 + 20 + 8) * 8, max: good.length * 8 - 1 }), (bit) => {
        const at = bit >> 3;
        fc.pre(at !== 14 + 20 + 8 + 4); // BTH byte 4 is outside the ICRC
        const bad = Uint8Array.from(good);
        bad[at] = (bad[at] as number) ^ (1 << (bit & 7));
        return !parse(bad).ok;
      }),
    );
  });

  it('reads back what the builder wrote, over IPv4 and IPv6', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.integer({ min: 0, max: 0xffffff }),
        fc.integer({ min: 0, max: 600 }),
        (ipv6, psn, n) => {
          const { ok, packet } = parse(build(ipv6, 0x04, psn, n));
          expect(ok).to.equal(true);
          expect([packet.psn, packet.length, packet.destQpn, packet.ackRequest]).to.deep.equal([
            psn,
            n,
            0x123456,
            true,
          ]);
          for (let i = 0; i < n; i++) expect(store.u8[packet.payload + i]).to.equal(i & 0xff);
        },
      ),
    );
  });

  it('pads a zero-length SEND to the least Ethernet frame and still finds its ICRC (T-008)', () => {
    const frame = build(false, 0x04, 1, 0);
    expect(frame.length).to.equal(60);
    expect(parse(frame).ok).to.equal(true);
  });

  it('drops fragments, wrong checksums and unknown versions for their own reasons', () => {
    const fragment = build(false, 0x04, 1, 8);
    fragment[14 + 6] = 0x20;
    expect(parse(fragment).parser.dropped[DROP.fragment]).to.equal(1);
    const checksum = build(false, 0x04, 1, 8);
    checksum[14 + 10] = (checksum[14 + 10] as number) ^ 1;
    expect(parse(checksum).parser.dropped[DROP.checksum]).to.equal(1);
  });
});
