/** Corners that meet in runs of healthy NICs: what is refused rightly, or late for good reason, is no finding. */

import { expect } from 'chai';
import { BugHunt } from '../../../bin/bugs/bugHunt.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../../env/nicKind.ts';

const NONE: FaultEntry = { name: 'none', description: 'no bug', caughtBy: [] };
const VERBS = ['+UVM_TESTNAME=test_random_verbs', '+DRAW_WIDE=0', '+DRAW_KNOBS=0', '+DRAW_FAULTS=0', '+HOST_NUM=2'];
const SMALL = ['+PROC_NUM=1', '+SEQ_COUNT=1', '+UD_QP_NUM=0'];

describe('corners on healthy NICs', () => {
  const cases: readonly (readonly [title: string, dut: string, args: readonly string[]])[] = [
    [
      'ends of unreliable connections with path MTUs that differ',
      'hangu',
      [...VERBS, ...SMALL, '+UNEQUAL_PCT=100', '+RC_QP_NUM=0', '+UC_QP_NUM=2', '--seed', '3'],
    ],
    [
      'ends of reliable connections that differ',
      'hangu',
      [...VERBS, ...SMALL, '+UNEQUAL_PCT=100', '+RC_QP_NUM=2', '+UC_QP_NUM=0', '--seed', '3'],
    ],
    [
      'a bus so slow that drivers give up before they can have heard',
      'blue',
      ['+UVM_TESTNAME=test_random_verbs', '+PCIE_DOWN_NS=1000000', '--seed', '2324401761'],
    ],
  ];

  for (const [title, dut, args] of cases)
    it(`pass with ${title}`, async () => {
      const nic = NIC_CATALOG.find(({ name }) => name === dut) as NicEntry;
      const { first, failure } = new BugHunt(nic, { registry: await loadRegistry() }).playClean(NONE, args);
      expect([first, failure]).to.deep.equal(['', '']);
    });
});
