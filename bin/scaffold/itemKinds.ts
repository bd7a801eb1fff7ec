/** What `hca_test new` can make: a folder of templates each, and the words that play it. */

import type { Registry } from '../registry.ts';

export interface ItemKind {
  /** Of the new item within its folder. */
  readonly place: string;
  readonly description: string;
  /** Arguments of `hca_test` that play it, besides `+TEST_PATH`. */
  readonly plays: (name: string) => readonly string[];
  /** Names that are taken. */
  readonly taken: (registry: Registry) => readonly string[];
}

const sequences = (registry: Registry): string[] => registry.sequences.map(({ name }) => name);
const playsSequence = (name: string): string[] => ['+UVM_TESTNAME=test_sequence', `+UVM_TEST_SEQ=${name}`];

export const ITEM_KINDS: Readonly<Record<string, ItemKind>> = {
  sequence: {
    place: 'sequences',
    description: 'a user sequence, for +UVM_TEST_SEQ',
    plays: (name) => [...playsSequence(name), '+RC_QP_NUM=2'],
    taken: sequences,
  },
  test: {
    place: 'tests',
    description: 'a test, for +UVM_TESTNAME',
    plays: (name) => [`+UVM_TESTNAME=${name}`, '+RC_QP_NUM=4'],
    taken: ({ tests }) => tests.map(({ name }) => name),
  },
  nic: {
    place: 'nics',
    description: 'a NIC model on the base of HanGu, for +DUT',
    plays: (name) => ['+UVM_TESTNAME=test_smoke', `+DUT=${name}`],
    taken: ({ nics }) => nics.map(({ name }) => name),
  },
  covergroup: {
    place: 'sequences',
    description: 'a sequence with a covergroup of its own',
    plays: (name) => [...playsSequence(name), '+RC_QP_NUM=2', '+COV'],
    taken: sequences,
  },
};
