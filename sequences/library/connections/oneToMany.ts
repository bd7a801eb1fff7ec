import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Distribution } from '../../user/distribution.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 20_000;
const CREDITS = 3;

/**
 * Distribution: a message comes once, and goes to all peers of its host from the buffer that it came into; the buffer is received into
 * again when the last copy is completed. With `+MEM_DOMAIN=card` on a card, no byte of it passes memory of the host.
 */
export class OneToMany extends UserSequence {
  static readonly typeName: string = 'one_to_many';
  static readonly description: string =
    'messages that are forwarded from their receive buffer to all peers, with credits';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const { connections } = this;
    const [first] = connections;
    if (first === undefined) return;
    const same = connections.filter(
      ({ left }) => left.host === first.left.host && left.qp.process === first.left.qp.process,
    );
    yield* new Distribution({
      connections: same,
      messages: 6 * this.count,
      bytes: BYTES,
      credits: CREDITS,
      spawn: (name, body) => this.run.processes.spawn(name, body),
      expectSuccess: (completion, what) => this.expectSuccess(completion, what),
    }).run();
  }
}
