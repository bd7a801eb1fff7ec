/** Runs whose process dies: what they have left on disk while they went on becomes their page. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { callOf } from '../../../../bin/calledAs.ts';
import { parseTestCommand } from '../../../../bin/cli/commands/testCommand.ts';
import { salvage } from '../../../../bin/many/salvage.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import { loadCommand } from '../../../../bin/run/loadedCommand.ts';
import { type PlayOne, playCommand } from '../../../../bin/run/playCommand.ts';
import { openRun } from '../../../../bin/run/runOne.ts';
import type { RunHooks } from '../../../../bin/run/runSpec.ts';
import { currentVersions, projectRoot } from '../../../../bin/versions.ts';
import { readRunRecord } from '../../../../regress/readRunRecord.ts';

const LINE =
  '+UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=2 +UD_QP_NUM=0 +SEND_WQE_NUM=20 +DATA_CNT=64 +DATA_UNIT=KB --seed 3';
const DEATH = 'the process was killed by SIGSEGV';

describe('the page of a run whose process died', () => {
  let out = '';
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'cut-short-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));

  const job = (argv: readonly string[]) => ({
    id: 'dies-s3',
    family: 'dies',
    title: '',
    argv,
    cwd: process.cwd(),
    where: 'list.yaml:1:1',
    timeoutSeconds: 0,
  });

  function salvaged(argv: readonly string[]): { page: string; folder: string } {
    const end = { status: 'crashed', message: DEATH, wallMs: 10 } as const;
    const settings = { out, keep: 'failures' } as const;
    const { folder = '' } = salvage(job(argv), end, settings, currentVersions(projectRoot()));
    return { page: readFileSync(join(folder, 'failure.md'), 'utf8'), folder };
  }

  /** Plays a run as another try of one whose process has died, and keeps its folder as it was in the middle. */
  async function leftBehind(argv: readonly string[]): Promise<void> {
    const folder = join(out, 'live');
    let looks = 0;
    let plays = 0;
    // What is played once more has left its record already.
    const look = (): void => {
      if (plays > 1) return;
      looks++;
      cpSync(folder, join(out, 'runs/dies-s3'), { recursive: true });
    };
    const play: PlayOne = (spec, registry, hooks, bytes) => {
      plays++;
      const heartbeat: RunHooks['heartbeat'] = (progress) => {
        const end = hooks.heartbeat?.(progress);
        look();
        return end;
      };
      const sink = (text: string): void => {
        hooks.sink(text);
        look();
      };
      return openRun(spec, registry, { ...hooks, heartbeat, sink }, bytes);
    };
    const registry = await loadRegistry();
    const command = loadCommand(parseTestCommand(argv, {}, process.cwd()), process.cwd());
    const named = { id: 'dies-s3', argv, folder, call: callOf(job(argv), process.cwd()) };
    const versions = currentVersions(projectRoot());
    const kept = { keep: 'failures', pageAtOnce: true, onExit: () => {}, play } as const;
    mkdirSync(folder);
    await playCommand(command, { registry, versions, ...named, ...kept });
    expect(looks).to.be.at.least(2);
  }

  it('has what its second try has left on disk: the latest events, and how the process ended', async () => {
    const argv = LINE.split(' ');
    await leftBehind(argv);
    const { page, folder } = salvaged(argv);
    expect(page)
      .to.match(/^# CRASHED: test_direct_param, seed 3\n/)
      .and.contain(DEATH);
    expect(page).to.match(/\n +[\d.]+ns {2}host [01]: \w+/);
    const record = readRunRecord(folder);
    expect([record.signature?.id, record.failure?.id]).to.deep.equal(['CRASHED', 'CRASHED']);
    expect(record.simulatedTimePs).to.be.above(0);
    expect(record.failure?.lines.length).to.be.equal(40);
  });

  it('keeps an error that was found before', async () => {
    const argv = [
      ...LINE.replace('+DATA_CNT=64 +DATA_UNIT=KB', '+DATA_CNT=10 +DATA_UNIT=B').split(' '),
      '+DUT_FAULT=cqe_byte_count',
    ];
    await leftBehind(argv);
    const { page } = salvaged(argv);
    expect(page).to.match(/^# SCB_BYTE_LEN: /);
    expect(page).to.match(/The run ended at .* by \[CRASHED\] the process was killed by SIGSEGV/);
  });

  it('has the last lines of its log where nothing else was left', () => {
    mkdirSync(join(out, 'runs/dies-s3'), { recursive: true });
    writeFileSync(join(out, 'runs/dies-s3/run.log'), 'UVM_INFO @ 0ns: reporter [RNTST] Running test\n');
    const { page } = salvaged(LINE.split(' '));
    expect(page).to.match(/^# CRASHED: [\s\S]*killed by SIGSEGV\n\nThe last lines of its log:\nUVM_INFO @ 0ns/);
  });
});
