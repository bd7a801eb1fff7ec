/** Bugs that show where a command engine cannot read its mailbox. */

import { CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { FAILED_COMMANDS } from './pcieStimulus.ts';

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

export const MAILBOX_FAULTS: readonly Fault[] = [
  {
    name: 'pcie_mailbox_trusted',
    block: 'commandEngine',
    description: 'a command whose mailbox could not be read is carried out with what was there before',
    caughtBy: ['HCA_CMD_STATUS', 'SEQ_STATUS'],
    needs: FAILED_COMMANDS,
    create: planted({ commands: MailboxTrusted }),
  },
  {
    name: 'pcie_parameters_blamed',
    block: 'commandEngine',
    description: 'a command whose mailbox could not be read is refused for its parameters',
    caughtBy: ['HCA_CMD_STATUS'],
    needs: FAILED_COMMANDS,
    create: planted({ commands: ParametersBlamed }),
  },
];
