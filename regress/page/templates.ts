/** Files of `templates/report` that pages are made of. Whoever makes pages knows where they lie. */

import { join } from 'node:path';
import { readStoredText } from '../../files/inputFile.ts';

export interface PageTemplates {
  readonly page: string;
  readonly failure: string;
  readonly style: string;
  readonly script: string;
  readonly markdown: string;
}

/** @param folder `templates/report` of the project */
export function readTemplates(folder: string): PageTemplates {
  const text = (name: string): string => readStoredText(join(folder, name));
  return {
    page: text('page.html'),
    failure: text('failure.html'),
    style: text('page.css'),
    script: text('page.js'),
    markdown: text('summary.mustache'),
  };
}
