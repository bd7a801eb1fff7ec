/** Writes docs/sequences.md from the classes in sequences/library, so that the page names all and says what they say. */
import { QP_TYPE, QP_TYPE_NAME, type QpType } from '../../rdma/verbs.ts';

/** What the page says of a sequence. */
export interface SequenceEntry {
  /** Its `typeName`. */
  readonly name: string;
  /** Its `description`; one that ends in `; +NAME=value ... plays all cases` says which parameters it takes for all. */
  readonly description: string;
  readonly services: readonly QpType[];
}

const HEAD = `# The shipped sequences

These are the values of \`+UVM_TEST_SEQ\`, besides your own sequences (writing-a-sequence.md). They cover traffic that the other tests leave
out. \`npm run pages\` makes this page from the classes in sequences/library, and \`npm run pages:check\` compares it.
\`./hca_test --list-sequences\` shows the same list.

    ./hca_test +UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=stop_midway +RC_QP_NUM=11

Some sequences have more cases than a short run. The last column has the parameters that run all of them. The list
\`sequences\` runs every sequence, on two hosts and four, with tiny caches and slow buses.

| sequence | traffic | queue pairs | for all cases |
|---|---|---|---|
`;

const ALL_CASES = /^(.*); ((?:\+\w+=\S+ )+)plays all cases$/s;
const EVERY_TYPE: readonly QpType[] = [QP_TYPE.rc, QP_TYPE.uc, QP_TYPE.ud];

/** The text of docs/sequences.md. */
export function sequencePage(entries: readonly SequenceEntry[]): string {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  return HEAD + sorted.map(row).join('');
}

function row({ name, description, services }: SequenceEntry): string {
  const [, what = description, parameters = ''] = ALL_CASES.exec(description) ?? [];
  const forAll = parameters === '' ? '' : `\`${parameters.trimEnd()}\``;
  return `| ${[`\`${name}\``, what, typesText(services), forAll].map(cell).join(' | ')} |\n`;
}

function typesText(services: readonly QpType[]): string {
  if (EVERY_TYPE.every((type) => services.includes(type))) return 'all';
  return services.map((type) => QP_TYPE_NAME[type]).join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
