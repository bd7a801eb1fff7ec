import { expect } from 'chai';
import { FaultBench } from '../../support/faultBench.ts';
import { aeth, deth, type RoceFields, reth } from '../../support/roceFrame.ts';

const SEND_FIRST = 0x00;
const SEND_MIDDLE = 0x01;
const SEND_LAST = 0x02;
const SEND_ONLY = 0x04;
const WRITE_ONLY = 0x0a;
const READ_REQUEST = 0x0c;
const READ_RESPONSE_ONLY = 0x10;
const ACKNOWLEDGE = 0x11;
const UC_SEND_ONLY = 0x24;
const UD_SEND_ONLY = 0x64;
const CNP = 0x81;

/** A message of three packets, one of one packet, a READ, and what comes back: by the number of the call. */
const TALK: readonly RoceFields[] = [
  { opcode: SEND_FIRST, psn: 0x100, payload: 256 },
  { opcode: SEND_MIDDLE, psn: 0x101, payload: 256 },
  { opcode: SEND_LAST, psn: 0x102, payload: 8 },
  { from: 1, opcode: ACKNOWLEDGE, psn: 0x102, ext: aeth(0x1f, 1) },
  { opcode: WRITE_ONLY, psn: 0x103, payload: 8, ext: reth(8) },
  { from: 1, opcode: ACKNOWLEDGE, psn: 0x103, ext: aeth(0x60, 1) },
  { opcode: READ_REQUEST, psn: 0x104, ext: reth(300) },
  { from: 1, opcode: READ_RESPONSE_ONLY, psn: 0x104, payload: 44, ext: aeth(0x1f, 3) },
  { from: 1, opcode: ACKNOWLEDGE, psn: 0x105, ext: aeth(0x21, 3) },
  { from: 1, opcode: CNP, ext: new Array<number>(16).fill(0) },
  { opcode: UC_SEND_ONLY, payload: 8, destQp: 0x99 },
  { opcode: UD_SEND_ONLY, payload: 8, ext: deth(0x10) },
];

/** Which frames of a talk a rule selects, by the numbers of their calls. */
function lostOf(rule: string, talk = TALK): number[] {
  const bench = new FaultBench([rule]);
  for (const fields of talk) bench.send(fields);
  const arrived = new Set([...bench.arrived(0), ...bench.arrived(1)]);
  return talk.map((_, i) => i).filter((i) => !arrived.has(i));
}

