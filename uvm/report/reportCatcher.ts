import type { ReportMessage } from './reportMessage.ts';

/** What a catcher decides: pass the message on (perhaps changed), or end it here. @public */
export type CatchResult = 'throw' | 'caught';

/**
 * Sees every report before its actions and may change severity, id, text, verbosity or action, or drop the report
 * (1800.2 6.6 `uvm_report_catcher`). Catchers run in the order of registration; a caught report reaches no later one.
 * @public
 */
export interface ReportCatcher {
  readonly name: string;
  catch(message: ReportMessage): CatchResult;
}
