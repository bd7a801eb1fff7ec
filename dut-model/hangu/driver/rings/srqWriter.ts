/**
 * Rings of shared receive queues: a linked list, as receives come back in any order (dut-model/hangu/layout/sharedReceives.ts).
 * There is always a slot to which the receive posted last leads, so that a ring has one slot more than receives.
 */
import { SRQ_AREA } from '../../layout/sharedReceives.ts';
import { NEXT_SEG, WQE_UNIT } from '../../layout/queues.ts';
import type { RecvWr } from '../../../../agents/verbs/verbsItems.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { HanguSrq } from '../hanguObjects.ts';
import { putRecvEntry } from './wqeWriter.ts';

const PAGE_MASK = 0xfff;

/** Writes receives into the rings. */
export class SrqWriter {
  readonly #host: Pick<ProviderHost, 'memory' | 'map'>;

  constructor(host: Pick<ProviderHost, 'memory' | 'map'>) {
    this.#host = host;
  }

  /** Writes a receive that the one in slot `next` will follow. */
  write({ process, srqn, rqStrideLog: strideLog }: HanguSrq, slot: number, next: number, wr: RecvWr): void {
    const { map, memory } = this.#host;
    const offset = slot << strideLog;
    map.translate(process, SRQ_AREA.hi | (srqn >>> 8), (srqn << SRQ_AREA.srqnShift) | offset);
    const page = memory.pageForWrite(map.physHi, map.physLo >>> 12);
    const link = ((next << strideLog) / WQE_UNIT) << NEXT_SEG.offsetShift;
    putRecvEntry(memory.bytes.i32, (page + (offset & PAGE_MASK)) >>> 2, wr, link, 0, 0);
  }
}
