/**
 * What `hca_test --help` prints: a page for everyday use, a topic with all its flags or plusargs, everything, or what
 * mentions a word.
 */

import { PARAMETERS, type Parameter } from '../../../config/table/parameterTable.ts';
import { knobRange } from '../../../dut-model/nicKnob.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import type { Registry } from '../../registry.ts';
import { type FlagTable, flagsOf } from '../flagTable.ts';
import { helpText, shownFlag } from '../helpText.ts';
import { aligned, parameterText, plusargHelp, STANDARD_PLUSARGS } from './showTables.ts';
import { TEST_FLAGS } from '../testFlags.ts';

const EXAMPLE = [
  'Example: ./hca_test +UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=16 +SEND_WQE_NUM=1 +DATA_CNT=10 +DATA_UNIT=B',
  'Exit codes: 0 passed, 1 test failed, 2 usage, 3 infrastructure, 4 gate missed, 130 Ctrl-C.',
];
/** Plusargs that a topic shows of itself on the first page. */
const NAMES_SHOWN = 4;
/** A word that more lines mention than this is too general. */
const MOST_FOUND = 40;

/** A group of plusargs, under the word that asks for it. */
interface Topic {
  readonly word: string;
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

/**
 * @param usage lines of the forms of the command line
 * @param asked '' for the first page, or a topic, or a word to look for
 * @returns the text, or a mistake where nothing mentions the word
 */
export async function testHelp(
  usage: string,
  asked: string,
  registry: () => Promise<Registry>,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (asked === '') return { text: await firstPage(usage) };
  if (asked === 'all') return { text: await helpText(usage, TEST_FLAGS, [plusargHelp(), ...EXAMPLE].join('\n')) };
  if (asked === 'flags') return { text: await helpText(usage, TEST_FLAGS, EXAMPLE.join('\n')) };
  const topic = topics().find(({ word }) => word === asked.toLowerCase());
  if (topic !== undefined) return { text: topicText(topic) };
  const entries = allEntries(await registry());
  const found = mentionsOf(asked, entries);
  if (found.length === 0) return { problem: nothingFound(asked, entries) };
  const more = found.length - MOST_FOUND;
  const rest = more > 0 ? [`and ${counted(more, 'other')}; a longer word finds fewer`] : [];
  return { text: [...found.slice(0, MOST_FOUND), ...rest].join('\n') };
}

/** Flags of everyday use, then where the others are. */
async function firstPage(usage: string): Promise<string> {
  const everyday = flagsOf(TEST_FLAGS, ({ detail }) => detail !== true);
  const rows = topics().map(({ word, title, parameters }) => {
    const names = parameters.slice(0, NAMES_SHOWN).map(({ name }) => `+${name}`);
    return aligned(`--help ${word}`, `${title}, ${counted(parameters.length, 'plusarg')}: ${names.join(', ')}, ...`);
  });
  const epilogue = [
    'More:',
    aligned('--help flags', 'All flags'),
    ...rows,
    aligned('--help all', 'Everything'),
    aligned('--help <word>', 'Flags, plusargs, knobs, tests and sequences that mention the word, such as mtu'),
    '',
    ...EXAMPLE,
  ];
  return await helpText(usage, everyday, epilogue.join('\n'));
}

function topicText({ title, parameters }: Topic): string {
  return [`Plusargs: ${title}`, ...parameters.map(parameterText), '', ...STANDARD_PLUSARGS].join('\n');
}

function topics(): readonly Topic[] {
  const rows: readonly Parameter[] = PARAMETERS;
  const groups = [...new Set(rows.map(({ group }) => group))];
  return groups.map((title) => ({
    word: (title.split(' ').at(-1) as string).toLowerCase(),
    title,
    parameters: rows.filter(({ group }) => group === title),
  }));
}

/** Lines whose name has the word come first. */
function mentionsOf(asked: string, entries: readonly Entry[]): string[] {
  const word = asked.toLowerCase();
  const named = entries.filter(({ name }) => name.toLowerCase().includes(word));
  const told = entries.filter((entry) => !named.includes(entry) && entry.text.toLowerCase().includes(word));
  return [...named, ...told].map(({ shown }) => shown);
}

interface Entry {
  readonly name: string;
  readonly text: string;
  readonly shown: string;
}

function allEntries({ nics, tests, sequences }: Registry): readonly Entry[] {
  const flags: FlagTable = TEST_FLAGS;
  const ofFlags = Object.entries(flags).map(([name, flag]) => ({
    name,
    text: flag.describe,
    shown: aligned(`--${shownFlag(name, flag)}`, flag.describe),
  }));
  const ofParameters = (PARAMETERS as readonly Parameter[]).map((row) => ({
    name: [row.name, ...(row.aliases ?? [])].join(' '),
    text: row.doc,
    shown: parameterText(row),
  }));
  const ofKnobs = nics.flatMap((nic) =>
    nic.knobs.map((knob) => {
      const text = `${knob.description} [${knobRange(knob)}, default ${knob.default}; +DUT=${nic.name}]`;
      return { name: knob.name, text: knob.description, shown: aligned(`+NIC_${knob.name}`, text) };
    }),
  );
  const ofTypes = (plusarg: string, types: Registry['tests']): Entry[] =>
    types.map(({ name, description }) => ({
      name,
      text: description,
      shown: aligned(`+${plusarg}=${name}`, description),
    }));
  return [
    ...ofFlags,
    ...ofParameters,
    ...ofKnobs,
    ...ofTypes('UVM_TESTNAME', tests),
    ...ofTypes('UVM_TEST_SEQ', sequences),
  ];
}

function nothingFound(asked: string, entries: readonly Entry[]): string {
  const words = [...topics().map(({ word }) => word), 'flags', 'all'];
  const names = entries.flatMap(({ name }) => name.toLowerCase().split(' '));
  const meant = didYouMean(asked.toLowerCase(), [...words, ...names]);
  return `--help ${asked}: nothing mentions it${meant === '' ? `; topics: ${words.join(', ')}` : meant}`;
}
