import type { Proc } from '../../uvm/kernel/process.ts';
import type { QpSide } from './qpSide.ts';
import type { RegisteredBuffer } from './registeredBuffer.ts';

/** One direction of a connection, with memory for every kind of request. */
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

/** Registers the memory of a direction, `bytes` for each. */
export function* oneWay(from: QpSide, to: QpSide, bytes: number): Proc<OneWay> {
  const [source, copy] = [yield* from.source(bytes), yield* from.sink(bytes)];
  const [sink, target, remote] = [yield* to.sink(bytes), yield* to.sink(bytes), yield* to.source(bytes)];
  return { from, to, source, sink, target, copy, remote };
}
