import { QP_TYPE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { OneWay } from './oneWay.ts';
import type { UserSequence } from './userSequence.ts';

/** A WRITE, a SEND and, on RC, a READ in one direction of a connection, which all succeed. @public */
export function* talk(sequence: UserSequence, way: OneWay): Proc<void> {
  const { from, to, source, sink, target, copy, remote } = way;
  const reliable = from.qp.type === QP_TYPE.rc;
  yield* to.receive(sink);
  yield* from.write(source, target);
  yield* from.send(source);
  if (reliable) yield* from.read(copy, remote);
  for (const what of reliable ? ['WRITE', 'SEND', 'READ'] : ['WRITE', 'SEND'])
    sequence.expectSuccess(yield* from.sent(), what);
  sequence.expectSuccess(yield* to.received(), 'receive');
}
