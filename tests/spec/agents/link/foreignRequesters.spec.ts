import { expect } from 'chai';
import fc from 'fast-check';
import { FlowTable } from '../../../../scoreboard/reference/flowTable.ts';
import { ForeignRequesters } from '../../../../scoreboard/reference/foreignRequesters.ts';
import type { QpInfo } from '../../../../agents/verbs/verbsItems.ts';
import { aeth, roceFrame } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

/** Host 2 QP 0x12 sends to host 1 QP 0x11, which is connected with host 0. */
const STRANGER = { host: 2, qpn: 0x12, sqPsn: 0x500, rqPsn: 0x700 };

function bench(): WireBench {
  const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 3 });
  b.announce({ ...STRANGER, ackTimeout: 8, retryCnt: 1 });
  return b;
}

describe('ForeignRequesters', () => {
  it('leave the flow of the peer alone, and have one of their own', () => {
    const b = bench();
    b.request({ opcode: 4, psn: 0x100, payload: 4 });
    b.requestFrom(2, { opcode: 4, psn: 0x500, payload: 4 });
    b.request({ opcode: 4, psn: 0x101, payload: 4 });
    b.response({ opcode: 17, psn: 0x101, ext: aeth(0x1f, 2) });
    b.requestFrom(2, { opcode: 4, psn: 0x501, payload: 4 });
    expect(b.ids()).to.deep.equal({});
    b.requestFrom(2, { opcode: 4, psn: 0x509, payload: 4 });
    expect(b.ids()).to.deep.equal({ WIRE_PSN: 1 });
  });

  it('have what they tried counted for themselves', () => {
    const b = bench();
    for (const psn of [0x500, 0x500]) {
      b.requestFrom(2, { opcode: 4, psn, payload: 4 });
      b.wait(1_048_576_000);
    }
    expect(b.transport.attempt(2, 0x12, 1, 0x11)).to.include({ wanted: 1, answered: false });
    expect(b.transport.attempt(0, 0x10, 1, 0x11)).to.include({ wanted: 3, answered: true });
    expect(b.ids()).to.deep.equal({});
  });

  it('are named in what is said of their packets', () => {
    const b = bench();
    b.requestFrom(2, { opcode: 4, psn: 0x509, payload: 4 });
    expect(b.lines.join('\n')).to.match(/WIRE_PSN\] host 2 QP 18 to host 1 QP 17/);
  });

  it('are strangers no longer when the queue pair is reset and connected with them', () => {
    const b = bench();
    b.transport.qpGone(1, 0x11);
    b.transport.qpGone(2, 0x12);
    b.connect({ ...STRANGER, sqPsn: 0x800 });
    b.requestFrom(2, { opcode: 4, psn: 0x800, payload: 4 });
    b.raw(roceFrame({ destQp: 0x12, from: 1, to: 2, opcode: 17, psn: 0x800, ext: aeth(0x1f, 1) }), 1, 2);
    expect(b.ids()).to.deep.equal({});
    expect(b.transport.attempt(2, 0x12, 1, 0x11)).to.include({ answered: true });
  });

  it('are told from the peer by their host, in whatever order they are announced', () => {
    const info = { host: 0, qpn: 1, remoteHost: 1, remoteQpn: 2 } as QpInfo;
    const peer = { host: 1, qpn: 2, remoteHost: 0, remoteQpn: 1 } as QpInfo;
    const namesake = { host: 0, qpn: 7, remoteHost: 1, remoteQpn: 2 } as QpInfo;
    const stranger = { host: 5, qpn: 1, remoteHost: 1, remoteQpn: 2 } as QpInfo;
    const flows = new FlowTable();
    const strangers = new ForeignRequesters(flows);
    const connects = (qp: QpInfo): number => strangers.connects(qp, flows.open(FlowTable.connected(qp.host, qp.qpn)));
    const toPeer = FlowTable.connected(1, 2);
    expect(connects(info)).to.equal(flows.find(toPeer));
    connects(peer);
    expect(connects(namesake)).to.equal(flows.find(toPeer));
    expect(strangers.any).to.equal(false);
    expect(connects(stranger)).to.equal(strangers.flowOf(5, 1, 2));
    expect(connects(stranger)).to.not.equal(flows.find(toPeer));
    expect([strangers.flowOf(0, 1, 2), strangers.flowOf(5, 2, 1)]).to.deep.equal([-1, -1]);
    strangers.leaves(flows.find(toPeer));
    expect(connects(stranger)).to.equal(flows.find(toPeer));
  });

  it('have keys that no other flow has', () => {
    const host = fc.nat(7);
    const qpn = fc.integer({ min: 1, max: 0xff_fffe });
    fc.assert(
      fc.property(host, host, qpn, host, qpn, (from, to, number, other, another) => {
        const key = FlowTable.foreign(from, to, number);
        expect(key).to.be.below(-1);
        expect([FlowTable.connected(other, another), FlowTable.datagram(other, another)]).to.not.include(key);
        expect(key === FlowTable.foreign(other, to, another)).to.equal(from === other && number === another);
      }),
    );
  });
});
