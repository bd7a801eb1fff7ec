/** Bugs that show where a command engine cannot read its mailbox. */
import { CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { faultsOf, planted } from '../fault.ts';
import { MAILBOX_ROWS } from './rows/mailboxRows.ts';

/** Carries a command out with whatever is in its inbox. */
class MailboxTrusted extends CommandEngine {
  override dmaDone(answer: number): void {
    super.dmaDone(answer, true);
  }
}

/** Blames the parameters of a command that it could not read. */
class ParametersBlamed extends CommandEngine {
  #unread = false;

  override dmaDone(answer: number, ok: boolean): void {
    this.#unread = !ok;
    super.dmaDone(answer, true);
    this.#unread = false;
  }

  protected override execute(handler: CommandHandler): number {
    return this.#unread ? CMD_STATUS.badParam : super.execute(handler);
  }
}

export const MAILBOX_FAULTS = faultsOf(MAILBOX_ROWS, {
  pcie_mailbox_trusted: planted({ commands: MailboxTrusted }),
  pcie_parameters_blamed: planted({ commands: ParametersBlamed }),
});
