import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main as hcaTest } from '../../../bin/hcaTest.ts';
import { main as hcaRegress } from '../../../bin/hcaRegress.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('docs/writing-a-covergroup.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'covergroup-'));
  after(() => rmSync(folder, { recursive: true }));

  it('has a sequence that is measured by its own covergroup, outside the tree as the page says', async () => {
    const page = readFileSync(new URL('../../../docs/writing-a-covergroup.md', import.meta.url), 'utf8');
    const source = /```ts\n([\s\S]*?)```/.exec(page)?.[1] as string;
    const text = source
      .replace(/'..\/..\/(\w+)\/[^']+'/g, "'rnic-verify/$1'")
      .replace(/'..\/user\/[^']+'/g, "'rnic-verify/sequences'");
    writeFileSync(join(folder, 'burstSizes.ts'), text);
    const said = new CapturedOutput();
    const line = /\.\/hca_test (\+TEST_PATH=mine .*) --out out\/burst/.exec(page)?.[1] as string;
    const argv = [...line.replace('=mine', `=${folder}`).split(' '), '--out', join(folder, 'out'), '-q'];
    expect(await hcaTest(argv, { out: said, err: said, env: {} }), said.text).to.equal(0);
    const [run = ''] = readdirSync(join(folder, 'out'));
    const shown = new CapturedOutput();
    const asked = ['coverage', join(folder, 'out', run), '--only', 'burst_cg', '--bins', '--holes'];
    expect(await hcaRegress(asked, { out: shown, err: said })).to.equal(0);
    expect(shown.text).to.match(/burst_cg\.count\.(?:one|few|many) +[1-9]/);
    expect(shown.text).to.match(/Holes: \d+/);
  });
});
