/** The examples of a page of the guide, as files outside the project whose imports lead back into it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Writes every block after a "Save it as `path`" to a file in `folder`; files by the path that the page gives. */
export function writeExamples(page: string, folder: string): Map<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/Save it as\s+`([^`]+)`[\s\S]*?```ts\n([\s\S]*?)```/g)];
  if (blocks.length === 0) throw new Error(`${page} has no example`);
  const files = new Map(blocks.map(([, path = '']) => [path, join(folder, `${basename(path, '.ts')}.mts`)]));
  for (const [, path = '', code = ''] of blocks) {
    const placed = code.replace(/(from ')(\.[^']*)/g, (_, from: string, to: string) => {
      const target = join(dirname(path), to);
      return from + (files.get(target) ?? join(ROOT, target));
    });
    writeFileSync(files.get(path) as string, placed);
  }
  return files;
}

/** What the compiler says about the files. */
export function typeErrors(files: Iterable<string>): string[] {
  const names = [...files];
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: names }, ts.sys, ROOT);
  // The files import by absolute path, which a compiler that emits would not rewrite.
  const outside = { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true };
  const program = ts.createProgram(names, { ...options, ...outside, typeRoots: [join(ROOT, 'node_modules/@types')] });
  const diagnostics = names.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)));
  return diagnostics.map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'));
}
