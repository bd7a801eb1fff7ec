import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readFaultFile } from '../../../agents/link/faults/file/faultFile.ts';
import { SELECTION_KEYS } from '../../../agents/link/faults/rule/faultRule.ts';
import { PCIE_SELECTION_KEYS } from '../../../agents/pcie/faults/rule/pcieRule.ts';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { writeExamples } from '../support/pageExamples.ts';

describe('docs/faults.md', () => {
  const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');
  let folder = '';
  let files = new Map<string, string>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    files = writeExamples('docs/faults.md', folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('names everything that a rule may select by', () => {
    for (const key of [...Object.keys(SELECTION_KEYS), ...Object.keys(PCIE_SELECTION_KEYS)])
      expect(page).to.match(new RegExp(`[\`| ]${key}=`));
  });

  it('has files without a mistake', () => {
    const [rules, packets] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => {
      const path = join(folder, 'faults.yaml');
      writeFileSync(path, yaml);
      return readFaultFile(path);
    });
    expect(rules).to.deep.include({ problems: [] });
    expect(rules?.rules).to.have.length(4);
    expect(packets).to.deep.include({ problems: [] });
    expect(packets?.inject).to.have.length(3);
  });

  it('has commands that run and pass, with what it shows of them', async () => {
    const registry = await loadRegistry();
    const own = await Promise.all(
      [...files.values()].map((file) => import(pathToFileURL(file).href) as Promise<object>),
    );
    const made = own.flatMap((module) => Object.values(module) as ({ typeName: string } & (new () => object))[]);
    expect(made.map(({ typeName }) => typeName)).to.deep.equal(['lost_answer', 'forged_write']);
    for (const sequence of made) registry.factory.register(sequence.typeName, sequence);
    const listed = made.map(({ typeName: name }) => ({ name, description: '', file: '' }));
    const sequences = [...registry.sequences, ...listed];
    const lines = [...page.matchAll(/^ {4}\.\/hca_test (.*)$/gm)].map(([, line = '']) => line);
    expect(lines).to.have.length(8);
    const texts: string[] = [];
    for (const line of lines) {
      const output = new CapturedOutput();
      const words = (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
      const argv = [...words, '--out', join(folder, 'out')];
      const code = await main(argv, { registry: { ...registry, sequences }, out: output, err: output, env: {} });
      expect(code, output.text).to.equal(0);
      texts.push(output.text);
    }
    const all = texts.join('\n');
    expect(all).to.match(/'drop host=1 opcode=ack nth=2' \(\+NET_FAULT\) acted on 1 of \d+ frames/);
    expect(all).to.match(/\(sequence lost_answer\) acted on 5 of 10 frames, 5 times the same rule/);
    const shown = /```\n(drop host=1 opcode=ack nth=2 \(\+NET_FAULT\): 1 frame\n.*\n)```/.exec(page)?.[1];
    expect(all).to.contain(shown);
  });
});
