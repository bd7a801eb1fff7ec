import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import type { ExplicitScenario } from '../../../config/scenario/file/explicitScenario.ts';
import { playOn } from '../tests/harness.ts';

describe('docs/scenario-file.md', () => {
  const page = readFileSync(new URL('../../../docs/scenario-file.md', import.meta.url), 'utf8');
  const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] as string;
  let folder = '';
  let registry: Registry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    registry = await loadRegistry();
  });
  after(() => rmSync(folder, { recursive: true }));

  function play(text: string): RunResult & { readonly log: string } {
    const file = join(folder, 'scenario.json');
    writeFileSync(file, text);
    return playOn(registry, 'test_direct_param', `+SCENARIO=${file}`);
  }

  it('has an example that passes, with the work that the page says', () => {
    const run = play(example);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.contain('2 requests, 1 receive, 80 bytes');
  });

  it('says rightly that a remote range outside its region must be refused', () => {
    const run = play(example.replace('"at": 3 }', '"at": 90 }'));
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.match(
      /\[ERROR_COMPLETIONS\] .* first wrId \d+ of the \w+ queue of host \d QP \d+ with [A-Z_]+;/,
    );
  });

  it('names every field', () => {
    const { hosts, ...rest } = JSON.parse(example) as ExplicitScenario;
    const [{ cqs, qps }] = hosts as [ExplicitScenario['hosts'][number]];
    const [{ doorbells, regions, ...qp }] = qps as [(typeof qps)[number]];
    const levels = [
      rest,
      cqs[0],
      qp,
      regions[0],
      doorbells[0],
      doorbells[0]?.sends[0],
      { imm: 0, solicited: 0, fence: 0 },
    ];
    const fields = new Set(levels.flatMap((level) => Object.keys(level ?? {})));
    for (const field of fields) expect(page, field).to.match(new RegExp(`^\\| .*\`${field}\`.*\\|`, 'm'));
  });
});
