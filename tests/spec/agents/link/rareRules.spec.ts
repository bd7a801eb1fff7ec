/** Rules of the transport that no model of a NIC breaks. */

import { expect } from 'chai';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

/** 4.096 us * 2^8. */
const TIMEOUT = 1_048_576_000;
const FIRST = 0x100;

describe('a rule of the transport', () => {
  const connection = (arrives = true): WireBench =>
    new WireBench(true, arrives).connect({ ackTimeout: 8, rnrRetry: 7, maxRdAtomic: 16 });
  const send = (b: WireBench, psn: number): unknown =>
    b.request({ opcode: BTH_OP.sendOnly, psn, payload: 4, ackRequest: true });
  const read = (b: WireBench, psn: number, length: number): (() => void) =>
    b.request({ opcode: BTH_OP.readRequest, psn, ext: reth(length) });

  it('permits no packet before the first one of its connection', () => {
    const b = connection();
    send(b, FIRST);
    b.wait(TIMEOUT);
    send(b, FIRST - 1);
    expect(b.lines.join('')).to.contain('retransmits from before the first PSN 0x000100');
  });

  it('permits no packet at another port than that of its queue pair', () => {
    const path = { ipv6: false, trafficClass: 0, flowLabel: 0, hopLimit: 64, port: 2 };
    const b = new WireBench(true).connect({ ackTimeout: 8, path });
    send(b, FIRST);
    expect(b.lines.join('')).to.contain('leaves by port 1; its queue pair is bound to port 2');
  });

  it('permits no READ of more than 2^31 bytes', () => {
    const b = connection();
    read(b, FIRST, 2 ** 31 + 1);
    expect(b.ids()).to.deep.equal({ WIRE_DMA_LENGTH: 1 });
  });

  it('permits no more than half of all PSNs to be outstanding', () => {
    const b = connection();
    read(b, FIRST, 2 ** 31);
    send(b, FIRST + 2 ** 23);
    expect(b.lines.join('')).to.contain('is sent with 8388609 PSNs outstanding; 8388608 may be');
  });

  it('permits no sequence NAK for a packet of the answer to a READ', () => {
    const b = connection();
    read(b, FIRST, 600);
    send(b, FIRST + 3);
    b.response({ opcode: BTH_OP.acknowledge, psn: FIRST + 1, ext: aeth(0x60, 0) });
    expect(b.lines.join('')).to.contain('asks for a PSN of the answer to a READ');
  });

  it('permits no second answer to a READ of which one copy has arrived', () => {
    const b = connection(false);
    read(b, FIRST, 4)();
    b.wait(TIMEOUT);
    read(b, FIRST, 4);
    for (let i = 0; i < 2; i++)
      b.response({ opcode: BTH_OP.readResponseOnly, psn: FIRST, payload: 4, ext: aeth(0x1f, 1) });
    expect(b.ids()).to.deep.equal({ WIRE_ACK_UNARRIVED: 1 });
  });
});
