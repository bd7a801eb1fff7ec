/** Fault rules of PCIe: how they are written, and whole runs under them, as a user starts them. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readFaultFile } from '../../../agents/link/faults/file/faultFile.ts';
import { injectionText, parseInjection } from '../../../agents/link/inject/injectRule.ts';
import { parsePcieRule, pcieRuleText } from '../../../agents/pcie/faults/rule/pcieLanguage.ts';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const RC = ['+RC_QP_NUM=2', '+SEND_WQE_NUM=2', '+WRITE_WQE_NUM=2', '+READ_WQE_NUM=2', '+DATA_CNT=3000', '+MTU=1024'];
const QUICK = '+ACK_TIMEOUT=5';
const HARMLESS = ['split area=data', 'reorder every=3 by=1us..9us', 'delay every=5 by=2us', 'back_pressure every=4'];

function mistakesOf(text: string): string {
  return parsePcieRule(text)
    .mistakes.map(({ message }) => message)
    .join('; ');
}

describe('fault rules of PCIe', () => {
  let registry: Registry;
  let folder = '';

  before(async () => {
    registry = await loadRegistry();
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function play(...plusargs: readonly string[]): RunResult & { readonly log: string } {
    const log: string[] = [];
    const testName = 'test_direct_param';
    const spec = { testName, seed: 1, plusargs: [`+UVM_TESTNAME=${testName}`, ...RC, ...plusargs] };
    const result = runOne(spec, registry, { sink: (text) => log.push(text) });
    return { ...result, log: log.join('\n') };
  }

  it('are written in one form that is read back to the same rule', () => {
    for (const text of [
      'ur host=0 area=data nth=3',
      'poison kind=write area=data every=7 optional',
      'reorder kind=read area=queue,data qpn=14 by=1us..5us',
      'lose kind=msix request=12',
    ])
      expect(pcieRuleText(parsePcieRule(text).rule as never)).to.equal(text);
  });

  it('say what is wrong and what would be right', () => {
    expect(mistakesOf('ur kind=write')).to.match(/ur is for read; write kind=read/);
    expect(mistakesOf('poison kind=write')).to.match(/write area=data/);
    expect(mistakesOf('delay by=1ms')).to.match(/longer than 100us.*write lose/);
    expect(mistakesOf('abort')).to.match(/there is no action abort.*one of delay, ur, ca/);
    expect(mistakesOf('ca aera=data')).to.match(/did you mean area/);
  });

  it('stand in files, with line and column of each mistake', () => {
    const path = join(folder, 'f.yaml');
    writeFileSync(
      path,
      'pcie:\n  - ur: { host: 0, are: data }\ninject:\n  - { at: 1us, from: 0, to: 0, qp: 1, opcode: cnp }\n',
    );
    const { problems } = readFaultFile(path);
    expect(problems.map((p) => p.replace(path, 'f.yaml'))).to.have.length(2);
    expect(problems[0]).to.match(/f\.yaml:2:20: are=data: there is no are here/);
    expect(problems[1]).to.match(/f\.yaml:4:25: to=0: a packet goes to another host/);
  });

  it('change nothing but time where they make answers late, cut or disorder them', () => {
    for (const rule of HARMLESS) {
      const run = play(`+PCIE_FAULT=${rule}`);
      expect([run.verdict, run.counts['error_completions']], `${rule}\n${run.log}`).to.deep.equal(['passed', 0]);
    }
  });

  it('leave a run as it is, bit for bit, where none acts', () => {
    const { hash } = play().transcript;
    expect(play('+PCIE_FAULT=ur area=other optional').transcript.hash).to.equal(hash);
  });

  it('end what fails as the judge foretells', () => {
    for (const rule of ['ur host=0 area=data nth=2', 'lose host=1 area=queue nth=3', 'poison host=1 area=data nth=1']) {
      const run = play(`+PCIE_FAULT=${rule}`, QUICK);
      expect(run.verdict, `${rule}\n${run.log}`).to.equal('passed');
      expect(run.counts['error_completions'], rule).to.be.greaterThan(0);
    }
  });

  it('leave the range of a poisoned write to nobody', () => {
    const run = play('+PCIE_FAULT=poison kind=write area=data nth=1..3', QUICK);
    expect([run.verdict, run.counts['error_completions']], run.log).to.deep.equal(['passed', 0]);
  });

  it('fail a run in which one that must act does not', () => {
    expect(play('+PCIE_FAULT=ur area=data nth=100000').signature?.id).to.equal('FAULT_NOT_FIRED');
  });

  it('are played again from the record as they were drawn', async () => {
    const output = new CapturedOutput();
    const tell = { registry, out: output, err: output, env: {} };
    const faults = ['+PCIE_FAULT=ca area=data probability=5%; delay by=1us..5us probability=5%', QUICK];
    await main(['+UVM_TESTNAME=test_direct_param', ...RC, ...faults, '--out', join(folder, 'a')], tell);
    const path = join(folder, 'a', readdirSync(join(folder, 'a'))[0] as string, 'run.json');
    const { pcie = [] } = readRunRecord(path).faults ?? {};
    expect(pcie.map(({ fired, schedule }) => fired > 0 && schedule?.length === fired)).to.deep.equal([true, true]);
    expect(await main(['--replay', path, '--out', join(folder, 'b')], tell), output.text).to.equal(0);
  });
});

describe('packets that a run injects', () => {
  it('are written in one form that is read back to the same packet', () => {
    const text = 'inject at=60us from=0 to=1 opcode=write_only qp=0 relpsn=2 payload=64 r_key=5 icrc=wrong';
    expect(injectionText(parseInjection(text).rule as never)).to.equal(text);
  });

  it('say what is wrong', () => {
    const said = (text: string): string =>
      parseInjection(text)
        .mistakes.map(({ message }) => message)
        .join('; ');
    expect(said('inject at=1us from=0 to=1 opcode=cnp')).to.match(/one of qp= .* and qpn=/);
    expect(said('inject at=1us from=0 to=1 qp=0 opcode=sendonly')).to.match(/did you mean send_only/);
    expect(said('inject from=0 to=1 qp=0 opcode=cnp')).to.match(/needs at=/);
  });
});
