import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import * as hcaTest from '../../../bin/hcaTest.ts';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { FailureDatabase } from '../../../regress/failures/failureDatabase.ts';
import { JournalWriter } from '../../../regress/journal.ts';
import type { Job } from '../../../regress/job.ts';
import { builtWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

const SMALL =
  '+HOST_NUM=2 +DB_NUM=1 +RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0 +SEND_WQE_NUM=4 +READ_WQE_NUM=0 +WRITE_WQE_NUM=0 +DATA_CNT=10';
const RUN = ['+UVM_TESTNAME=test_direct_param', ...SMALL.split(' ')];
/** Each writes a file, or would. */
const WRITES = ['-l', '../../run.log', '+PCAP=../../../y.pcap', '+TRACE=../t.json', '+DUMP_SCENARIO=../../z.yaml'];

describe('a folder that somebody has sent, with failures, a journal, a list and a coverage store', () => {
  let around = '';
  let sent = '';
  let earlier = '';
  let registry: Registry;
  let workers: WorkerPrograms;
  before(async () => {
    registry = await loadRegistry();
    workers = builtWorkers();
    earlier = process.cwd();
    around = mkdtempSync(join(tmpdir(), 'sent-'));
    sent = join(around, 'sent');
    for (const folder of [sent, join(sent, 'out'), join(sent, 'evil')]) mkdirSync(folder);
    process.chdir(sent);
    write();
  });
  after(() => {
    process.chdir(earlier);
    rmSync(around, { recursive: true, force: true });
  });

  function write(): void {
    const run = `import { writeFileSync } from 'node:fs';\nwriteFileSync('${around}/ran', '');\n`;
    writeFileSync(join(sent, 'evil/evil.ts'), run);
    writeFileSync(join(sent, 'mine.txt'), 'mine');
    const plusargs = `{ ${SMALL.replaceAll('+', '').replaceAll('=', ': ').replaceAll(' ', ', ').replaceAll(':,', ': ')} }`;
    writeFileSync(
      join(sent, 'list.yaml'),
      `tests: [{ name: small, test: test_direct_param, plusargs: ${plusargs}, reseed: 1 }]\n`,
    );
    const found = { test: 'test_x', seed: 1, dut: 'hangu', signature: '[A] x', testSha256: '', args: [] };
    new FailureDatabase(join(sent, '.failures')).note({ ...found, testPath: 'evil' }, 'x: 1');
    const job = (id: string, ...argv: readonly string[]): Job => aJob({ id, argv: [...RUN, ...argv], cwd: sent });
    const jobs = [job('a', ...WRITES), job('b', '+DUT_FAULT=cqe_byte_count', ...WRITES), job('c')];
    const { settings } = aPlan();
    const plan = aPlan({ jobs, settings: { ...settings, coverage: true } });
    const journal = new JournalWriter(join(sent, 'out/runs.jsonl'), plan);
    journal.result(aResult({ id: 'c', status: 'failed', folder: around, log: join(around, 'run.log') }));
    journal.close();
  }

  /** Everything outside of the folders that commands name as their own, with its content. */
  function rest(): Readonly<Record<string, string>> {
    const own = /^sent\/(out|\.failures)/;
    const names = readdirSync(around, { recursive: true, encoding: 'utf8' }).filter((name) => !own.test(name));
    const files = names.filter((name) => statSync(join(around, name)).isFile()).sort();
    const hash = (name: string): string =>
      createHash('md5')
        .update(readFileSync(join(around, name)))
        .digest('hex');
    return Object.fromEntries(files.map((name) => [name, hash(name)]));
  }

  async function asked(...argv: readonly string[]): Promise<{ code: number; text: string }> {
    const out = new CapturedOutput();
    const code = await hcaRegress.main(argv, { registry, ...workers, out, err: out });
    return { code, text: out.text };
  }

  it('is played, resumed, shrunk, replayed and covered: nothing is written but in folders that are named, no code runs', async () => {
    const before = rest();
    const steps: readonly (readonly [argv: readonly string[], code: number, text: RegExp])[] = [
      [
        ['run', 'list.yaml', '--out', 'out1', '-j', '1'],
        0,
        /1 known failure not played: the tests are in \S+evil, whose/,
      ],
      [['run', '--resume', 'out', '-n'], 0, /\+PCAP=\.\.\/\.\.\/\.\.\/y\.pcap/],
      [
        ['run', '--resume', 'out', '-j', '1'],
        1,
        /stored runs write into their own folders alone, not into \S+ and \d more/,
      ],
      [['shrink', 'out', '--shrink-runs', '10'], 2, /c has kept no record/],
      [['coverage', 'out', '--open-bins', 'out3-bins'], 0, /%/],
    ];
    for (const [argv, code, text] of steps) {
      const answer = await asked(...argv);
      expect(answer.code, `${argv.join(' ')}: ${answer.text}`).to.equal(code);
      expect(answer.text).to.match(text);
      expect(rest(), argv.join(' ')).to.deep.equal(before);
    }
    const out = new CapturedOutput();
    await hcaTest.main(['--replay', 'out/runs/b/run.json', '--out', 'out4'], { registry, out, err: out });
    expect(out.text).to.contain('cqe_byte_count');
    expect(rest(), 'replay').to.deep.equal(before);
    expect(existsSync(join(around, 'ran'))).to.equal(false);
    expect(readdirSync(join(sent, 'out/runs/b'))).to.include.members(['run.json', 'shrunk.yaml']);
  });
});
