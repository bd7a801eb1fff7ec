/** Slurm on this machine for as long as a spec wants it: munge, a controller, and two nodes. Nothing of it is left. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch'];
const NODES = ['n1', 'n2'] as const;
export type LabNode = (typeof NODES)[number];
/** Above those that a Slurm of this machine would use. */
const FIRST_PORT = 26_817;
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;

/** Why there can be no Slurm on this machine; undefined where there can. */
export function slurmIsMissing(): string | undefined {
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name], { env: environment() }).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} not installed (Debian: slurm-wlm, munge)`;
  return userInfo().uid === 0 ? undefined : 'only root can run a Slurm of its own';
}

export class SlurmLab {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slurm-'));
  readonly #children = new Map<string, ChildProcess>();

  /** Until both nodes are idle. */
  async start(): Promise<void> {
    const munge = join(this.#folder, 'munge');
    mkdirSync(munge);
    const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'munge'])));
    writeFileSync(join(munge, 'key'), randomBytes(1024), { mode: 0o400 });
    chmodSync(this.#folder, 0o755);
    for (const path of [munge, join(munge, 'key')]) chownSync(path, uid, gid);
    const files = ['key', 'pid', 'log', 'seed'].map((name) => `--${name}-file=${join(munge, name)}`);
    this.#spawn('munged', 'runuser', [
      '-u',
      'munge',
      '--',
      'munged',
      '--foreground',
      `--socket=${join(munge, 'socket')}`,
      ...files,
    ]);
    await until(() => spawnSync('munge', ['-n', `--socket=${join(munge, 'socket')}`]).status === 0);
    writeFileSync(join(this.#folder, 'slurm.conf'), this.#configuration());
    process.env['SLURM_CONF'] = join(this.#folder, 'slurm.conf');
    this.#spawn('slurmctld', 'slurmctld', ['-D', '-c']);
    for (const node of NODES) this.startNode(node);
    await until(() => NODES.every((node) => this.stateOf(node) === 'idle'));
  }

  startNode(node: LabNode): void {
    this.#spawn(node, 'slurmd', ['-D', '-N', node]);
  }

  /** As Slurm sees it: `idle`, `down*`. */
  stateOf(node: LabNode): string {
    return spawnSync('sinfo', ['-h', '-n', node, '-o', '%T'], { encoding: 'utf8' }).stdout.trim();
  }

  /** A node is lost with everything that it runs. @param pid a process that it runs */
  loseNode(node: LabNode, pid: number): void {
    this.#children.get(node)?.kill('SIGKILL');
    // From the process of a task up to the daemon of its step.
    for (let at = pid; at > 1; ) {
      const { name, parent } = processOf(at);
      process.kill(at, 'SIGKILL');
      at = name.startsWith('slurmstepd') ? 0 : parent;
    }
  }

  async stop(): Promise<void> {
    if (this.#children.size > 0) spawnSync('scancel', ['--quiet', '--partition=regress']);
    for (const child of [...this.#children.values()].toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    delete process.env['SLURM_CONF'];
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(name: string, program: string, words: readonly string[]): void {
    this.#children.set(name, spawn(program, words, { stdio: 'ignore', env: environment() }));
  }

  #configuration(): string {
    const folder = this.#folder;
    const host = hostname().split('.')[0] ?? 'localhost';
    const lines = [
      'ClusterName=lab',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmctldPort=${FIRST_PORT}`,
      'SlurmUser=root',
      'SlurmdUser=root',
      'AuthType=auth/munge',
      'CredType=cred/munge',
      `AuthInfo=socket=${folder}/munge/socket`,
      `StateSaveLocation=${folder}/state`,
      `SlurmdSpoolDir=${folder}/spool-%n`,
      `SlurmctldPidFile=${folder}/slurmctld.pid`,
      `SlurmdPidFile=${folder}/slurmd-%n.pid`,
      `SlurmctldLogFile=${folder}/slurmctld.log`,
      `SlurmdLogFile=${folder}/slurmd-%n.log`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SwitchType=switch/none',
      'MpiDefault=none',
      'ReturnToService=2',
      'SchedulerType=sched/backfill',
      'SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core',
      'KillWait=5',
      'SlurmdTimeout=10',
      'AccountingStorageType=accounting_storage/none',
      ...NODES.map(
        (node, i) =>
          `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${FIRST_PORT + 1 + i} CPUs=1 RealMemory=500 State=UNKNOWN`,
      ),
      `PartitionName=regress Nodes=${NODES.join(',')} Default=YES MaxTime=1:00:00 State=UP`,
    ];
    mkdirSync(join(folder, 'state'));
    return `${lines.join('\n')}\n`;
  }
}

/** Debian keeps the daemons where only root looks. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
}

function processOf(pid: number): { readonly name: string; readonly parent: number } {
  const name = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return { name, parent: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) };
}

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error('Slurm does not come up');
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  }
}
