import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const EXAMPLE = ['-f', 'lists/ack_queue_example.f'];
/** Of the published figures, us. */
const FIRST = 3.19;
const REPEAT = 1;

describe('The example of the published ACK queue', () => {
  let folder = '';
  let text = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ack-queue-'));
    const out = new CapturedOutput();
    const registry = await loadRegistry();
    expect(await main([...EXAMPLE, '--out', folder], { registry, out, err: out, env: {} }), out.text).to.equal(0);
    ({ text } = out);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has its six moments in their order, with the values of the source', () => {
    const times = [...text.matchAll(/moment (\d) at ([\d.]+)us/g)].map(([, i, time]) => [Number(i), Number(time)]);
    expect(times.map(([i]) => i)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(times.map(([, time]) => time)).to.deep.equal(times.map(([, time]) => time).sort((a = 0, b = 0) => a - b));
    for (const value of ['0x036328fe883a1230', '0x7776757473727170', '0x7ad99e72fbac83a0'])
      expect(text).to.contain(value);
  });

  it('takes as long as the source says, within 5 %', () => {
    const found = /first answer ([\d.]+)us after the request, repeat ([\d.]+)(us|ns)/.exec(text);
    const [, first, repeat, unit] = found ?? [];
    expect(Number(first)).to.be.closeTo(FIRST, 0.05 * FIRST);
    expect(Number(repeat) / (unit === 'ns' ? 1000 : 1)).to.be.closeTo(REPEAT, 0.05 * REPEAT);
  });
});
