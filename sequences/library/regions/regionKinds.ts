import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const PAGE = 4096;
const LARGE = 0x20_0000;
const LENGTHS = [100, PAGE, 3 * PAGE + 1, LARGE] as const;
/** Requests are of so many bytes at most. */
const MOST = 2000;
const RIGHTS = [
  0,
  ACCESS.localWrite,
  ACCESS.remoteRead,
  ACCESS.localWrite | ACCESS.remoteRead,
  ACCESS.localWrite | ACCESS.remoteWrite,
  ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead,
] as const;

/**
 * Regions of all rights and lengths, with virtual and with zero-based addresses, of one and the same memory: each serves
 * what its rights permit, at its first and at its last byte (roce-transport.md 4.4).
 */
export class RegionKinds extends UserSequence {
  static readonly typeName: string = 'region_kinds';
  static readonly description: string =
    'regions of all rights and lengths, virtual and zero-based, used within their rights';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['zeroBased'] } as const;

  override get connections(): readonly Connection[] {
    // Each takes memory of its own.
    return super.connections.slice(0, 2);
  }

  override *connection({ left, right }: Connection): Proc<void> {
    const memory = yield* right.sink(LARGE);
    const source = yield* left.source(MOST);
    const copy = yield* left.sink(MOST);
    for (const length of LENGTHS) {
      for (const access of RIGHTS) {
        for (const zeroBased of [false, true])
          yield* this.#use(
            { left, right, source, copy },
            yield* region(right, memory, { length, access, zeroBased }),
            access,
          );
      }
    }
  }

  /** What it permits, at its beginning and at its end. */
  *#use({ left, right, source, copy }: Ends, region: RegisteredBuffer, access: number): Proc<void> {
    const bytes = Math.min(MOST, region.length);
    for (const part of [region.part(0, bytes), region.part(region.length - bytes, bytes)]) {
      if ((access & ACCESS.remoteWrite) !== 0) {
        yield* left.write(source.part(0, bytes), part);
        this.expectSuccess(yield* left.sent(), 'WRITE');
      }
      if ((access & ACCESS.localWrite) !== 0) {
        yield* right.receive(part);
        yield* left.send(source.part(0, bytes));
        this.expectSuccess(yield* left.sent(), 'SEND');
        this.expectSuccess(yield* right.received(), 'receive');
      }
      if ((access & ACCESS.remoteRead) === 0) continue;
      yield* left.read(copy.part(0, bytes), part);
      this.expectSuccess(yield* left.sent(), 'READ');
    }
    yield* right.deregister(region);
  }
}

interface Ends {
  readonly left: QpSide;
  readonly right: QpSide;
  readonly source: RegisteredBuffer;
  readonly copy: RegisteredBuffer;
}

function* region(
  side: QpSide,
  { hi, lo }: RegisteredBuffer,
  kind: { readonly length: number; readonly access: number; readonly zeroBased: boolean },
): Proc<RegisteredBuffer> {
  const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, ...kind });
  return kind.zeroBased
    ? new RegisteredBuffer(0, 0, kind.length, mr.key, mr)
    : new RegisteredBuffer(hi, lo, kind.length, mr.key, mr);
}
