/** Pages of failures as planted bugs cause them: whether each shows what its row says that decides. */

import { failureReport } from '../../../bin/run/failure/failureReport.ts';
import type { FaultEntry } from '../../../env/nicKind.ts';
import { RunRecorder } from '../../../env/trace/runRecorder.ts';

/** As a second play looks. */
const LOOK = { events: 1 << 16, behindError: 2048 } as const;

export class ShownPages {
  /** How many were made of bugs whose rows name the event that decides. */
  count = 0;
  /** Bugs whose findings accuse nothing. */
  readonly mute: string[] = [];
  /** Bugs whose page does not show the event that their row names. */
  readonly hidden: string[] = [];

  recorder(): RunRecorder {
    return new RunRecorder({ look: LOOK });
  }

  /** Makes the page of a run that has failed. */
  note({ name, decides }: FaultEntry, recorder: RunRecorder): void {
    if (recorder.firstError === undefined) return;
    const signature = { id: '', component: '', message: '', time: 0 };
    const { failure } = failureReport(recorder, { source: 'second play', signature, next: [] });
    if (failure.accuses.length === 0) this.mute.push(name);
    if (decides === undefined) return;
    this.count++;
    const lines = failure.lines.filter(({ text }) => !text.startsWith('UVM_'));
    if (!lines.some(({ text }) => decisionPattern(decides).test(text))) this.hidden.push(name);
  }
}

/** Words of a line, in which `#` stands for any number. */
function decisionPattern(words: string): RegExp {
  const literal = words.split('#').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(literal.join('(?:0x[0-9a-f_]+|[0-9][0-9a-f_]*)'));
}
