import { expect } from 'chai';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import { WireOpcodes } from '../../../../agents/wire/wireOpcodes.ts';
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { ResponderReference } from '../../../../scoreboard/reference/reliable/responderReference.ts';

const { flags } = new WireOpcodes();
const ACK = 0x1f;
const RNR = 0x20;

function packet(opcode: number, psn: number, over: Partial<DecodedPacket> = {}): DecodedPacket {
  return Object.assign(new DecodedPacket(), { opcode, psn, flags: flags[opcode], ackRequest: true, ...over });
}

/** A responder that expects PSN 0x100, and what is wrong with its answers. */
class Bench {
  readonly responder = new ResponderReference(0x100);
  now = 0;

  sends(...psns: readonly number[]): void {
    for (const psn of psns) this.responder.arrived(packet(BTH_OP.sendOnly, psn), 1, ++this.now);
  }

  reads(psn: number, packets: number): void {
    this.responder.arrived(packet(BTH_OP.readRequest, psn), packets, ++this.now);
  }

  answers(syndrome: number, psn: number): string | undefined {
    return this.responder.answers(packet(BTH_OP.acknowledge, psn, { syndrome }))?.rule.id;
  }

  responds(psn: number): string | undefined {
    return this.responder.answers(packet(BTH_OP.readResponseOnly, psn))?.rule.id;
  }
}

describe('ResponderReference', () => {
  let b: Bench;
  beforeEach(() => {
    b = new Bench();
  });

  it('takes acknowledgements of what has arrived in order, once and again', () => {
    b.sends(0x100, 0x101, 0x101);
    expect([b.answers(ACK, 0x100), b.answers(ACK, 0x101), b.answers(ACK, 0x101)]).deep.equals([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reports an acknowledgement of a packet that was lost, or that lies behind one', () => {
    b.sends(0x100, 0x102);
    expect(b.answers(ACK, 0x102)).equals('WIRE_ACK_UNARRIVED');
  });

  it('goes on over the end of all PSNs', () => {
    const { responder } = Object.assign(b, { responder: new ResponderReference(0xff_ffff) });
    b.sends(0xff_ffff, 0);
    expect(responder.answers(packet(BTH_OP.acknowledge, 0, { syndrome: ACK }))).equals(undefined);
    expect(b.answers(ACK, 1)).equals('WIRE_ACK_UNARRIVED');
  });

  it('takes one NAK for a gap, and another when what it asked for has arrived and is missed again', () => {
    b.sends(0x100, 0x102);
    expect(b.answers(SYNDROME.nakSequence, 0x101)).equals(undefined);
    b.sends(0x103);
    expect(b.answers(SYNDROME.nakSequence, 0x101)).equals('WIRE_NAK');
    b.sends(0x101, 0x103);
    expect(b.answers(SYNDROME.nakSequence, 0x102)).equals(undefined);
  });

  it('reports a NAK for a gap that no later packet has shown', () => {
    b.sends(0x100);
    expect(b.answers(SYNDROME.nakSequence, 0x101)).equals('WIRE_NAK');
  });

  it('takes a NAK that was on its way out when the missing packet came after all', () => {
    b.sends(0x101, 0x100);
    expect(b.answers(SYNDROME.nakSequence, 0x100)).equals(undefined);
  });

  it('goes back to what was refused for want of a receive: what followed was dropped', () => {
    b.sends(0x100, 0x101, 0x102);
    expect(b.answers(RNR, 0x100)).equals(undefined);
    expect(b.answers(ACK, 0x101)).equals('WIRE_ACK_UNARRIVED');
  });

  it('knows that a refused packet may have come again before its refusal left', () => {
    b.sends(0x100, 0x101, 0x100, 0x101);
    expect([b.answers(RNR, 0x100), b.answers(ACK, 0x101)]).deep.equals([undefined, undefined]);
  });

  it('takes each refusal for that of one copy', () => {
    b.sends(0x100, 0x101, 0x100, 0x101);
    expect([b.answers(RNR, 0x100), b.answers(RNR, 0x100)]).deep.equals([undefined, undefined]);
    expect(b.answers(ACK, 0x100)).equals('WIRE_ACK_UNARRIVED');
  });

  it('lets a READ be answered as often as it has arrived, also from its middle', () => {
    b.reads(0x100, 4);
    b.reads(0x102, 2);
    expect([b.responds(0x100), b.responds(0x102)]).deep.equals([undefined, undefined]);
    expect([b.responds(0x100), b.responds(0x102)]).deep.equals(['WIRE_ACK_UNARRIVED', 'WIRE_ACK_UNARRIVED']);
  });

  it('does not take a READ behind a gap for one that may be answered', () => {
    b.reads(0x101, 1);
    expect(b.responds(0x101)).equals('WIRE_ACK_UNARRIVED');
  });

  it('says since when an answer is owed: to a request, to a copy of one, and to a gap', () => {
    b.sends(0x100);
    expect(b.responder.owedSince).equals(1);
    b.answers(ACK, 0x100);
    expect(b.responder.owedSince).equals(-1);
    b.sends(0x100);
    expect(b.responder.owedSince).equals(2);
    b.answers(ACK, 0x100);
    b.sends(0x102);
    expect(b.responder.owedSince).equals(3);
  });

  it('owes an answer to a copy of its newest READ, also from the middle, and not of one that it may have forgotten', () => {
    b.reads(0x100, 2);
    b.reads(0x102, 4);
    b.responds(0x102);
    b.reads(0x100, 2);
    expect(b.responder.owedSince).equals(-1);
    b.reads(0x104, 2);
    expect(b.responder.owedSince).equals(4);
  });

  it('owes nothing for what it drops behind a packet that it has refused', () => {
    b.sends(0x100);
    b.answers(RNR, 0x100);
    b.sends(0x101, 0x102);
    expect(b.responder.owedSince).equals(-1);
  });

  it('says nothing more of one that has failed', () => {
    b.answers(SYNDROME.nakAccess, 0x100);
    expect(b.answers(ACK, 0x120)).equals(undefined);
  });

  it('asks for nothing that it has refused for want of a receive until a copy has come, unless its NIC declares that', () => {
    const asks = (declared: boolean): (string | undefined)[] => {
      const habits = { discardsAtomics: false, sequenceNakAfterRnr: declared };
      Object.assign(b, { responder: new ResponderReference(0x100, habits) });
      b.sends(0x100, 0x101);
      return [b.answers(RNR, 0x100), b.answers(SYNDROME.nakSequence, 0x100)];
    };
    expect(asks(true)).to.deep.equal([undefined, undefined]);
    expect(asks(false)).to.deep.equal([undefined, 'WIRE_NAK']);
    // A copy has come, and been lost to a gap behind it.
    Object.assign(b, { responder: new ResponderReference(0x100) });
    b.sends(0x100);
    b.answers(RNR, 0x100);
    b.sends(0x100, 0x102);
    expect(b.answers(SYNDROME.nakSequence, 0x101)).to.equal(undefined);
  });
});
