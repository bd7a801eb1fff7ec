/** Makes the page of a regression from what its folder holds, and the same in short. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileProblem } from '../../../files/fileError.ts';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import type { RegressionSummaryFile } from '../../../regress/history/summaryFile.ts';
import { regressionMarkdown, regressionPage } from '../../../regress/page/regressionPage.ts';
import { type PageFacts, type RegressionView, regressionView } from '../../../regress/page/regressionView.ts';
import type { StoredRegression } from '../../../regress/page/storedRegression.ts';
import { type PageTemplates, readTemplates } from '../../../regress/page/templates.ts';
import { folderOf } from '../../player.ts';
import { projectRoot, versionText } from '../../versions.ts';

/** In the folder of a regression. */
const PAGE = 'report.html';

export interface ReportOptions {
  /** An earlier regression to compare with. Default: none. */
  readonly base?: readonly StoredRegression[];
  readonly history?: readonly RegressionSummaryFile[];
  /** Folder of the page: links of it are relative to that. */
  readonly pageFolder: string;
}

export class RegressionReporter {
  readonly #view: RegressionView;
  readonly #templates: PageTemplates;

  /** @param regressions at least one */
  constructor(regressions: readonly StoredRegression[], { base = [], history = [], pageFolder }: ReportOptions) {
    const facts: PageFacts = {
      regressions,
      base,
      history,
      pageFolder,
      folderOf: (id, regression) => folderOf({ id }, regression),
    };
    this.#view = regressionView(facts);
    this.#templates = readTemplates(fileURLToPath(new URL('templates/report', projectRoot())));
  }

  /** @returns why it could not be written */
  writePage(path: string): string | undefined {
    const made = `Made by ${versionText()}.`;
    return fileProblem(path, () => writeAtomically(path, regressionPage(this.#view, this.#templates, made)));
  }

  markdown(): string {
    return regressionMarkdown(this.#view, this.#templates);
  }
}

/** Where the page of a regression lies unless somebody says otherwise. */
export function pageIn(folder: string): string {
  return join(folder, PAGE);
}
