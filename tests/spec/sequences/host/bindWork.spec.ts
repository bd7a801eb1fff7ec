import { expect } from 'chai';
import { RecvWr, SendWr } from '../../../../agents/verbs/verbsItems.ts';
import type { Qp } from '../../../../env/verbs/verbsObjects.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../../rdma/verbs.ts';
import { AREA } from '../../../../config/scenario/scenario.ts';
import { bindRecvs, bindSends } from '../../../../sequences/host/bindWork.ts';
import { Endpoint } from '../../../../sequences/host/endpoint.ts';
import { WorkPlan } from '../../../../config/scenario/workPlan.ts';

/** An end whose source area starts at 0x8000_0000_0000 + qpn * 8 GiB and whose key of region n is 100 * qpn + n. */
function endOf(qpn: number, type: number): Endpoint {
  const qp = { qpn, type, qkey: 0x11 } as Qp;
  const bases = Int32Array.of(1, 2, 3, 4, 0x8000 + 2 * qpn, 0, 0x8001 + 2 * qpn, 0);
  const keys = Int32Array.from({ length: 8 }, (_, n) => 100 * qpn + n - 4);
  return new Endpoint(qp, bases, 4, keys, 4);
}

describe('bindSends', () => {
  it('turns areas into addresses and region numbers into keys, at both ends', () => {
    const plan = new WorkPlan(2, 2);
    const k = plan.add(WR_OPCODE.rdmaWriteWithImm);
    plan.at(k).imm = 0xdeadbeef;
    plan.at(k).addSge(AREA.source, 0x9000_0010, 5, 1);
    plan.at(k).addSge(AREA.receive, 3, 0, 2);
    plan.setRemote(k, AREA.receive, 0xffff_fff0, 3);
    const wrs = [new SendWr()];
    bindSends(plan, wrs, endOf(14, QP_TYPE.rc), endOf(15, QP_TYPE.rc), 64);
    const wr = wrs[0] as SendWr;
    expect([wr.wrId, wr.opcode, wr.imm, wr.flags, wr.numSge]).to.deep.equal([64, 1, 0xdeadbeef, SEND_FLAG.signaled, 2]);
    expect({ ...wr.sges[0] }).to.deep.equal({ hi: 0x801c, lo: 0x9000_0010 | 0, length: 5, lkey: 1401 });
    expect({ ...wr.sges[1] }).to.deep.equal({ hi: 0x801d, lo: 3, length: 0, lkey: 1402 });
    expect([wr.remoteHi, wr.remoteLo, wr.rkey]).to.deep.equal([0x801f, -16, 1503]);
  });

  it('carries from the lower half of an address into the upper one', () => {
    const plan = new WorkPlan(1, 1);
    plan.at(plan.add(WR_OPCODE.send)).addSge(AREA.source, 0x20, 1, 0);
    const end = endOf(14, QP_TYPE.uc);
    end.bases.set([0x7fff_ffff, -16], end.firstBase);
    const wrs = [new SendWr()];
    bindSends(plan, wrs, end, end, 0);
    expect([wrs[0]?.sges[0]?.hi, wrs[0]?.sges[0]?.lo]).to.deep.equal([0x8000_0000 | 0, 16]);
  });

  it('names destination and address handle on UD', () => {
    const plan = new WorkPlan(1, 1);
    plan.add(WR_OPCODE.send);
    const end = endOf(14, QP_TYPE.ud);
    end.ah = 3;
    const wrs = [new SendWr()];
    bindSends(plan, wrs, end, endOf(15, QP_TYPE.ud), 0);
    expect([wrs[0]?.ah, wrs[0]?.remoteQpn, wrs[0]?.remoteQkey]).to.deep.equal([3, 15, 0x11]);
  });
});

describe('bindRecvs', () => {
  it('uses work requests again without leaving entries of the last time', () => {
    const plan = new WorkPlan(1, 3);
    const wrs = [new RecvWr()];
    const end = endOf(14, QP_TYPE.rc);
    const k = plan.add(0);
    for (let g = 0; g < 3; g++) plan.at(k).addSge(AREA.receive, g, 1, g);
    bindRecvs(plan, wrs, end, 0);
    plan.count = 0;
    plan.add(0);
    bindRecvs(plan, wrs, end, 7);
    expect([wrs[0]?.wrId, wrs[0]?.numSge]).to.deep.equal([7, 0]);
  });
});
