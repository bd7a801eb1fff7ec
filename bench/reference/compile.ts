/** Compiles the references at run time, into a scratch folder: nothing built is kept or shipped. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../bin/versions.ts';

/** A source of bench/reference and how it is compiled. */
export interface ReferenceSource {
  readonly file: string;
  readonly compiler: string;
  readonly before: readonly string[];
  /** Libraries; they come after the source. */
  readonly after: readonly string[];
  /** What to install when it does not compile. */
  readonly needs: string;
}

export const KERNEL: ReferenceSource = {
  file: 'kernel.c',
  compiler: 'cc',
  before: ['-O2'],
  after: ['-lz'],
  needs: 'a C compiler and the zlib headers',
};

export const TLM_PING: ReferenceSource = {
  file: 'tlmPing.cpp',
  compiler: 'c++',
  before: ['-O2', '-std=c++17'],
  after: ['-lsystemc'],
  needs: 'a C++ compiler and SystemC',
};

/** A compiled reference, or the reason why there is none. */
export type Compiled = { readonly program: string } | { readonly missing: string };

/** Compiles a reference into `scratch`. */
export function compileReference(source: ReferenceSource, scratch: string): Compiled {
  const program = join(scratch, source.file.replace(/\..*$/, ''));
  const path = fileURLToPath(new URL(`bench/reference/${source.file}`, projectRoot()));
  const args = [...source.before, '-o', program, path, ...source.after];
  const { status } = spawnSync(source.compiler, args, { stdio: 'ignore' });
  return status === 0 ? { program } : { missing: `${source.file} needs ${source.needs}` };
}
