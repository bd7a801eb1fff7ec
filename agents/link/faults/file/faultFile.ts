/** A file of fault rules, YAML or JSON, read once: what is checked, played and named in the record are the same bytes. */

import { resolve } from 'node:path';
import { whyUnread } from '../../../../files/dataError.ts';
import { readInput } from '../../../../files/inputFile.ts';
import type { SourcedPcieRule } from '../../../pcie/faults/rule/pcieRule.ts';
import type { SourcedInjection } from '../../inject/injectRule.ts';
import type { SourcedRule } from '../rule/faultRule.ts';
import { parseFaultFile } from './parseFaultFile.ts';

/** What was found in a file when it was read. */
export interface FaultFile {
  /** As it was named. */
  readonly path: string;
  /** Of its bytes; '' when it could not be read. */
  readonly sha256: string;
  readonly rules: readonly SourcedRule[];
  /** Those of PCIe. */
  readonly pcie: readonly SourcedPcieRule[];
  /** Packets that no NIC has sent. */
  readonly inject: readonly SourcedInjection[];
  /** Everything that is wrong with it, each with its line and column where it has one. */
  readonly problems: readonly string[];
}

/**
 * Reads and checks a file of fault rules.
 * @param path as it was named, also in messages
 * @param cwd folder for a relative path
 */
export function readFaultFile(path: string, cwd = '.'): FaultFile {
  try {
    const bytes = readInput(resolve(cwd, path));
    // Not imported: few runs read a file, and loading cryptography costs every start 2 ms.
    const sha256 = process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
    return { path, sha256, ...parseFaultFile(bytes.toString('utf8'), path) };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : whyUnread(error);
    if (why === undefined) throw error;
    return {
      path,
      sha256: '',
      rules: [],
      pcie: [],
      inject: [],
      problems: [`the fault rules ${path} cannot be read: ${why}`],
    };
  }
}
