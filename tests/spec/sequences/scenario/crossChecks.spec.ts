import { expect } from 'chai';
import { crossChecks } from '../../../../config/scenario/file/crossChecks.ts';
import { DirectSource } from '../../../../config/scenario/drawn/directSource.ts';
import { explicitForm } from '../../../../config/scenario/file/dumpScenario.ts';
import type { ExplicitScenario } from '../../../../config/scenario/file/explicitScenario.ts';
import { configOf } from '../testConfig.ts';

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };
type Draft = Mutable<ExplicitScenario>;
type DraftQp = Draft['hosts'][number]['qps'][number];
type DraftBell = DraftQp['doorbells'][number];

/** Host 0: queue pairs 0 and 1 RC, 2 and 3 UC, 4 and 5 UD; each of the first doorbell sends one request per opcode. */
const LINE =
  '+RC_QP_NUM=2 +UC_QP_NUM=2 +UD_QP_NUM=2 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +READ_WQE_NUM=1 +DATA_CNT=10 ' +
  '+MR_GRANULARITY=qp';

/** Mistakes of the sample after a change, as `path: message`. */
function mistakes(change: (scenario: Draft) => unknown, line = LINE): string[] {
  const scenario = structuredClone(explicitForm(new DirectSource(configOf(line), 1))) as Draft;
  change(scenario);
  return crossChecks(scenario as ExplicitScenario).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function qp(scenario: Draft, index: number): DraftQp {
  return scenario.hosts[0]?.qps[index] as DraftQp;
}

function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

function bell(scenario: Draft, index: number): DraftBell {
  return qp(scenario, index).doorbells[0] as DraftBell;
}

function request(scenario: Draft, index: number, opcode: string): DraftBell['sends'][number] {
  return bell(scenario, index).sends.find((s) => s.opcode === opcode) as DraftBell['sends'][number];
}

describe('crossChecks', () => {
  it('finds nothing in what the dump writes', () => {
    expect(mistakes(() => undefined)).to.deep.equal([]);
  });

  it('refuses entries and receives that leave their region', () => {
    const place = 'hosts.0.qps.0.doorbells.0';
    const found = mistakes((s) => {
      const region = qp(s, 0).regions[0] as DraftQp['regions'][number];
      at(request(s, 0, 'SEND').sges, 0).at = region.length - 3;
      at(at(bell(s, 0).recvs, 0).sges, 0).at = -1;
    });
    expect(found[0]).to.match(
      new RegExp(`^${place}.sends.\\d.sges.0.length: bytes \\d+..\\d+ are outside region 0, which has`),
    );
    expect(found[1]).to.match(new RegExp(`^${place}.recvs.0.sges.0.at: bytes -1..8 are outside region 1`));
  });

  it('refuses what is written into without the right', () => {
    const found = mistakes((s) => {
      for (const region of qp(s, 0).regions) region.access = region.access.filter((name) => name === 'remoteRead');
    });
    expect(found.join('\n')).to.contain('a receive needs localWrite').and.contain('a READ needs localWrite');
  });

  it('refuses a receive that is shorter than its message, with the GRH on UD', () => {
    for (const [index, need] of [
      [0, 10],
      [2, 10],
      [4, 50],
    ] as const) {
      const [found] = mistakes((s) => {
        at(at(bell(s, index).recvs, 0).sges, 0).length--;
      });
      expect(found).to.equal(
        `hosts.0.qps.${index}.doorbells.0.recvs.0: ${need - 1} bytes, but the message that it takes needs ${need}`,
      );
    }
  });

  it('refuses a region that is registered after its use', () => {
    const found = mistakes(
      (s) => {
        const bells = qp(s, 0).doorbells;
        at(bells, 1).regions.push(...at(bells, 0).regions.splice(0));
      },
      `${LINE} +DB_NUM=2 +MR_GRANULARITY=sg`.replace('+MR_GRANULARITY=qp', ''),
    );
    expect(found.join('\n')).to.contain('is registered later, with doorbell 1');
  });

  it('refuses regions that leave their area and rights that the host API refuses', () => {
    const found = mistakes((s) => {
      at(qp(s, 1).regions, 0).offset = 2 ** 32 - 1;
      at(qp(s, 3).regions, 1).access = ['remoteWrite'];
    });
    expect(found[0]).to.contain('hosts.0.qps.1.regions.0.length').and.contain('leave the area of 4294967296 bytes');
    expect(found.join('\n')).to.contain('hosts.0.qps.3.regions.1.access: remoteWrite needs localWrite as well');
  });

  it('refuses peers on one host, and ends with different MTUs', () => {
    const local = mistakes((s) => {
      qp(s, 0).peer = { host: 0, qp: 1 };
      qp(s, 1).peer = { host: 0, qp: 0 };
    });
    expect(local.join('\n')).to.contain('hosts.0.qps.0.peer: it is on host 0 too');
    expect(mistakes((s) => Object.assign(qp(s, 0), { mtu: 512 }))[0]).to.equal(
      'hosts.0.qps.0.mtu: 512, but the peer has 4096; both ends need the same',
    );
    expect(mistakes((s) => Object.assign(qp(s, 4), { mtu: 512 }))).to.deep.equal([]);
  });

  it('refuses completion queues of another process, and those that overflow', () => {
    expect(mistakes((s) => Object.assign(qp(s, 0), { sendCq: 1 }))[0]).to.equal(
      'hosts.0.qps.0.sendCq: completion queue 1 is of process 2, the queue pair of 1',
    );
    expect(mistakes((s) => Object.assign(at(at(s.hosts, 0).cqs, 0), { entries: 3 }))[0]).to.equal(
      'hosts.0.cqs.0.entries: 3, but a doorbell brings up to 4 completions',
    );
  });

  it('refuses inline data that do not fit, and those of a READ', () => {
    const inline = (opcode: string, maxInline?: number) => (s: Draft) => {
      if (maxInline !== undefined) qp(s, 0).maxInline = maxInline;
      request(s, 0, opcode).inline = true;
    };
    expect(mistakes(inline('SEND', 10))).to.deep.equal([]);
    expect(mistakes(inline('RDMA_WRITE', 9))[0]).to.match(/inline: 10 bytes, more than maxInline 9 of the queue pair/);
    expect(mistakes(inline('SEND'))[0]).to.match(/inline: 10 bytes, more than maxInline 0 of the queue pair/);
    expect(mistakes(inline('RDMA_READ', 10))[0]).to.contain('RDMA_READ has no data to be inline');
  });

  it('allows RDMA on RC that a NIC is to refuse, and not on UC, where nobody hears of it', () => {
    const beyond = (index: number) => (s: Draft) => {
      request(s, index, 'RDMA_WRITE').remote = { region: 1, at: 2 ** 20 };
    };
    expect(mistakes(beyond(0))).to.deep.equal([]);
    expect(mistakes(beyond(2))[0]).to.contain('UC has no answer for that, use RC');
    const denied = (index: number) => (s: Draft) => {
      for (const region of at(at(s.hosts, 1).qps, index).regions) region.access = ['localWrite'];
    };
    expect(mistakes(denied(1))).to.deep.equal([]);
    expect(mistakes(denied(3))[0]).to.contain('RDMA_WRITE needs remoteWrite there');
  });

  it('refuses parameters that do not exist, that have no such value, or that a scenario decides itself', () => {
    const found = mistakes((s) => {
      s.parameters = {
        PCIE_MSP: '256',
        PCIE_MPS: '257',
        HOST_NUM: '3',
        MTU: '256',
        NIC_MPT_CACHE: 'many',
        LINK_GBPS: '25',
        NIC_QPC_CACHE: '16',
      };
    });
    expect(found).to.have.length(5);
    expect(found[0]).to.equal('parameters.PCIE_MSP: there is no such parameter; did you mean PCIE_MPS?');
    expect(found[1]).to.contain('parameters.PCIE_MPS: "257" is not a legal size').and.contain('256');
    expect(found[2]).to.equal('parameters.HOST_NUM: a scenario file cannot bring it; leave it out');
    expect(found[3]).to.contain('change "mtu" there');
    expect(found[4]).to.contain('parameters.NIC_MPT_CACHE: "many" is not a number');
  });
});
