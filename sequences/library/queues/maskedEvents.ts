import type { HostApi } from '../../../env/verbs/hostApi.ts';
import { type Proc, delay, joinAll } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import { completionQueues } from '../../user/completionQueues.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
const MESSAGES = 6;
/** Times that a host masks its events in a round, and how long one of them takes at most, ns. */
const MASKS = 5;
const LONGEST = 8000;

/**
 * Software masks the interrupt of completion events and takes the mask back, again and again, while completions come to
 * queues that are armed: no event may come meanwhile, and none may be lost. Software arms a queue again as soon as it is
 * told of an event; which events are owed is for the scoreboard to judge.
 */
export class MaskedEvents extends UserSequence {
  static readonly typeName: string = 'masked_events';
  static readonly description: string = 'completion events that are masked and unmasked during traffic';

  override *body(): Proc {
    const queues = completionQueues(this.connections);
    const hosts = [...new Set(queues.values())];
    const listeners = hosts.map((api) => this.run.processes.spawn(`events${api.host}`, listen(api), { daemon: true }));
    for (const [cq, api] of queues) yield* api.armCq(cq, false);
    for (let round = 0; round < this.count; round++) {
      const maskers = hosts.map((api) => this.run.processes.spawn(`masks${api.host}`, this.#masks(api, round)));
      yield* this.forEachConnection((connection) => this.#exchange(connection, round));
      yield* joinAll(maskers);
      yield* this.quiet();
    }
    for (const listener of listeners) listener.kill();
  }

  *#masks(api: HostApi, round: number): Proc<void> {
    const random = this.run.random.stream(this.fullName, `masks ${round}`, api.host);
    for (let i = 0; i < MASKS; i++) {
      yield* api.maskEvents(true);
      yield* delay(random.range(0, LONGEST) * NS);
      yield* api.maskEvents(false);
      yield* delay(random.range(0, LONGEST) * NS);
    }
  }

  *#exchange(connection: Connection, round: number): Proc<void> {
    const random = this.run.random.stream(this.fullName, `messages ${round}`, connection.index);
    const { left, right } = connection;
    const send = function* (from: QpSide, to: QpSide): Proc<void> {
      yield* to.receive(yield* to.sink(BYTES));
      yield* from.send(yield* from.source(BYTES));
      yield* delay(random.range(0, LONGEST) * NS);
    };
    for (let i = 0; i < MESSAGES; i++) yield* random.chance(0.5) ? send(left, right) : send(right, left);
    for (const side of [left, right]) {
      while (side.qp.sendOutstanding > 0) this.expectSuccess(yield* side.sent(), 'SEND');
      while (side.qp.recvOutstanding > 0) this.expectSuccess(yield* side.received(), 'receive');
    }
  }
}

/** Arms again what has fired. */
function* listen(api: HostApi): Proc<void> {
  for (;;) yield* api.armCq(yield* api.waitEvent(), false);
}
