/** Says to the NIC how many completions software has taken of each queue, where software does so. */
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { CqIndices } from '../../../../env/settings/cqIndices.ts';
import type { HanguCq, HanguQp } from '../hanguObjects.ts';
import type { Doorbells } from './doorbells.ts';

export class CqIndexTeller {
  readonly #host: Pick<ProviderHost, 'cqIndices' | 'indexTold'>;
  readonly #doorbells: Doorbells;
  /** Parts of a ring of which one may be taken before the NIC is told; 0 = it is never told. */
  readonly #parts: CqIndices['parts'];

  constructor(host: Pick<ProviderHost, 'cqIndices' | 'indexTold'>, doorbells: Doorbells) {
    this.#host = host;
    this.#doorbells = doorbells;
    this.#parts = host.cqIndices.parts;
  }

  /** Software has taken a completion: the NIC is told when it has taken part of the ring, or all that there is. */
  taken(cq: HanguCq): void {
    if (this.#parts === 0) return;
    const untold = cq.consumed - cq.told;
    if (untold * this.#parts >= cq.entries || cq.arrived === 0) this.#tell(cq);
  }

  /** Software gives a queue pair more to do, for which there is room where completions have been taken. */
  posting({ sendCq, recvCq }: HanguQp): void {
    if (this.#parts === 0) return;
    this.before(sendCq as HanguCq);
    if (recvCq !== sendCq) this.before(recvCq as HanguCq);
  }

  /** The NIC must know before what comes next. */
  before(cq: HanguCq): void {
    if (this.#parts > 0 && cq.told !== cq.consumed) this.#tell(cq);
  }

  /** Software arms a queue, which tells the same. */
  armed(cq: HanguCq): void {
    if (this.#parts === 0) return;
    cq.told = cq.consumed;
    this.#host.indexTold(cq);
  }

  #tell(cq: HanguCq): void {
    cq.told = cq.consumed;
    this.#host.indexTold(cq);
    this.#doorbells.cqIndex(cq.process, cq.cqn, cq.first + cq.consumed);
  }
}
