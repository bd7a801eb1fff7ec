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

What \`+UVM_TEST_SEQ\` may name besides sequences of your own (writing-a-sequence.md). They play what the other tests leave
out. This page is made from the classes in sequences/library; \`npm run pages\` writes it again in seconds
(\`npm run pages:check\` compares), and \`./hca_test --list-sequences\` shows the same.

    ./hca_test +UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=stop_midway +RC_QP_NUM=11

The last column says what plays all cases of a sequence that has more of them than a short run plays. The list
\`sequences\` plays every sequence, on two hosts and four, with tiny caches and slow buses.

| sequence | what it plays | queue pairs | for all cases |
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
