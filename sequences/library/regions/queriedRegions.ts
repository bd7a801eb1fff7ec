import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Pd } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const PAGE = 4096;
const LARGE = 65 * PAGE;
const LENGTHS = [1, PAGE, 3 * PAGE + 1, LARGE] as const;
const RIGHTS = [0, ACCESS.localWrite, ACCESS.remoteRead, ACCESS.localWrite | ACCESS.remoteWrite] as const;
const INSIDE = 129;
const BYTES = 100;

/**
 * Regions of several lengths, rights and domains, of which the NIC is asked what it knows: as soon as they are registered, and again
 * behind a WRITE that has used another one. Answers are the scoreboard's to judge.
 */
export class QueriedRegions extends UserSequence {
  static readonly typeName: string = 'queried_regions';
  static readonly description: string = 'queries of memory regions: lengths, rights, domains, virtual and zero-based';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['queryMr', 'zeroBased'] } as const;

  override get connections(): readonly Connection[] {
    // Each takes memory of its own.
    return super.connections.slice(0, 2);
  }

  override *connection({ left, right }: Connection): Proc<void> {
    const { source, target } = yield* oneWay(left, right, BYTES);
    const memory = yield* right.sink(LARGE);
    const { api, qp } = right;
    const other = api.allocPd(qp.process);
    for (let i = 0; i < this.count; i++) {
      for (const [n, length] of LENGTHS.entries()) {
        const access = RIGHTS[(n + i) % RIGHTS.length] as number;
        for (const zeroBased of [false, true])
          yield* this.#query(right, n % 2 === 0 ? qp.pd : other, memory, { length, access, zeroBased });
      }
      yield* left.write(source, target);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      if (target.mr !== undefined) yield* api.queryMr(target.mr);
    }
    api.deallocPd(other);
  }

  *#query({ api }: QpSide, pd: Pd, { hi, lo }: RegisteredBuffer, kind: Kind): Proc<void> {
    const inside = kind.length < LARGE ? INSIDE : 0;
    const mr = yield* api.regMr(pd, { hi, lo: lo + inside, ...kind });
    yield* api.queryMr(mr);
    yield* api.deregMr(mr);
  }
}

interface Kind {
  readonly length: number;
  readonly access: number;
  readonly zeroBased: boolean;
}
