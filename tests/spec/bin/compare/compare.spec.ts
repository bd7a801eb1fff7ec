import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compare } from '../../../../bin/compare/compare.ts';
import { Registries } from '../../../../bin/registries.ts';
import { loadRegistry, type Registry } from '../../../../bin/registry.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

const LIST = `
description: Work for a comparison
defaults: { plusargs: { UC_QP_NUM: 0, UD_QP_NUM: 0, RC_QP_NUM: 2 } }
tests:
  - name: work
    test: test_direct_param
    plusargs: { WRITE_WQE_NUM: 4, READ_WQE_NUM: 4, SEND_WQE_NUM: 4, RECV_WQE_NUM: 4, DATA_CNT: 700, IMM: 50 }
  - name: refused
    test: test_sequence
    plusargs: { UVM_TEST_SEQ: narrow_regions, RC_QP_NUM: 6 }
  - name: datagrams
    test: test_direct_param
    plusargs: { UD_QP_NUM: 1, SEND_WQE_NUM: 1, RECV_WQE_NUM: 1 }
`;

describe('hca_regress compare', () => {
  let registry: Registry;
  let folder = '';
  let list = '';
  before(async () => {
    registry = await loadRegistry();
    folder = mkdtempSync(join(tmpdir(), 'compare-'));
    list = join(folder, 'list.yaml');
    writeFileSync(list, LIST);
  });
  after(() => rmSync(folder, { recursive: true }));

  let number = 0;
  async function compared(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const open = (): Promise<Registries> => Promise.resolve(new Registries(registry, () => {}));
    const code = await compare([...words, '--out', join(folder, `${number++}`)], open, { out, err });
    return { code, out: out.text, err: err.text };
  }

  const only = (name: string): string[] => [list, '--filter', name];

  it('plays the work of one kind on another and lays what was seen side by side', async () => {
    const { code, out } = await compared(...only('work'), '--dut', 'hangu,blue');
    expect(code, out).to.equal(0);
    expect(out).to.match(/^ +hangu +blue$/m);
    expect(out).to.match(/^ completions +(\d+) +\1$/m);
    expect(out).to.match(/^ statuses +\d+ SUCCESS +\d+ SUCCESS$/m);
    expect(out).to.match(/^ simulated time +\S+ +\S+$/m);
    expect(out).to.match(/compared: \d+ of \d+ scenarios? on hangu, blue; 0 findings/);
  });

  it('names what a planted bug makes different, without any other check', async () => {
    const run = await compared(
      ...only('work'),
      '--dut',
      'blue,hangu',
      '+DUT_FAULT=cqe_byte_count',
      '+CHECKS=0',
      '--quiet',
    );
    expect(run.code, run.out).to.equal(1);
    expect(run.out).to.match(
      /FINDING bytes: host \d process \d RC queue pair \d, receives: .* length: blue \d+, hangu \d+/,
    );
    expect(run.out).to.contain('again: ').and.contain('+DUT=hangu');
  });

  it('compares the bytes that are in memory', async () => {
    const run = await compared(
      ...only('work'),
      '--dut',
      'blue,hangu',
      '+DUT_FAULT=payload_dropped',
      '+CHECKS=0',
      '--quiet',
    );
    expect(run.code, run.out).to.equal(1);
    expect(run.out).to.contain('bytes in memory');
  });

  it('says by which field of a kind a status may differ', async () => {
    const { code, out } = await compared(...only('refused'), '--dut', 'hangu,blue');
    expect(code, out).to.equal(0);
    expect(out).to.match(
      /allowed by (capabilities\.naks|profile\.refusesInSilence): .*hangu REM_ACCESS_ERR, blue RETRY_EXC_ERR/,
    );
  });

  it('says which scenario a kind cannot play, and why', async () => {
    const { code, out } = await compared(...only('datagrams'), '--dut', 'hangu,blue');
    expect(code, out).to.equal(3);
    expect(out).to.contain('was not played');
  });

  it('gives what was found as data', async () => {
    const { out } = await compared(...only('work'), '--dut', 'hangu,blue', '--format', 'json');
    const [first] = JSON.parse(out) as { runs: { dut: string; verdict: string; figures: Record<string, string> }[] }[];
    expect(first?.runs.map(({ dut, verdict }) => `${dut} ${verdict}`)).to.deep.equal(['hangu passed', 'blue passed']);
    expect(first?.runs[0]?.figures['completions']).to.equal(first?.runs[1]?.figures['completions']);
  });

  it('refuses what it cannot do, with what to write', async () => {
    expect((await compared(list, '--dut', 'hangu')).err).to.contain('name two kinds of NIC or more');
    expect((await compared(list, '--dut', 'hangu,blu')).err)
      .to.contain('--dut blu')
      .and.contain('blue');
    expect((await compared('--dut', 'hangu,blue')).err).to.contain('needs a scenario file or a list');
    expect((await compared(list, '--dut', 'hangu,blue', '+DUT=blue')).err).to.contain('leave +DUT out');
  });
});
