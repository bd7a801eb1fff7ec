/** Reads `known_issues.yaml`, with the place of every mistake. */

import { whyUnread } from '../../files/dataError.ts';
import { readInputText } from '../../files/inputFile.ts';
import { YamlText } from '../../files/yaml.ts';
import { KnownIssue } from './knownIssue.ts';
import { knownIssuesSchema } from './knownIssueSchema.ts';

export const KNOWN_ISSUES_FILE = 'known_issues.yaml';

export interface ReadKnownIssues {
  readonly issues: readonly KnownIssue[];
  readonly problems: readonly string[];
}

export function readKnownIssues(file: string): ReadKnownIssues {
  try {
    return knownIssuesIn(file, readInputText(file));
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return { issues: [], problems: [`${file}: ${why}`] };
  }
}

export function knownIssuesIn(file: string, text: string): ReadKnownIssues {
  const yaml = new YamlText(text);
  const at = ({ line, column }: { readonly line: number; readonly column: number }): string =>
    `${file}:${line}:${column}`;
  const told = yaml.mistakes.map((mistake) => `${at(mistake)}: ${mistake.message}`);
  if (told.length > 0) return { issues: [], problems: told };
  const read = knownIssuesSchema.safeParse(yaml.value);
  if (read.success) {
    const issues = read.data.known_issues.map((data, i) => new KnownIssue(data, at(yaml.placeOf(['known_issues', i]))));
    return { issues, problems: [] };
  }
  const problems = read.error.issues.map((issue) => {
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const place = key === undefined ? yaml.placeOf(issue.path) : yaml.placeOfKey(issue.path, key);
    const path = issue.path.join('.');
    return `${at(place)}: ${path === '' ? '' : `${path}: `}${issue.message.replace(/^Invalid (input|option): /, '')}`;
  });
  return { issues: [], problems };
}
