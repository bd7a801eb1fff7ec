import { aHost } from '../../../rdma/subjectParts.ts';
import { CommandError } from '../../../env/verbs/hostErrors.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { talk } from '../../user/talk.ts';
import { FAILURES } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Codes of the time that a receiver asks for when it is not ready: 10 us and 40 us. */
const RNR_TIMERS = [1, 4] as const;
const RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
const BYTES = 300;

/**
 * Commands whose NIC cannot read what it is given: each must end with the internal error, and have done nothing; given again it
 * goes well, and its queue pair works on. Connections take turns, so that each rule meets the command that it is for.
 */
export class FailedCommands extends UserSequence {
  static readonly typeName: string = 'failed_commands';
  static readonly description: string =
    'commands that the NIC cannot read, and that software repeats; +SEQ_COUNT=8 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    yield* byTurns(this, (connection, i) => this.#turn(connection, i));
  }

  *#turn(connection: Connection, round: number): Proc<void> {
    const { left, right } = connection;
    const side = (round & 1) === 0 ? left : right;
    const how = FAILURES[(round >> 1) % FAILURES.length] as string;
    yield* talk(this, yield* oneWay(left, right, BYTES));
    const minRnrTimer = RNR_TIMERS[round & 1] as number;
    const change = { state: QP_STATE.rts, minRnrTimer, accessFlags: RIGHTS };
    yield* this.#twice(side, `${how} area=command`, 'change of a queue pair', () => side.api.modifyQp(side.qp, change));
    yield* side.api.queryQp(side.qp);
    yield* this.#twice(side, `${how} area=command`, 'region', () => side.sink(BYTES));
    yield* talk(this, yield* oneWay(left, right, BYTES));
  }

  /** Gives a command whose first read fails, and gives it again. */
  *#twice(side: QpSide, rule: string, what: string, give: () => Proc<unknown>): Proc<void> {
    const fault = this.pcie.fault(`${rule} host=${side.host} nth=1 optional`);
    const failed = yield* failureOf(give());
    fault.stop();
    // A NIC may hold what it needs already, or have no mailboxes.
    if (fault.fired === 0) return;
    if (failed === undefined)
      this.error('SEQ_STATUS', `the command for the ${what} ended well, although its NIC could not read it`, [
        aHost(side.host),
      ]);
    else yield* give();
  }
}

/** What a command has failed with; undefined when it went well. */
function* failureOf(work: Proc<unknown>): Proc<CommandError | undefined> {
  try {
    yield* work;
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
}
