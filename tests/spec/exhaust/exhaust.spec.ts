/** Exhaustive plays, as a user starts them. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseKinds, placementText, seconds, singles } from '../../../bin/exhaust/placement.ts';
import { main } from '../../../bin/hcaRegress.ts';
import { main as hcaTest } from '../../../bin/hcaTest.ts';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { builtWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('places of faults', () => {
  const frames = [1, 1, 2, 2].map((n, i) => ({
    host: i % 2,
    ordinal: n,
    to: 1 - (i % 2),
    time: i,
    opcode: 4,
    psn: i,
    qpn: 9,
  }));
  const { kinds } = parseKinds('drop, duplicate, delay by=3us');

  it('are every frame with every kind', () => {
    expect(singles(frames, kinds).map((spot) => placementText([spot])))
      .to.have.length(12)
      .and.include.members([
        'drop host=0 frame=1',
        'duplicate host=1 frame=2 after=500ns',
        'delay host=0 frame=2 by=3us',
      ]);
  });

  it('are for a second fault those behind the first one, of kinds that may come in pairs', () => {
    fc.assert(
      fc.property(fc.nat(frames.length - 1), fc.nat(kinds.length - 1), (at, k) => {
        const { host, ordinal } = frames[at] as (typeof frames)[number];
        const kind = kinds[k] as (typeof kinds)[number];
        const behind = seconds({ host, ordinal, kind }, frames, kinds);
        expect(behind).to.have.length(kind.startsWith('delay') ? 0 : 2 * (frames.length - 1 - at));
        for (const spot of behind) {
          const place = frames.findIndex((f) => f.host === spot.host && f.ordinal === spot.ordinal);
          expect(place).to.be.above(at);
        }
      }),
    );
  });

  it('are refused for kinds that say which frame, or are about many', () => {
    const problemsOf = (text: string): string => parseKinds(text).problems.join('\n');
    expect(problemsOf('drop,lose')).to.match(/--kinds lose \(command line\): there is no action lose/);
    expect(problemsOf('drop host=1')).to.match(/host: every frame gets its turn/);
    expect(problemsOf('link_down')).to.match(/link_down/);
    expect(problemsOf(';')).to.match(/names no action/);
    expect(parseKinds('delay by=exponential(2us); drop').kinds).to.deep.equal(['delay by=exponential(2us)', 'drop']);
  });
});

describe('hca_regress exhaust', () => {
  let registry: Registry;
  let workers: WorkerPrograms;
  let folder = '';
  before(async () => {
    registry = await loadRegistry();
    workers = builtWorkers('bin/exhaust/placementPlayer');
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'exhaust-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function exhaust(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['exhaust', ...words], { ...workers, registry, out, err });
    return { code, out: out.text, err: err.text };
  }

  it('plays a scenario with each fault and each pair, and goes on where it was cut off', async () => {
    const o = join(folder, 'o');
    const whole = await exhaust(
      'exhaustive',
      '--filter',
      'send_one',
      '--kinds',
      'drop,duplicate',
      '-j',
      '1',
      '--out',
      o,
    );
    expect(whole.err).to.equal('');
    const [statement] = /\d+ placements of up to two faults in 1 scenario, .*/.exec(whole.out) ?? [''];
    expect([whole.code, statement]).to.deep.equal([0, statement.replace(/:.*/, ': all pass')]);
    const units = readFileSync(join(o, 'units.jsonl'), 'utf8');
    writeFileSync(join(o, 'units.jsonl'), units.slice(0, units.length * 0.6));
    const again = await exhaust('--resume', o, '-j', '1');
    expect([again.code, again.out]).to.satisfy(
      ([code, out]: [number, string]) => code === 0 && out.includes(statement),
    );
    const other = await exhaust('--resume', o, '--faults', '1', '+MTU=512');
    expect([other.code, other.err]).to.satisfy(([code]: [number]) => code === 2);
    expect(other.err).to.contain('--faults (command line): --resume goes on').and.contain('+MTU=512 (command line)');
  });

  for (const [bug, scenario] of [
    ['retry_other_payload', 'write_one'],
    ['timeout_skips_oldest', 'send_several'],
  ] as const)
    it(`finds ${bug}, which only shows where a frame is lost, and leaves a file that shows it again`, async () => {
      const o = join(folder, 'o');
      const words = ['exhaustive', '--filter', scenario, '--faults', '1', '--kinds', 'drop'];
      const { code, out } = await exhaust(...words, '-j', '1', '--out', o, `+DUT_FAULT=${bug}`);
      expect(code, out).to.equal(1);
      const [, id] = /drop host=\d frame=\d+: fails with \[(\w+)\]/.exec(out) ?? [];
      const [, line = ''] = /^ {2}(\.\/hca_test .*)$/m.exec(out) ?? [];
      expect(readdirSync(o)).to.include(`${scenario}-1.yaml`);
      const shown = new CapturedOutput();
      const argv = [...line.split(' ').slice(1), '--out', join(folder, 'again')];
      expect(await hcaTest(argv, { registry, out: shown, err: shown, env: {} }), shown.text).to.equal(1);
      expect(shown.text).to.contain(`[${id}]`);
    });

  it('says of planted bugs which placement finds each, and of those that none finds', async () => {
    const words = ['exhaustive', '--filter', 'send_one', '--kinds', 'drop', '--bugs', 'gap_overlooked,cnp_unmarked'];
    const { code, out, err } = await exhaust(...words);
    expect(err).to.equal('');
    expect(out).to.match(/gap_overlooked.*WIRE_MSN.*send_one.*drop host=0 frame=1/);
    expect(out).to.match(/cnp_unmarked: not found/);
    expect(out).to.contain('1 of 2 planted bugs found by single faults in 1 scenario');
    expect(code, out).to.equal(0);
  });

  it('refuses what is no scenario, has too many frames, or asks for too much', async () => {
    const refusal = async (...words: string[]): Promise<string> => {
      const { code, err } = await exhaust(...words, '--out', join(folder, 'o'));
      expect([code, readdirSync(folder)]).to.deep.equal([2, []]);
      return err;
    };
    expect(await refusal('exhaustiv')).to.contain('did you mean the shipped list exhaustive?');
    expect(await refusal('exhaustive', '--faults', '3')).to.contain('--faults 3 (command line): allowed: 1 or 2');
    expect(await refusal('exhaustive', '--filter', 'send_one', '--max-frames', '2')).to.match(
      /send_one: has 4 frames, of which 2 are permitted, and would take about \d+ runs/,
    );
    expect(await refusal()).to.contain('needs a scenario file or a list');
  });
});
