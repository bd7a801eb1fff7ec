import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { InputError, readInput, readInputText, readStoredText } from '../../../files/inputFile.ts';

const SHORT = { patienceMs: 300 };

describe('an input that a user names', () => {
  let folder = '';
  const inFolder = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'input-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is a file of any content, also an empty one', () => {
    const bytes = Uint8Array.from({ length: 3 * 2 ** 20 + 7 }, (_, i) => i * 31);
    writeFileSync(inFolder('a'), bytes);
    expect(readInput(inFolder('a')).equals(bytes)).to.equal(true);
    writeFileSync(inFolder('b'), '');
    expect(readInputText(inFolder('b'))).to.equal('');
  });

  it('is a pipe whose writer takes its time', () => {
    execFileSync('mkfifo', [inFolder('pipe')]);
    const script = `sleep 0.2; (printf one; sleep 0.2; printf two) > ${inFolder('pipe')}`;
    spawn('sh', ['-c', script], { stdio: 'ignore' });
    expect(readInputText(inFolder('pipe'), { patienceMs: 5000 })).to.equal('onetwo');
  });

  it('is no pipe into which nobody writes, or no more', () => {
    execFileSync('mkfifo', [inFolder('pipe')]);
    const silent = /it is a pipe, and nothing has come for 0\.3 s; give a file, or write into it/;
    expect(() => readInput(inFolder('pipe'), SHORT)).to.throw(InputError, silent);
    spawn('sh', ['-c', `(printf one; sleep 2) > ${inFolder('pipe')}`], { stdio: 'ignore' });
    expect(() => readInput(inFolder('pipe'), SHORT)).to.throw(InputError, silent);
  });

  it('is no device, and nothing without end', () => {
    for (const device of ['/dev/zero', '/dev/null'])
      expect(() => readInput(device)).to.throw(InputError, 'it is a device; give a file, or a pipe such as <(command)');
    execFileSync('mkfifo', [inFolder('pipe')]);
    spawn('sh', ['-c', `cat /dev/zero > ${inFolder('pipe')}`], { stdio: 'ignore' });
    const large = /it is larger than 2 MiB/;
    expect(() => readInput(inFolder('pipe'), { mostBytes: 2 ** 21 })).to.throw(InputError, large);
    writeFileSync(inFolder('a'), new Uint8Array(2 ** 21 + 1));
    expect(() => readInput(inFolder('a'), { mostBytes: 2 ** 21 })).to.throw(InputError, large);
  });

  it('keeps the words of the file system for what is missing or a folder', () => {
    expect(() => readInput(inFolder('none'))).to.throw(/ENOENT/);
    expect(() => readInput(folder)).to.throw(/EISDIR/);
  });

  it('is an ordinary file where a program has stored it: no pipe is waited for, and no device read', () => {
    execFileSync('mkfifo', [inFolder('pipe')]);
    expect(() => readStoredText(inFolder('pipe'))).to.throw(
      InputError,
      'it is a pipe, where an ordinary file was stored',
    );
    symlinkSync('/dev/zero', inFolder('zero'));
    expect(() => readStoredText(inFolder('zero'))).to.throw(InputError, 'it is a device, where an ordinary file');
    writeFileSync(inFolder('a'), 'one');
    expect(readStoredText(inFolder('a'))).to.equal('one');
  });
});
