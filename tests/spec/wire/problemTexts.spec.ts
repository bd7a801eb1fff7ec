import { expect } from 'chai';
import { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { problemText } from '../../../agents/wire/problemTexts.ts';
import { WireDecoder } from '../../../agents/wire/wireDecoder.ts';
import { PROBLEM, type ProblemName } from '../../../agents/wire/wireRules.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { aeth, roceFrame } from '../agents/support/roceFrame.ts';

const NETWORK = 14;
const UDP = NETWORK + 20;
const BTH = UDP + 8;
const SEND = { opcode: 4, payload: 64 };

/** The SEND with some bytes changed. */
function edited(...changes: readonly (readonly [at: number, value: number])[]): number[] {
  const frame = roceFrame(SEND);
  for (const [at, value] of changes) frame[at] = value;
  return frame;
}

describe('what is wrong with a packet', () => {
  const bytes = ByteStore.create();
  const decoder = new WireDecoder(bytes);
  const at = bytes.alloc(8192);
  const length = roceFrame(SEND).length;
  const cnp = new Array<number>(16).fill(0);

  const planted: [ProblemName, readonly number[], string][] = [
    ['frame', [...roceFrame(SEND), 0], `is in a frame of ${length + 1} B; ${length} B are right for an IP packet of`],
    ['frame', roceFrame({ opcode: 4 }).slice(0, 58), 'is in a frame of 58 B; 60 to 60 B are right'],
    ['ipHeader', edited([NETWORK, 0x46]), 'has IP version and header length 0x46; 0x45 is right'],
    ['ipHeader', edited([NETWORK + 8, 0]), 'has hop limit 0; 1 or more is right'],
    ['ipLength', edited([NETWORK + 2, 1]), `has IP length ${256 + length - 14}; 44 to ${length - 14} are possible`],
    ['ipChecksum', edited([NETWORK + 10, 0], [NETWORK + 11, 0]), 'has IP header checksum 0x0000; 0x'],
    ['fragment', edited([NETWORK + 6, 0]), 'has IP flags and fragment offset 0x0000; 0x4000 is right'],
    ['udpLength', edited([UDP + 5, 80]), `has UDP length 80; ${length - UDP} is right, by the IP length`],
    ['udpChecksum', edited([UDP + 6, 0x12], [UDP + 7, 0x34]), 'has UDP checksum 0x1234; 0x'],
    ['udpPort', edited([UDP, 4], [UDP + 1, 0]), 'has UDP source port 0x0400; 0xc000 to 0xffff are right'],
    ['icrc', edited([length - 1, 0x99]), 'has ICRC 0x99'],
    ['bth', edited([BTH + 1, 1]), 'has transport version 0x1 where 0 is right'],
    ['bth', edited([BTH + 4, 0x40]), 'has FECN, BECN and reserved bits 0x40 where 0 is right'],
    ['bth', roceFrame({ opcode: 1, payload: 256, solicited: true }), 'has SE 1 where 0 is right'],
    ['opcode', roceFrame({ opcode: 0x1f, payload: 64 }), 'has opcode 0x1f, which does not exist'],
    ['pad', roceFrame({ opcode: 4, payload: 63, pad: 0 }), 'has pad count 0 behind 63 B of payload; 1 is right'],
    ['pad', edited([BTH + 1, 0x10]), 'has pad bytes 0xbe behind 63 B of payload; 0 is right'],
    ['payload', roceFrame({ opcode: 0, payload: 260 }), 'carries 260 B of payload; a path MTU (256, 512,'],
    ['payload', roceFrame({ opcode: 0x14, payload: 8 }), 'is shorter than the headers of its opcode'],
    ['syndrome', roceFrame({ opcode: 0x11, ext: aeth(0x40, 1) }), 'has AETH syndrome 0x40; 0x00 to 0x1f (ACK)'],
    [
      'deth',
      roceFrame({ opcode: 0x64, ext: [0, 0, 0, 1, 9, 0, 0, 5], payload: 4 }),
      'has 0x09 in the reserved byte of its DETH; 0x00 is right',
    ],
    [
      'cnp',
      roceFrame({ opcode: 0x81, ext: cnp }),
      'has FECN 0, BECN 0, SE 0, AckReq 0, pad count 0, 0 B of payload; BECN 1',
    ],
    ['destQp', roceFrame({ ...SEND, destQp: 0 }), 'goes to QP 0x0; QPs 0x1 to 0xfffffe are right'],
  ];
  for (const [name, frame, text] of planted) {
    it(`is told by found and right values: ${text}`, () => {
      const p = new DecodedPacket();
      bytes.u8.set(frame, at);
      decoder.decode(at, frame.length, p);
      expect(p.problems & PROBLEM[name]).to.equal(PROBLEM[name]);
      expect(problemText(p, PROBLEM[name], bytes.u8)).to.contain(text);
    });
  }

  it('has a text for every rule', () => {
    expect(planted.map(([name]) => name)).to.include.members(Object.keys(PROBLEM));
  });

  it('names checksums that the decoder accepts', () => {
    for (const [problem, field] of [
      [PROBLEM.ipChecksum, NETWORK + 10],
      [PROBLEM.udpChecksum, UDP + 6],
    ] as const) {
      const p = new DecodedPacket();
      const frame = edited([field, 0x12], [field + 1, 0x34]);
      bytes.u8.set(frame, at);
      decoder.decode(at, frame.length, p);
      const right = Number(
        /; 0x([0-9a-f]{4}) is right/.exec(problemText(p, problem, bytes.u8))?.[1]?.replace(/^/, '0x'),
      );
      bytes.u8.set([right >> 8, right & 255], at + field);
      decoder.decode(at, frame.length, p);
      expect(p.problems & problem).to.equal(0);
    }
  });
});
