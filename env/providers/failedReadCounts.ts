/** Reads of host memory that fault rules of PCIe have let fail, as the software of a host knows them. */

import type { FailedAccess } from '../../agents/pcie/faults/failedAccess.ts';

export class FailedReadCounts {
  /** Of what a command is given in memory: without it the command cannot be carried out. */
  mailboxes = 0;
  /** Of tables that a command may look into: what it ends with depends on whether it did. */
  tables = 0;

  add({ kind, area }: FailedAccess): void {
    if (kind !== 'read') return;
    if (area === 'command') this.mailboxes++;
    else if (area === 'context' || area === 'cq_context' || area === 'translation' || area === 'other') this.tables++;
  }
}
