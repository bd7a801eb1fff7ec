import { expect } from 'chai';
import type { RoceFields } from '../support/roceFrame.ts';
import { atomicEth, reth, word } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const SEND_ONLY = 4;
const SEND_ONLY_IMM = 5;
const WRITE_FIRST = 6;
const WRITE_LAST = 8;
const READ = 12;
const COMPARE_AND_SWAP = 19;

const write: RoceFields = { opcode: WRITE_FIRST, psn: 0x100, ext: reth(300), payload: 256 };
const last: RoceFields = { opcode: WRITE_LAST, psn: 0x101, payload: 44, shift: 5 };
const send: RoceFields = { opcode: SEND_ONLY_IMM, psn: 0x102, payload: 60, ext: word(77) };
const add: RoceFields = { opcode: COMPARE_AND_SWAP, psn: 0x103, ext: atomicEth() };
const read: RoceFields = { opcode: READ, psn: 0x104, ext: reth(600) };
const ALL = [write, last, send, add, read];

/** Ids after everything was sent, and then again with what `change` says of each packet. */
function sentAgain(change: (f: RoceFields) => Partial<RoceFields>, ipv6 = false): Record<string, number> {
  const b = new WireBench().connect();
  for (const f of ALL) b.request({ ...f, ipv6 });
  for (const f of ALL) b.request({ ...f, ipv6, ...change(f) });
  return b.ids();
}

/** The same where one packet only is another. */
const other = (packet: RoceFields, change: Partial<RoceFields>) => sentAgain((f) => (f === packet ? change : {}));

describe('Retransmissions', () => {
  it('lets every packet be sent again as it was', () => {
    expect(sentAgain(() => ({}))).to.deep.equal({});
    expect(sentAgain(() => ({}), true)).to.deep.equal({});
  });

  it('lets the IPv4 identification of a packet that is sent again be another', () => {
    expect(sentAgain(() => ({ identification: 0xfedc }))).to.deep.equal({});
  });

  it('lets a packet ask for an acknowledgement only when it is sent again, or only the first time', () => {
    expect(sentAgain((f) => (f === write ? { ackRequest: true } : {}))).to.deep.equal({});
    expect(sentAgain((f) => (f === add ? { ackRequest: true } : {}), true)).to.deep.equal({});
  });

  it('leaves another UDP source port to the rule about paths', () => {
    expect(sentAgain(() => ({ sourcePort: 0xffff }))).to.deep.equal({});
    expect(sentAgain(() => ({ sourcePort: 0xc000, identification: 1 }), true)).to.deep.equal({});
  });

  const WRONG: [string, RoceFields, Partial<RoceFields>][] = [
    ['a byte of the payload', last, { shift: 6 }],
    ['a byte of a long payload', write, { shift: 1 }],
    ['another payload and identification', write, { shift: 1, identification: 0 }],
    ['another address', write, { ext: reth(300, 0x77, 0x1004) }],
    ['another R_Key', write, { ext: reth(300, 0x78) }],
    ['other immediate data', send, { ext: word(78) }],
    ['a solicited event', send, { solicited: true }],
    ['other operands', add, { ext: [...atomicEth().slice(0, 27), 7] }],
    ['a READ by another R_Key', read, { ext: reth(600, 0x78) }],
    ['a READ of another address', read, { ext: reth(600, 0x77, 0x2000) }],
    ['a SEND in place of a READ', read, { opcode: SEND_ONLY, ext: [], payload: 60 }],
  ];
  for (const [what, packet, change] of WRONG) {
    it(`reports ${what} in what is sent again, once`, () => {
      expect(other(packet, change)).to.deep.equal({ WIRE_RETRY: 1 });
    });
  }

  it('judges what is sent a third time by the first time', () => {
    const b = new WireBench().connect();
    for (const shift of [0, 1, 0]) b.request({ ...send, psn: 0x100, shift });
    expect(b.ids()).to.deep.equal({ WIRE_RETRY: 1 });
  });

  /** A READ of 600 bytes across a multiple of 4 GiB, and the rest of it from its second answer on. */
  function askAgain(rest: number[], answered: boolean): Record<string, number> {
    const b = new WireBench().connect();
    b.request({ opcode: READ, psn: 0x100, ext: [...word(1), ...word(0xffff_ff80), ...word(0x77), ...word(600)] });
    if (answered) {
      b.response({ opcode: 13, psn: 0x100, ext: word(0x1f00_0001), payload: 256 });
      b.response({ opcode: 14, psn: 0x101, payload: 256 });
      b.response({ opcode: 15, psn: 0x102, ext: word(0x1f00_0001), payload: 88 });
    }
    b.request({ opcode: READ, psn: 0x101, ext: rest });
    return b.ids();
  }

  for (const answered of [false, true]) {
    const state = answered ? 'whose answer is lost' : 'without an answer';
    it(`lets the rest of a READ ${state} be asked for, and nothing else`, () => {
      expect(askAgain([...word(2), ...word(0x80), ...word(0x77), ...word(344)], answered)).to.deep.equal({});
      const wrong = { WIRE_RETRY: 1 };
      expect(askAgain([...word(1), ...word(0x80), ...word(0x77), ...word(344)], answered)).to.deep.equal(wrong);
      expect(askAgain([...word(1), ...word(0xffff_ff80), ...word(0x77), ...word(344)], answered)).to.deep.equal(wrong);
      expect(askAgain([...word(2), ...word(0x80), ...word(0x78), ...word(344)], answered)).to.deep.equal(wrong);
    });
  }

  it('says of a READ that is rightly asked for again what was sent behind it, and whether its answer has begun', () => {
    const b = new WireBench().connect();
    const said: [number, boolean][] = [];
    b.monitor.packets.connect((p) => void (p.readsBehind < 0 || said.push([p.readsBehind, p.wasAnswered])));
    const first: RoceFields = { opcode: READ, psn: 0x100, ext: reth(300) };
    const rest = [...reth(300, 0x77, 0x1100).slice(0, 12), ...word(44)];
    for (const f of [first, { ...add, psn: 0x102 }, { ...read, psn: 0x103 }, first]) b.request(f);
    b.response({ opcode: 13, psn: 0x100, ext: word(0x1f00_0001), payload: 256 });
    b.request({ ...first, psn: 0x101, ext: rest });
    b.request({ ...read, psn: 0x103 });
    b.request({ ...read, psn: 0x103, ext: reth(600, 0x78) });
    expect(said).to.deep.equal([
      [2, false],
      [2, true],
      [0, false],
    ]);
  });

  it('forgets what a connection sent when it is made again', () => {
    const b = new WireBench().connect();
    for (const f of ALL) b.request(f);
    b.transport.qpGone(0, 0x10);
    b.transport.qpGone(1, 0x11);
    b.connect();
    for (const f of ALL) b.request({ ...f, shift: 9 });
    for (const f of ALL) b.request({ ...f, shift: 9 });
    expect(b.ids()).to.deep.equal({});
  });
});
