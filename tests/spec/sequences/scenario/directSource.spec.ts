import { expect } from 'chai';
import { AREA, BRING_UP } from '../../../../config/scenario/scenario.ts';
import { DirectSource } from '../../../../config/scenario/drawn/directSource.ts';
import { findCollisions } from '../../../../config/scenario/file/scenarioChecks.ts';
import { WR_OPCODE } from '../../../../rdma/verbs.ts';
import { configOf } from '../testConfig.ts';
import { recvsOf, regionsOf, sendsOf } from './collect.ts';

const EVERYTHING = 7;

function direct(line: string, key = 1): DirectSource {
  return new DirectSource(configOf(line), key);
}

describe('DirectSource (hangu-interface.md 3.4)', () => {
  it('makes the case of appendix A: one WRITE of 10 bytes from the start of the source area, one-sided', () => {
    const source = direct('+ONE_SIDE_LAUNCH +RC_QP_NUM=2 +DB_NUM=1 +WRITE_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10');
    expect(sendsOf(source, 0, 0, 0)).to.deep.equal([
      {
        opcode: WR_OPCODE.rdmaWrite,
        flags: 0,
        signaled: true,
        imm: 0,
        sges: [{ area: AREA.source, offset: 0, length: 10, region: 1 }],
        remote: [AREA.receive, 0, 0],
      },
    ]);
    expect(sendsOf(source, 1, 1, 0)).to.deep.equal([]);
    expect(regionsOf(source, 0, 0, 0)).to.deep.equal([
      { number: 1, area: 0, offset: 0, length: 10, access: EVERYTHING },
    ]);
    expect(regionsOf(source, 1, 1, 0)).to.deep.equal([
      { number: 0, area: 1, offset: 0, length: 10, access: EVERYTHING },
    ]);
    expect(source.qp(0, 0).peer).to.deep.equal({ host: 1, qp: 1 });
    expect(source.qp(0, 1).peer).to.deep.equal({ host: 1, qp: 0 });
    expect(source.requestCount()).to.equal(2);
  });

  it('places SENDs, the hole of the RECVs, WRITEs and READs in slots of a doorbell', () => {
    // B = 10, G = 3, D = 30, n = 2*2 + 1 + 2 = 7 slots, doorbell 1 starts at 7 * 30 = 210.
    const source = direct(
      '+RC_QP_NUM=2 +DB_NUM=2 +SEND_WQE_NUM=2 +WRITE_WQE_NUM=1 +READ_WQE_NUM=2 +SG_NUM=3 +DATA_CNT=10',
    );
    const sends = sendsOf(source, 0, 0, 1);
    expect(
      sends.map((w) => [w.opcode, w.sges[0]?.area, w.sges.map((s) => s.offset), w.remote.slice(0, 2)]),
    ).to.deep.equal([
      [WR_OPCODE.send, AREA.source, [210, 220, 230], [0, 0]],
      [WR_OPCODE.send, AREA.source, [240, 250, 260], [0, 0]],
      [WR_OPCODE.rdmaWrite, AREA.source, [330, 340, 350], [AREA.receive, 330]],
      [WR_OPCODE.rdmaRead, AREA.receive, [360, 370, 380], [AREA.source, 360]],
      [WR_OPCODE.rdmaRead, AREA.receive, [390, 400, 410], [AREA.source, 390]],
    ]);
    const recvs = recvsOf(source, 1, 1, 1);
    expect(recvs.map((w) => w.sges.map((s) => [s.area, s.offset, s.length]))).to.deep.equal([
      [
        [AREA.receive, 210, 10],
        [AREA.receive, 220, 10],
        [AREA.receive, 230, 10],
      ],
      [
        [AREA.receive, 240, 10],
        [AREA.receive, 250, 10],
        [AREA.receive, 260, 10],
      ],
    ]);
  });

  it('registers S*G + W*G + R*G entries, S*G receives, and W + R remote ranges on every two-sided host', () => {
    const source = direct('+RC_QP_NUM=2 +SEND_WQE_NUM=2 +WRITE_WQE_NUM=3 +READ_WQE_NUM=1 +SG_NUM=4 +DATA_CNT=7');
    const regions = regionsOf(source, 0, 1, 0);
    expect(regions.length).to.equal((2 + 3 + 1) * 4 + 2 * 4 + 3 + 1);
    expect(new Set(regions.map((r) => r.number)).size).to.equal(regions.length);
    expect(regions.filter((r) => r.length === 28).length).to.equal(3 + 1);
  });

  it('leaves out READ on UC, and all but SEND on UD', () => {
    const source = direct('+RC_QP_NUM=2 +UC_QP_NUM=2 +UD_QP_NUM=2 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +READ_WQE_NUM=1');
    expect(sendsOf(source, 0, 0, 0).map((w) => w.opcode)).to.deep.equal([2, 0, 4]);
    expect(sendsOf(source, 0, 2, 0).map((w) => w.opcode)).to.deep.equal([2, 0]);
    expect(sendsOf(source, 0, 4, 0).map((w) => w.opcode)).to.deep.equal([2]);
    expect(source.requestCount()).to.equal(2 * (2 * 3 + 2 * 2 + 2));
  });

  it('puts a GRH entry in front of UD receives, behind all data, and cuts UD messages at the MTU', () => {
    const source = direct('+RC_QP_NUM=0 +UD_QP_NUM=2 +DB_NUM=2 +SEND_WQE_NUM=2 +SG_NUM=3 +DATA_CNT=200 +MTU=512');
    expect(sendsOf(source, 0, 0, 0)[0]?.sges.map((s) => [s.offset, s.length])).to.deep.equal([
      [0, 200],
      [200, 200],
      [400, 112],
    ]);
    const data = 2 * 4 * 600;
    const grh = Math.ceil(data / 64) * 64 + 64;
    const recv = recvsOf(source, 1, 1, 1)[1];
    expect(recv?.sges.map((s) => [s.offset, s.length])).to.deep.equal([
      [grh + 3 * 64, 40],
      [4 * 600 + 600, 200],
      [4 * 600 + 800, 200],
      [4 * 600 + 1000, 112],
    ]);
    expect(source.qp(0, 0).maxSge).to.equal(4);
  });

  it('gives immediate data to a share of SENDs and WRITEs, and each such WRITE a RECV', () => {
    const source = direct('+RC_QP_NUM=2 +DB_NUM=4 +SEND_WQE_NUM=6 +WRITE_WQE_NUM=6 +READ_WQE_NUM=1 +IMM=50');
    let withImm = 0;
    for (let d = 0; d < 4; d++) {
      const sends = sendsOf(source, 0, 0, d);
      withImm += sends.filter((w) => w.opcode === 3 || w.opcode === 1).length;
      const writes = sends.filter((w) => w.opcode === WR_OPCODE.rdmaWriteWithImm).length;
      expect(recvsOf(source, 1, 1, d).length).to.equal(6 + writes);
      expect(sends.filter((w) => w.opcode === WR_OPCODE.rdmaRead && w.imm !== 0)).to.deep.equal([]);
    }
    expect(withImm).to.be.within(14, 34);
  });

  it('registers each area once with granularity qp, and each request with granularity request', () => {
    const line = '+RC_QP_NUM=2 +UD_QP_NUM=1 +SEND_WQE_NUM=2 +WRITE_WQE_NUM=1 +SG_NUM=3 +DATA_CNT=10';
    const qp = direct(`${line} +MR_GRANULARITY=qp`);
    expect(regionsOf(qp, 0, 0, BRING_UP).map((r) => [r.number, r.area, r.offset])).to.deep.equal([
      [0, 0, 0],
      [1, 1, 0],
    ]);
    expect(regionsOf(qp, 0, 0, 0)).to.deep.equal([]);
    expect(sendsOf(qp, 0, 0, 0)[2]?.remote[2]).to.equal(AREA.receive);
    const request = direct(`${line} +MR_GRANULARITY=request`);
    expect(regionsOf(request, 0, 0, 0).length).to.equal(3 + 2 + 1);
    expect(new Set(sendsOf(request, 0, 0, 0)[0]?.sges.map((s) => s.region)).size).to.equal(1);
  });

  it('reaches the end of a 4 GiB area without rounding', () => {
    const source = direct('+RC_QP_NUM=1 +DB_NUM=2 +WRITE_WQE_NUM=2 +SEND_WQE_NUM=0 +SG_NUM=1 +DATA_CNT=268435455');
    expect(sendsOf(source, 0, 0, 1)[1]?.sges[0]?.offset).to.equal(3 * 268435455);
    expect(findCollisions(source)).to.deep.equal([]);
  });

  it('starts PSNs as asked', () => {
    expect(direct('+PSN=5').qp(0, 0).psn).to.equal(5);
    expect(direct('+PSN=wrap').qp(1, 1).psn).to.be.within(0xff_ffff - 24, 0xff_ffff);
    expect(direct('+PSN=random', 3).qp(0, 0).psn).to.not.equal(direct('+PSN=random', 4).qp(0, 0).psn);
  });
});
