import { expect } from 'chai';
import { CMD_STATUS, HCR_OPCODE_MASK } from '../../../../../dut-model/hangu/layout/commands.ts';
import { ACCESS } from '../../../../../rdma/verbs.ts';
import { CommandError, HostApiError } from '../../../../../env/verbs/hostErrors.ts';
import type { HanguSettings } from '../../../../../dut-model/hangu/driver/hanguSettings.ts';
import type { Refusal } from '../../../../../env/verbs/refusal.ts';
import type { Mr, Qp } from '../../../../../env/verbs/verbsObjects.ts';
import { ProviderBench } from '../../support/providerBench.ts';

const PREPARED = '2ERR that is written without its go bit';

/** A queue pair in RTS, a region, and what the NIC must refuse of them. */
class Material {
  readonly bench: ProviderBench;
  readonly qp: Qp;
  readonly mr: Mr;

  constructor(settings: Partial<HanguSettings> = {}) {
    const bench = new ProviderBench({ settings });
    this.bench = bench;
    bench.run(bench.api.openDevice());
    const { pd, qp } = bench.queuePair();
    this.qp = qp;
    const request = { ...bench.api.dataAddress(qp, false), length: 10, access: ACCESS.localWrite };
    this.mr = bench.run(bench.api.regMr(pd, request));
  }

  get refusals(): readonly Refusal[] {
    return this.bench.api.refusals(this.qp, this.mr);
  }

  /** Gives all of them; what is reported of it. */
  give(): readonly string[] {
    const before = this.bench.reports.length;
    for (const { give } of this.refusals) this.bench.run(give());
    return this.bench.reports.slice(before);
  }

  /** Has the NIC end every command with a status. */
  answer(status: number): void {
    for (let opcode = 0; opcode <= HCR_OPCODE_MASK; opcode++) this.bench.nic.status.set(opcode, status);
  }
}

describe('commands that a HanGu NIC must refuse', () => {
  it('are each reported when the NIC says that it has carried them out', () => {
    const material = new Material();
    const reports = material.give();
    const begun = material.refusals.filter(({ what }) => what !== PREPARED);
    expect(reports).to.have.length(begun.length).and.to.have.length.above(35);
    for (const [i, { what }] of begun.entries()) {
      const said = `HCA_CMD_REFUSAL host 0: ${what} must be refused with BAD_`;
      expect(reports[i]?.replace('EXCEED_LIM or ', ''))
        .to.contain(said)
        .and.to.match(/ ended with OK$/);
    }
  });

  it('are reported when the status says something else than what is wrong', () => {
    const material = new Material();
    material.answer(CMD_STATUS.internal);
    expect(material.give()).to.have.length(material.refusals.length);
  });

  it('include one without its go bit, which is reported when the register says that it was begun', () => {
    const material = new Material();
    const prepared = material.refusals.find(({ what }) => what === PREPARED) as Refusal;
    material.bench.run(prepared.give());
    expect(material.bench.reports).to.deep.equal([]);
    material.answer(CMD_STATUS.badParam);
    material.bench.run(prepared.give());
    const said = 'the last dword of the command register reads 0x3000000';
    expect(material.bench.reports).to.deep.equal([`HCA_CMD_REFUSAL host 0: ${PREPARED} must not begin, and ${said}`]);
  });

  it('are not reported when the status says what is wrong', () => {
    const material = new Material();
    const undecodable = material.refusals.filter(({ what }) => what === 'an opcode of no command');
    material.answer(CMD_STATUS.badOp);
    for (const { give } of undecodable) material.bench.run(give());
    expect(material.bench.reports).to.deep.equal([]);
  });

  it('are fewer for a NIC that keeps no account of its queues and keys, or has no event queues', () => {
    const all = new Material().refusals.map(({ what }) => what);
    const quiet = new Material({ events: false }).refusals.map(({ what }) => what);
    const plain = new Material({ commandChecks: false }).refusals.map(({ what }) => what);
    expect(all).to.include.members(quiet);
    expect(quiet).to.include.members(plain);
    expect(all.filter((what) => !quiet.includes(what)).every((what) => /_EQ /.test(what))).to.equal(true);
    expect(plain.join()).not.to.match(/in use|in RTS|behind the table/);
  });

  it('leave no trace in what software keeps: the next command is given as ever', () => {
    const material = new Material();
    const { bench, qp } = material;
    material.give();
    const before = bench.reports.length;
    expect(bench.run(bench.api.queryQp(qp)).destQpn).to.equal(99);
    expect(bench.reports.slice(before)).to.deep.equal([]);
  });

  it('are waited for only so long', () => {
    const material = new Material({ pollLimit: 3 });
    material.bench.nic.busyPolls = 1e9;
    expect(() => material.give()).to.throw(CommandError, 'no answer');
    expect(material.bench.reports.at(-1)).to.match(/^HCA_CMD_TIMEOUT/);
  });

  it('must not show their status before they have ended', () => {
    const material = new Material();
    material.bench.nic.busyPolls = 1;
    material.bench.nic.earlyStatus = CMD_STATUS.badOp;
    expect(material.give()[0]).to.match(/^HCA_CMD_EARLY_STATUS/);
  });

  it('are none for a queue pair that is not in RTS', () => {
    const { bench, qp, mr } = new Material();
    bench.run(bench.api.modifyQp(qp, { state: 6 }));
    expect(() => bench.api.refusals(qp, mr)).to.throw(HostApiError, /in ERR; take it to RTS first/);
  });
});
