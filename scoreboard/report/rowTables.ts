/** The tables of docs/checks.md that list the rows of the judge: rules of the transport, and widenings. */

import { RULE, RULE_NAMES } from '../../agents/wire/transportRules.ts';
import { WIDENING_NAMES, wideningRow } from '../model/widenings.ts';

/** By id, in the order of the table. */
export function ruleTable(): string {
  const rows = RULE_NAMES.map((name) => {
    const { id, clause, text } = RULE[name];
    return `| \`${name}\` | \`${id}\` | ${clause} | ${text} |`;
  });
  return ['| rule | id | clause | a packet breaks it that |', '|---|---|---|---|', ...rows].join('\n');
}

export function wideningTable(): string {
  const rows = WIDENING_NAMES.map((name) => {
    const { rule, clause, text } = wideningRow(name);
    return `| \`${name}\` | \`${rule}\` | ${clause} | ${text} |`;
  });
  return ['| widening | of | clause | both are right because |', '|---|---|---|---|', ...rows].join('\n');
}
