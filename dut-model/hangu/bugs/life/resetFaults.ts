/** Bugs of RESET while completions of its queue pair wait for their completion queue. */
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { faultsOf, planted } from '../fault.ts';
import { RESET_ROWS } from './rows/resetRows.ts';

/** Lets RESET end while completions of its queue pair wait to be written. */
class HastyUnit extends CompletionUnit {
  override hasWritten(): boolean {
    return true;
  }
}

export const RESET_FAULTS = faultsOf(RESET_ROWS, { reset_before_completions: planted({ completions: HastyUnit }) });
