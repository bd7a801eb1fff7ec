import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

interface Options {
  readonly root: string;
  readonly build?: boolean;
  readonly force?: boolean;
  readonly say?: (line: string) => void;
  readonly install?: (root: string) => void;
  readonly compile?: (root: string) => void;
  readonly compileCode?: (root: string) => void;
}

// Plain JavaScript, because it runs before there is a compiler: imported by address, typed here.
const url = (name: string): string => new URL(`../../../scripts/build/${name}`, import.meta.url).href;
const { ensureReady, SourceError } = (await import(url('bootstrap.mjs'))) as {
  ensureReady: (options: Options) => void;
  SourceError: new (text: string) => Error;
};

const started = (name: string): string => new URL(`../../../scripts/start/${name}`, import.meta.url).href;
const { takesBuildAsItIs } = (await import(started('sourceStamp.cjs'))) as {
  takesBuildAsItIs: (root: string) => boolean;
};
const { BUNDLE, COMPILED } = (await import(started('program.cjs'))) as { BUNDLE: string; COMPILED: string };
const { forgetCodeCaches } = (await import(url('codeCache.mjs'))) as { forgetCodeCaches: (root: string) => void };

const LOCK = {
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/d': { version: '2.0.0', dev: true } },
};

describe('the bootstrap of the launchers', () => {
  let root = '';
  let done: string[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'boot-'));
    done = [];
    write('package-lock.json', JSON.stringify(LOCK));
    write('tsconfig.json', '{}');
    write('uvm/a.ts', 'a');
    write('tests/spec/a.spec.ts', 'spec');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }

  function ready(changes: Partial<Options> = {}): string[] {
    done = [];
    ensureReady({
      root,
      say: (line) => done.push(`say ${line}`),
      install: () => {
        done.push('install');
        write('node_modules/.package-lock.json', JSON.stringify(LOCK));
      },
      compile: () => {
        done.push('compile');
        write('dist/uvm/a.js', 'a');
      },
      ...changes,
    });
    return done;
  }

  it('installs and builds on a fresh clone, says so in one line, and then does nothing', () => {
    expect(ready()).to.deep.equal(['say installing packages, then building (once)', 'install', 'compile']);
    expect(ready()).to.deep.equal([]);
    expect(existsSync(join(root, 'dist/.lock'))).to.equal(false);
  });

  it('installs again when the lock file asks for another version, not when only its time changed', () => {
    ready();
    utimesSync(join(root, 'package-lock.json'), 1, 1);
    expect(ready()).to.deep.equal([]);
    write('package-lock.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'));
    expect(ready()).to.include('install');
  });

  it('builds again after an installation that was not followed by a build', () => {
    ready();
    write('package-lock.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'));
    expect(ready({ build: false })).to.deep.equal(['say installing packages (once)', 'install']);
    write('package-lock.json', JSON.stringify(LOCK));
    expect(ready()).to.deep.equal(['say building', 'compile']);
  });

  it('builds again when a source is changed, added or removed, and not for specs', () => {
    ready();
    write('tests/spec/b.spec.ts', 'new');
    expect(ready()).to.deep.equal([]);
    write('uvm/a.ts', 'changed');
    expect(ready()).to.deep.equal(['say building (uvm/a.ts changed)', 'compile']);
    write('env/b.ts', 'b');
    expect(ready()).to.deep.equal(['say building (env/b.ts changed)', 'compile']);
    write('dist/env/b.js', 'b');
    rmSync(join(root, 'env/b.ts'));
    expect(ready()).to.deep.equal(['say building (env/b.ts changed)', 'compile']);
    expect(existsSync(join(root, 'dist/env/b.js'))).to.equal(false);
  });

  it('keeps the build for another version of Node, and adds the compiled code of that version once', () => {
    const compile = (): void => {
      forgetCodeCaches(root);
      write(BUNDLE, 'text');
      write(COMPILED, 'text and code');
    };
    const compileCode = (): void => {
      done.push('compile code');
      write(COMPILED, 'text and code');
    };
    ready({ compile });
    const others = 'dist/bin/programs.v1.2.3-other.bundle';
    renameSync(join(root, COMPILED), join(root, others));
    const say = `say preparing the build for Node ${process.version} (once)`;
    expect(ready({ compile, compileCode })).to.deep.equal([say, 'compile code']);
    expect(ready({ compile, compileCode })).to.deep.equal([]);
    expect(existsSync(join(root, others)), 'code of the other version').to.equal(true);
    write('uvm/a.ts', 'changed');
    ready({ compile, compileCode });
    expect(existsSync(join(root, others)), 'code of the former build').to.equal(false);
  });

  it('lets a launcher take the build as it is where the environment says so, if there is one', () => {
    const usable = (skip: string): boolean => {
      process.env['HCA_SKIP_BUILD_CHECK'] = skip;
      try {
        return takesBuildAsItIs(root);
      } finally {
        delete process.env['HCA_SKIP_BUILD_CHECK'];
      }
    };
    expect(usable('1')).to.equal(false);
    ready();
    write('uvm/a.ts', 'changed');
    write('package-lock.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'));
    expect(['1', '0', ''].map(usable)).to.deep.equal([true, false, false]);
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(usable('1')).to.equal(false);
  });

  it('does not build again when only times have changed, and remembers that', () => {
    ready();
    utimesSync(join(root, 'uvm/a.ts'), 1, 1);
    expect(ready()).to.deep.equal([]);
    const stamp = readFileSync(join(root, 'dist/.stamp'), 'utf8');
    expect(stamp).to.match(/uvm\/a\.ts\t1000\t/);
    const compile = (): void => {
      throw new Error('type error');
    };
    write('uvm/a.ts', 'wrong');
    expect(() => ready({ compile })).to.throw('type error');
    write('uvm/a.ts', 'a');
    expect(ready(), 'after a failed build').to.deep.equal(['say building', 'compile']);
  });

  it('goes on in a tree of somebody else when only times have changed, and says what to do otherwise', function () {
    if (process.getuid?.() !== 0) this.skip();
    ready();
    chmodSync(root, 0o755);
    const asNobody = (): string[] => {
      process.seteuid?.(65_534);
      try {
        return ready();
      } finally {
        process.seteuid?.(0);
      }
    };
    utimesSync(join(root, 'uvm/a.ts'), 1, 1);
    utimesSync(join(root, 'package-lock.json'), 1, 1);
    expect(asNobody()).to.deep.equal([]);
    write('uvm/a.ts', 'changed');
    expect(asNobody).to.throw(
      /^the build is out of date \(uvm\/a\.ts changed\) and .*dist cannot be written; have its/,
    );
    write('package-lock.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'));
    expect(asNobody).to.throw(/^packages are missing or out of date and .*dist cannot be written/);
  });

  it('tries again after a build that failed', () => {
    const compile = (): void => {
      throw new Error('type error');
    };
    expect(() => ready({ compile })).to.throw('type error');
    expect(existsSync(join(root, 'dist/.lock'))).to.equal(false);
    expect(ready()).to.deep.equal(['say building', 'compile']);
  });

  it('shows the mistakes of a build again at once while the sources are the same, unless a build is asked for', () => {
    const compile = (): void => {
      done.push('compile');
      throw new SourceError('uvm/a.ts(1,1): error');
    };
    ready();
    write('uvm/a.ts', 'wrong');
    expect(() => ready({ compile })).to.throw(SourceError, 'uvm/a.ts(1,1): error');
    expect(done).to.include('compile');
    expect(() => ready({ compile })).to.throw(SourceError, 'uvm/a.ts(1,1): error');
    expect(done).to.deep.equal([]);
    expect(() => ready({ compile, force: true })).to.throw(SourceError);
    expect(done).to.include('compile');
    write('uvm/a.ts', 'right');
    expect(ready()).to.include('compile');
    write('uvm/a.ts', 'wrong');
    expect(ready()).to.include('compile');
  });

  it('leaves a hash over what a build was made from, by content, and which files those were', () => {
    const current = (): string => readFileSync(join(root, 'dist/.sources'), 'utf8');
    ready();
    const first = current();
    utimesSync(join(root, 'uvm/a.ts'), 1, 1);
    ready();
    expect(current()).to.equal(first);
    write('uvm/a.ts', 'changed');
    ready();
    expect(current())
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.to.equal(first);
    expect(readFileSync(join(root, 'dist/sources', first), 'utf8')).to.match(
      /^[0-9a-f]{16}\ttsconfig\.json\n.*\tuvm\/a\.ts$/,
    );
  });

  it('takes over the lock of a process that died', () => {
    write('dist/.lock', `4194305 ${hostname()}`);
    expect(ready()).to.include('compile');
  });

  describe('with a npm that tidies up when it is interrupted', () => {
    const INTERRUPTED =
      'trap "" INT TERM; echo begun >> log; sleep 0.6; echo tidy >> log; echo npm error signal SIGINT; exit 1\n';

    /** Starts the installation in a process group of its own with this script for npm. */
    function start(npm: string): { kill: () => void; end: Promise<unknown[]>; log: () => string } {
      mkdirSync(join(root, 'bin'));
      writeFileSync(join(root, 'bin/npm'), `#!/bin/sh\ncd ${root}\n${npm}`, { mode: 0o755 });
      const program = `
        import { ensureReady } from ${JSON.stringify(url('bootstrap.mjs'))};
        try { ensureReady({ root: ${JSON.stringify(root)}, compile: () => {} }); }
        catch (error) { console.error(error.message); process.exitCode = 3; }`;
      const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
      const stdio = ['ignore', 'ignore', 'pipe'] as const;
      const options = { env, stdio: [...stdio], detached: true };
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], options);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const end = new Promise<unknown[]>((resolve) => {
        child.on('close', (code, signal) => resolve([code, signal, said]));
      });
      const log = (): string => (existsSync(join(root, 'log')) ? readFileSync(join(root, 'log'), 'utf8') : '');
      return { kill: () => process.kill(-(child.pid as number), 'SIGINT'), end, log };
    }

    it('waits until it has, gives the lock back and then ends by the signal', async () => {
      const started = start(INTERRUPTED);
      while (!started.log().includes('begun')) await new Promise((resolve) => setTimeout(resolve, 20));
      started.kill();
      const [code, signal, said] = await started.end;
      expect([code, signal, started.log()]).to.deep.equal([null, 'SIGINT', 'begun\ntidy\n']);
      expect(said).to.match(/the installation was ended by SIGINT; the next start begins it again/);
      expect(existsSync(join(root, 'dist/.lock'))).to.equal(false);
    });

    it('tries once more when leftovers of an earlier installation are in the way', async () => {
      const started = start('echo try >> log; test $(wc -l < log) = 2 || { echo ENOTEMPTY; exit 1; }\n');
      const [code] = await started.end;
      expect([code, started.log()]).to.deep.equal([0, 'try\ntry\n']);
    });

    it('says what npm said when it fails', async () => {
      const [code, , said] = await start('echo no network; exit 1\n').end;
      expect(code).to.equal(3);
      expect(said).to.match(/"npm ci .*" failed in .*:\nno network/);
    });
  });

  it('lets only one of many processes in at a time', async () => {
    const lock = join(root, 'dist.lock');
    const log = join(root, 'log');
    // A dead lock at the start: all of them find it at once.
    writeFileSync(lock, `4194305 ${hostname()}`);
    const program = `
      import { appendFileSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(url('buildLock.mjs'))};
      for (let i = 0; i < 3; i++) withLock(${JSON.stringify(lock)}, () => {
        appendFileSync(${JSON.stringify(log)}, '(');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        appendFileSync(${JSON.stringify(log)}, ')');
      });`;
    const ends = Array.from({ length: 5 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
      return new Promise((resolve) => child.on('close', resolve));
    });
    expect(await Promise.all(ends)).to.deep.equal([0, 0, 0, 0, 0]);
    expect(readFileSync(log, 'utf8')).to.equal('()'.repeat(15));
  });
});