describe('selection by a fault rule', () => {
  for (const [words, lost] of [
    ['', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    ['host=1', [3, 5, 7, 8, 9]],
    ['to=1', [0, 1, 2, 4, 6, 10, 11]],
    ['host=0 to=0', []],
    ['qp=2', [0, 1, 2, 4, 6, 11]],
    ['qp=0 host=1', [3, 5, 7, 8, 9]],
    ['qp=1', []],
    ['qpn=0x11', [3, 5, 7, 8, 9]],
    ['service=uc,ud', [10, 11]],
    ['service=rc host=1', [3, 5, 7, 8]],
    ['opcode=request', [0, 1, 2, 4, 6, 10, 11]],
    ['opcode=response', [3, 5, 7, 8]],
    ['opcode=send', [0, 1, 2, 10, 11]],
    ['opcode=send_only', [10, 11]],
    ['opcode=write', [4]],
    ['opcode=read_request', [6]],
    ['opcode=read_response', [7]],
    ['opcode=acknowledge', [3, 5, 8]],
    ['opcode=ack', [3]],
    ['opcode=nak', [5]],
    ['opcode=seq_nak', [5]],
    ['opcode=rnr_nak', [8]],
    ['opcode=cnp', [9]],
    ['opcode=write,cnp', [4, 9]],
    ['psn=0x102..0x103', [2, 3, 4, 5]],
    ['relpsn=0', [0]],
    ['relpsn=4 host=1', [7]],
    ['frame=2', [1, 5]],
    ['frame=2..3 host=0', [1, 2]],
    ['position=first', [0]],
    ['position=middle', [1]],
    ['position=last', [2]],
    ['position=first,last', [0, 2]],
    ['position=only opcode=send,write', [4, 10, 11]],
    ['nth=1', [0]],
    ['host=1 nth=2..3', [5, 7]],
    ['every=5', [4, 9]],
    ['opcode=send every=2', [1, 10]],
    ['from=1s', []],
    ['until=1ps', [0]],
    ['probability=1', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ] as const) {
    it(`takes the right frames by '${words === '' ? 'nothing' : words}'`, () => {
      expect(lostOf(`drop ${words}`)).to.deep.equal(lost);
    });
  }

  it('tells what is sent again, and how often, from what is new', () => {
    const only = (psn: number): RoceFields => ({ opcode: SEND_ONLY, psn, payload: 8 });
    const talk = [0x100, 0x101, 0x102, 0x101, 0x102, 0x103, 0x101, 0x104].map(only);
    expect(lostOf('drop transmission=retransmission', talk)).to.deep.equal([3, 4, 6]);
    expect(lostOf('drop transmission=first', talk)).to.deep.equal([0, 1, 2, 5, 7]);
    expect(lostOf('drop round=2', talk)).to.deep.equal([6]);
    expect(lostOf('drop round=0..1 psn=0x101', talk)).to.deep.equal([1, 3]);
  });

  it('takes a READ that is asked for again in part for one that is sent again, and knows none of acknowledgements', () => {
    const talk: RoceFields[] = [
      { opcode: READ_REQUEST, psn: 0x100, ext: reth(1000) },
      { opcode: READ_REQUEST, psn: 0x102, ext: reth(488) },
      { opcode: READ_REQUEST, psn: 0x104, ext: reth(8) },
      { from: 1, opcode: ACKNOWLEDGE, psn: 0x100, ext: aeth(0x1f, 1) },
      { from: 1, opcode: ACKNOWLEDGE, psn: 0x100, ext: aeth(0x1f, 1) },
    ];
    expect(lostOf('drop transmission=retransmission', talk)).to.deep.equal([1]);
    expect(lostOf('drop transmission=first', talk)).to.deep.equal([0, 2]);
  });

  it('goes on where PSNs come round', () => {
    const talk = [0xfffffe, 0xffffff, 0, 0xffffff, 1].map((psn) => ({ opcode: SEND_ONLY, psn, payload: 8 }));
    expect(lostOf('drop transmission=retransmission', talk)).to.deep.equal([3]);
  });

  it('counts what matches as it is sent, also what another rule has lost', () => {
    const bench = new FaultBench(['drop opcode=send nth=1', 'drop opcode=send nth=2']);
    for (const fields of TALK.slice(0, 3)) bench.send(fields);
    expect(bench.arrived(1)).to.deep.equal([2]);
  });

  it('looks at frames that are no RoCEv2 by host, ordinal, time and chance alone', () => {
    const bench = new FaultBench(['drop frame=2', 'drop opcode=request,response', 'drop position=only', 'drop psn=0']);
    const port = bench.link.port(0);
    for (let i = 0; i < 3; i++) {
      const frame = port.acquire();
      bench.run.bytes.u8.fill(0x55, frame.data, frame.data + 60);
      frame.length = 60;
      port.send(frame);
    }
    bench.settle();
    expect(bench.nics[1]?.frames).to.have.length(2);
  });

  it('ends all faults at the time of the plan', () => {
    const bench = new FaultBench(['drop'], { until: 1 });
    for (const fields of TALK.slice(0, 3)) bench.send(fields);
    expect(bench.arrived(1)).to.deep.equal([1, 2]);
  });

  it('draws by seed and rule alone: other rules move nothing', () => {
    const talk = Array.from({ length: 200 }, (_, i) => ({ opcode: SEND_ONLY, psn: 0x100 + i, payload: 8 }));
    const lost = (rules: readonly string[], seed: number): number[] => {
      const bench = new FaultBench(rules, {}, seed);
      for (const fields of talk) bench.send(fields);
      return bench.arrived(1);
    };
    const alone = lost(['drop probability=0.1'], 1);
    expect(alone.length).to.be.within(160, 195);
    expect(lost(['delay by=1ns..9ns probability=0.5', 'drop probability=0.1'], 1)).to.have.members(alone);
    expect(lost(['drop probability=0.1'], 2)).not.to.deep.equal(alone);
  });
});
