/** Finds out before a run whether what it writes can be written. */

import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isFileError } from '../../files/fileError.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';

/** Characters of a name that is too long. */
const SHOWN_LENGTH = 60;

/** One file or folder that the user named for output. */
interface Output {
  /** As typed, for messages: `-l a/b.log`. */
  readonly typed: string;
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/**
 * One message per output that cannot be written; looks only, makes nothing.
 * @param cwd folder for relative paths
 * @param isSingle the run has a folder of its own in `--out`, not in that of a regression
 */
export function outputProblems(command: TestCommand, cwd: string, isSingle: boolean): string[] {
  return outputsOf(command, cwd, isSingle).flatMap((output) => problemOf(output) ?? []);
}

/** What is wrong with the folder of `--out`, if anything; looks only. */
export function folderProblems(path: string): string[] {
  const problem = problemOf({ typed: `--out ${path}`, path: resolve(path), kind: 'folder' });
  return problem === undefined ? [] : [problem];
}

/** What keeps a file from being written that a flag names, if anything; looks only. @param path '' for a flag that is not given */
export function fileProblems(flag: string, path: string | undefined): string[] {
  return namedFile(flag, path, process.cwd()).flatMap((output) => problemOf(output) ?? []);
}

/** Makes the folders of the outputs. @returns one message per folder that cannot be made */
export function makeOutputFolders(command: TestCommand, cwd: string, isSingle: boolean): string[] {
  return outputsOf(command, cwd, isSingle).flatMap(({ typed, path, kind }) => {
    return makeFolderFor(typed, kind === 'folder' ? path : dirname(path));
  });
}

/** Makes a folder that `by` names, such as `--out`. @returns why it cannot be made, if it cannot */
export function makeNamedFolder(by: string, path: string): string[] {
  return makeFolderFor(`${by} ${path}`, path);
}

function makeFolderFor(typed: string, path: string): string[] {
  try {
    makeFolder(path);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`${typed}: the folder ${path} cannot be made; ${why}. Name another place`];
  }
}

function outputsOf(command: TestCommand, cwd: string, isSingle: boolean): Output[] {
  const file = (flag: string, path: string | undefined): Output[] => namedFile(flag, path, cwd);
  const folder: Output = { typed: `--out ${command.out}`, path: resolve(cwd, command.out), kind: 'folder' };
  return [
    ...file('-l', command.log),
    ...file('--pcap', command.pcap),
    ...file('--trace', command.trace),
    ...file('--dump-scenario', command.dumpScenario),
    ...(isSingle ? [folder] : []),
  ];
}

function namedFile(flag: string, path: string | undefined, cwd: string): Output[] {
  if (path === undefined || path === '') return [];
  return [{ typed: `${flag} ${path}`, path: resolve(cwd, path), kind: 'file' }];
}

function problemOf({ typed, path, kind }: Output): string | undefined {
  const found = kindOf(path);
  if (found === 'too long')
    return `${typed.slice(0, SHOWN_LENGTH)}...: the name is longer than the file system takes; name another`;
  if (found === 'missing') return isLink(path) ? `${typed}: is a link to nothing; name another` : aboveOf(typed, path);
  if (found === 'folder' && kind === 'file') return `${typed}: is a folder; name a file in it`;
  if (found === 'file' && kind === 'folder') return `${typed}: is a file; name a folder`;
  return isWritable(path) ? undefined : `${typed}: may not be written; change its permissions or name another`;
}

/** What is wrong with the nearest folder above that exists. */
function aboveOf(typed: string, path: string): string | undefined {
  const above = dirname(path);
  const found = kindOf(above);
  if (found === 'file') return `${typed}: ${above} is a file, no folder; name another place`;
  if (found === 'missing') {
    return isLink(above) ? `${typed}: ${above} is a link to nothing; name another place` : aboveOf(typed, above);
  }
  return isWritable(above) ? undefined : `${typed}: nothing may be written in ${above}; name another place`;
}

/** Of a name, and of a path, in bytes: a folder that is missing yet cannot say so itself. */
const MOST_NAME = 255;
const MOST_PATH = 4095;

function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > MOST_PATH || path.split('/').some((name) => Buffer.byteLength(name) > MOST_NAME);
}

function kindOf(path: string): 'folder' | 'file' | 'missing' | 'too long' {
  if (isTooLong(path)) return 'too long';
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return found.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    // Or something above is a file.
    return isFileError(error) && error.code === 'ENAMETOOLONG' ? 'too long' : 'missing';
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
