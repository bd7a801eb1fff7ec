/** Plays cases with the planted bugs that they name: each must fail, or it shows nothing. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Behaviour, BehaviourTable, CaseRun, Proof } from '../../regress/conformance/behaviours.ts';
import { filesWithin } from '../../regress/lists/fileWords.ts';
import { isFailure, type Job, type JobResult } from '../../regress/job.ts';
import { counted } from '../../uvm/report/counted.ts';
import { DEFAULT_SEED } from '../cli/seed.ts';
import { parseRegressCommand } from '../cli/commands/regressCommand.ts';
import { localPool, type WorkerPrograms } from '../many/localPool.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';

/** A behaviour with a proof. */
type Proved = Behaviour & {
  readonly proof: Proof;
  readonly shown: { readonly by: 'runs'; readonly runs: readonly CaseRun[] };
};

/** @param folder of the tables @returns the exit code: 1 where a case passes with its bug */
export async function proveCases(
  tables: readonly BehaviourTable[],
  only: readonly string[],
  { folder, workers }: { readonly folder: string; readonly workers: string | undefined },
  programs: WorkerPrograms,
  { out }: Outputs,
): Promise<number> {
  const all = tables.flatMap(({ behaviours }) => behaviours);
  const chosen = all.filter(({ id, shown }) => shown.by === 'runs' && (only.length === 0 || only.includes(id)));
  const proved = chosen.filter((behaviour): behaviour is Proved => behaviour.proof !== undefined);
  const jobs = proved.flatMap((behaviour) => proofJobs(behaviour, folder));
  const results = await played(jobs, workers, programs);
  let missed = 0;
  for (const { id, proof } of proved) {
    const own = jobs.filter((job) => job.family === id).map((job) => results.get(job.id));
    const caught = own.find((result) => result !== undefined && isFailure(result));
    if (caught === undefined) missed++;
    const bug = proof.dut === undefined ? proof.bug : `${proof.dut} ${proof.bug}`;
    const found = caught?.signature?.id ?? own.map((result) => result?.status ?? 'not run').join(', ');
    out.line(`${caught === undefined ? 'NOT PROVED' : 'proved'} ${id} with ${bug}: ${found}`);
  }
  const without = chosen.filter(({ proof }) => proof === undefined).map(({ id }) => id);
  if (without.length > 0) out.line(`${counted(without.length, 'case')} without a planted bug: ${without.join(' ')}`);
  out.line(`${proved.length - missed} of ${counted(proved.length, 'case')} proved`);
  return missed === 0 ? EXIT.passed : EXIT.failed;
}

/** The runs of a case, with its bug in place of nothing. */
function proofJobs({ id, must, shown, proof, where }: Proved, folder: string): readonly Job[] {
  const planted =
    proof.dut === undefined ? [`+CASE_BUG=${proof.bug}`] : [`+DUT=${proof.dut}`, `+DUT_FAULT=${proof.bug}`];
  return shown.runs.map(({ words }, i) => ({
    id: `${id}/${i + 1}`,
    family: id,
    title: must,
    argv: [
      ...planted,
      ...filesWithin(folder, words).filter((word) => !word.startsWith('+DUT=')),
      ...(words.includes('--seed') ? [] : ['--seed', String(DEFAULT_SEED)]),
    ],
    cwd: process.cwd(),
    where,
    timeoutSeconds: 0,
  }));
}

async function played(
  jobs: readonly Job[],
  workers: string | undefined,
  programs: WorkerPrograms,
): Promise<ReadonlyMap<string, JobResult>> {
  const scratch = mkdtempSync(join(tmpdir(), 'rnic-verify-prove-'));
  try {
    const flags = workers === undefined ? [] : ['--jobs', workers];
    const command = parseRegressCommand(['run', 'conformance', '--keep', 'none', ...flags]);
    const silent = { onRetry: () => undefined, onCoverage: () => undefined };
    const results = new Map<string, JobResult>();
    await localPool(command, scratch, {}, programs, silent).run(jobs, (result) => void results.set(result.id, result));
    return results;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
