import { expect } from 'chai';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import { WireOpcodes } from '../../../../agents/wire/wireOpcodes.ts';
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { RequesterReference } from '../../../../scoreboard/reference/reliable/requesterReference.ts';

const { flags } = new WireOpcodes();
const ACK = 0x1f;

function packet(opcode: number, psn: number, over: Partial<DecodedPacket> = {}): DecodedPacket {
  return Object.assign(new DecodedPacket(), { opcode, psn, flags: flags[opcode], ...over });
}

/** A requester that begins with PSN 0x100. */
class Bench {
  readonly requester = new RequesterReference(0x100);
  now = 0;

  sends(opcode: number, psn: number, packets = 1): void {
    this.requester.sends(packet(opcode, psn), packets);
  }

  hears(syndrome: number, psn: number, resending = false): void {
    this.requester.arrived(packet(BTH_OP.acknowledge, psn, { syndrome }), resending, ++this.now);
  }

  hearsOf(psn: number): void {
    this.requester.arrived(packet(BTH_OP.readResponseMiddle, psn), false, ++this.now);
  }
}

describe('RequesterReference', () => {
  let b: Bench;
  beforeEach(() => {
    b = new Bench();
  });

  it('knows of the messages that answers which have arrived speak of, not of those that were sent', () => {
    b.sends(BTH_OP.sendFirst, 0x100);
    b.sends(BTH_OP.sendLast, 0x101);
    b.sends(BTH_OP.writeOnly, 0x102);
    expect(b.requester.unanswered).equals(2);
    b.hears(ACK, 0x100);
    expect([b.requester.heard, b.requester.unanswered]).deep.equals([0x101, 2]);
    b.hears(ACK, 0x101);
    expect([b.requester.unanswered, b.requester.heardAt]).deep.equals([1, 2]);
  });

  it('hears of a READ part by part, and of nothing behind a part that is missing', () => {
    b.sends(BTH_OP.readRequest, 0x100, 3);
    b.hearsOf(0x100);
    b.hearsOf(0x102);
    expect([b.requester.heard, b.requester.unanswered]).deep.equals([0x101, 1]);
    expect(b.requester.goesBack(0x101, 9)).includes({ asked: true, heard: 0x101 });
    b.hearsOf(0x101);
    b.hearsOf(0x102);
    expect([b.requester.heard, b.requester.unanswered]).deep.equals([0x103, 0]);
  });

  it('takes an answer to a READ for one to everything before it', () => {
    b.sends(BTH_OP.writeOnly, 0x100);
    b.sends(BTH_OP.readRequest, 0x101, 1);
    b.hearsOf(0x101);
    expect(b.requester.unanswered).equals(0);
  });

  it('learns from an acknowledgement behind a READ only that its answer was lost', () => {
    b.sends(BTH_OP.readRequest, 0x100, 2);
    b.sends(BTH_OP.writeOnly, 0x102);
    b.hears(ACK, 0x102);
    expect([b.requester.heard, b.requester.unanswered]).deep.equals([0x100, 2]);
    expect(b.requester.goesBack(0x100, 9).asked).equals(true);
  });

  it('may go back once for each NAK that has come', () => {
    b.sends(BTH_OP.sendOnly, 0x100);
    expect(b.requester.goesBack(0x100, 1).asked).equals(false);
    b.hears(SYNDROME.nakSequence, 0x100);
    b.hears(SYNDROME.rnr, 0x100);
    expect([1, 2, 3].map((now) => b.requester.goesBack(0x100, now).asked)).deep.equals([true, true, false]);
  });

  it('spends a retry each time that it goes back, but not for a receiver that is not ready, until an answer comes', () => {
    const spent = (): number => b.requester.goesBack(0x100, ++b.now).spent;
    b.sends(BTH_OP.sendOnly, 0x100);
    // The first may have been counted before the latest answer, and have been given back by it.
    expect([spent(), spent()]).deep.equals([0, 1]);
    b.hears(SYNDROME.rnr, 0x100);
    expect([spent(), spent()]).deep.equals([1, 2]);
    b.hears(ACK, 0x100);
    expect(spent()).equals(0);
  });

  it('must go back for a sequence NAK, unless it has just done so', () => {
    b.sends(BTH_OP.sendOnly, 0x100);
    b.hears(SYNDROME.nakSequence, 0x100, true);
    expect(b.requester.nakAt).equals(-1);
    b.hears(SYNDROME.nakSequence, 0x100);
    expect(b.requester.nakAt).equals(2);
    b.requester.goesBack(0x100, 3);
    b.hears(SYNDROME.nakSequence, 0x100);
    expect(b.requester.nakAt).equals(-1);
  });

  it('has nothing to go back for when an acknowledgement behind a sequence NAK says that its packet was only overtaken', () => {
    for (const psn of [0x100, 0x101, 0x102]) b.sends(BTH_OP.sendOnly, psn);
    b.hears(SYNDROME.nakSequence, 0x101);
    b.hears(ACK, 0x100);
    expect(b.requester.nakAt).equals(1);
    b.hears(ACK, 0x101);
    expect(b.requester.nakAt).equals(-1);
  });

  it('waits for a receiver that is not ready, whichever NAK for the same packet comes first', () => {
    const [notReady, sequence] = [SYNDROME.rnr, SYNDROME.nakSequence];
    for (const order of [
      [notReady, sequence],
      [sequence, notReady],
    ]) {
      const bench = new Bench();
      bench.sends(BTH_OP.sendOnly, 0x100);
      for (const syndrome of order) bench.hears(syndrome, 0x100);
      expect(bench.requester.nakAt).equals(-1);
    }
  });
});
