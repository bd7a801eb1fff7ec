import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type FolderLock, lockFolder } from '../../../regress/folderLock.ts';

describe('the lock of a folder', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    file = join(folder, '.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is had by one at a time, and leaves nothing behind', () => {
    const first = lockFolder(folder) as FolderLock;
    expect(lockFolder(folder)).to.equal(
      `--out ${folder}: a regression (process ${process.pid}) is writing there; name another folder, or remove ${file} if that has ended`,
    );
    first.release();
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(lockFolder(folder)).to.be.an('object');
  });

  it('is taken over from a process that is gone', () => {
    const { pid } = spawnSync('true');
    writeFileSync(file, `${pid} ${hostname()}`);
    (lockFolder(folder) as FolderLock).release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is taken over when its number belongs to another process now, also to this one', () => {
    for (const pid of [process.pid, process.ppid]) {
      writeFileSync(file, `${pid} ${hostname()} 1`);
      (lockFolder(folder) as FolderLock).release();
      expect(readdirSync(folder)).to.deep.equal([]);
    }
  });

  it('is taken over when it says nothing that a lock says, as soon as nobody can be making it', () => {
    const nonsense = [
      '0 here',
      `-1 ${hostname()}`,
      `x ${hostname()}`,
      `${process.pid}`,
      '{"pid": 1}',
      '\0\0',
      'a'.repeat(1e6),
    ];
    for (const text of nonsense) {
      writeFileSync(file, text);
      expect(lockFolder(folder), text.slice(0, 20)).to.match(/another regression is writing there/);
      utimesSync(file, 0, 0);
      (lockFolder(folder) as FolderLock).release();
      expect(readdirSync(folder)).to.deep.equal([]);
    }
    execFileSync('mkfifo', [file]);
    utimesSync(file, 0, 0);
    expect(lockFolder(folder)).to.be.an('object');
  });

  it('is taken over when its maker died over it, and not while it is being made', () => {
    writeFileSync(file, '');
    expect(lockFolder(folder)).to.match(/another regression is writing there/);
    utimesSync(file, 0, 0);
    expect(lockFolder(folder)).to.be.an('object');
  });

  it('is respected when another machine has it', () => {
    writeFileSync(file, '7 elsewhere');
    expect(lockFolder(folder)).to.match(/a regression \(process 7 on elsewhere\) is writing there/);
  });

  it('does not remove the lock of somebody else', () => {
    const lock = lockFolder(folder) as FolderLock;
    writeFileSync(file, '7 elsewhere');
    lock.release();
    expect(existsSync(file)).to.equal(true);
  });
});
