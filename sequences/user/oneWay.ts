import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from './connection.ts';
import type { QpSide } from './qpSide.ts';
import type { RegisteredBuffer } from './memory/registeredBuffer.ts';

/** One direction of a connection, with memory for every kind of request. @public */
export interface OneWay {
  readonly from: QpSide;
  readonly to: QpSide;
  /** What SENDs and WRITEs carry, and where SENDs and WRITEs go. */
  readonly source: RegisteredBuffer;
  readonly sink: RegisteredBuffer;
  readonly target: RegisteredBuffer;
  /** What `from` READs into, and from where. */
  readonly copy: RegisteredBuffer;
  readonly remote: RegisteredBuffer;
}

/** Registers the memory of a direction, `bytes` for each. @public */
export function* oneWay(from: QpSide, to: QpSide, bytes: number): Proc<OneWay> {
  const [source, copy] = [yield* from.source(bytes), yield* from.sink(bytes)];
  const [sink, target, remote] = [yield* to.sink(bytes), yield* to.sink(bytes), yield* to.source(bytes)];
  return { from, to, source, sink, target, copy, remote };
}

/** The directions from left to right of all connections of a sequence, with memory for a packet each. @public */
export function* waysOf({
  connections,
  values,
}: {
  readonly connections: readonly Connection[];
  readonly values: { readonly MTU: number };
}): Proc<readonly OneWay[]> {
  const ways: OneWay[] = [];
  for (const { left, right } of connections) ways.push(yield* oneWay(left, right, values.MTU));
  return ways;
}

/** Posts a request of a kind with the memory of its direction; a SEND behind its receive. @public */
export function* ask(way: OneWay, request: 'send' | 'write' | 'read'): Proc<void> {
  const { from, to, source, target, sink, copy, remote } = way;
  if (request === 'send') {
    yield* to.receive(sink);
    yield* from.send(source);
  } else if (request === 'write') yield* from.write(source, target);
  else yield* from.read(copy, remote);
}
