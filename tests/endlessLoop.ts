import { HARNESS } from '../rdma/subjectParts.ts';
import type { DeadlockCause } from '../uvm/kernel/deadlock.ts';
import { Process } from '../uvm/kernel/process.ts';
import type { DeltaLimitError } from '../uvm/kernel/schedulerErrors.ts';
import { Sequencer } from '../uvm/seq/sequencer.ts';

/**
 * Says who goes round without letting time pass, where it is processes alone: then NIC, buses and link have no part in
 * it, for these work by plain events.
 * @param who the test or the sequence that runs
 */
export function endlessLoop(error: DeltaLimitError, who: string): DeadlockCause | undefined {
  const busy = [...error.handlers];
  if (!busy.every((handler) => handler instanceof Process || handler instanceof Sequencer)) return undefined;
  const hint = 'each turn of a loop must wait for something that takes time, such as a completion or delay()';
  const text = `${who} goes on for ever without time passing (${hint}); the NIC is not judged`;
  return { id: 'SEQ_ENDLESS', text, about: [HARNESS] };
}
