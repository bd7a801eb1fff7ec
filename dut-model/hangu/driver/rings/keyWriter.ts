/** The segments of requests that change keys, and the page list of a registration. */
import type { KeyChange, SendWr } from '../../../../agents/verbs/verbsItems.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import { ACCESS, WR_OPCODE } from '../../../../rdma/verbs.ts';
import { carried, TWO_32 } from '../../../../uvm/bytes/words.ts';
import { LIST_AREA } from '../../layout/addressMap.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { BIND_SEG, INVALIDATE_SEG, PAGE_LIST, REG_SEG } from '../../layout/queues.ts';
import type { HanguQp } from '../hanguObjects.ts';

const LOG_PAGE = Math.log2(PAGE_BYTES);
const IN_PAGE = PAGE_BYTES - 1;

/** Units of the segment of a request that changes a key; 0 of others. */
export function keyUnits(opcode: number): number {
  if (opcode === WR_OPCODE.bindMw) return BIND_SEG.units;
  if (opcode === WR_OPCODE.regMr) return REG_SEG.units;
  return opcode === WR_OPCODE.localInv ? INVALIDATE_SEG.units : 0;
}

/** Pages that a range touches. */
export function pagesOf({ lo, length }: Pick<KeyChange, 'lo' | 'length'>): number {
  return Math.ceil(((lo & IN_PAGE) + length) / PAGE_BYTES);
}

export class KeyWriter {
  readonly #host: Pick<ProviderHost, 'memory' | 'map' | 'area'>;

  constructor(host: Pick<ProviderHost, 'memory' | 'map' | 'area'>) {
    this.#host = host;
  }

  /** Writes the segment at dword `at`. @param slot of the request in its ring */
  write(qp: HanguQp, slot: number, wr: SendWr, at: number): void {
    const w = this.#host.memory.bytes.i32;
    w.fill(0, at, at + 4 * keyUnits(wr.opcode));
    if (wr.opcode === WR_OPCODE.localInv) w[at + INVALIDATE_SEG.key] = wr.imm;
    else if (wr.opcode === WR_OPCODE.bindMw) putBind(w, at, wr.change as KeyChange);
    else this.#registration(qp, slot, wr.change as KeyChange, at);
  }

  #registration(qp: HanguQp, slot: number, change: KeyChange, at: number): void {
    const list = this.#list(qp, slot, change);
    const w = this.#host.memory.bytes.i32;
    w[at + REG_SEG.rights] = change.access | (change.zeroBased ? ACCESS.zeroBased : 0);
    w[at + REG_SEG.key] = change.key;
    w[at + REG_SEG.listLo] = list.lo;
    w[at + REG_SEG.listHi] = list.hi;
    w[at + REG_SEG.startLo] = change.lo;
    w[at + REG_SEG.startHi] = change.hi;
    w[at + REG_SEG.lengthLo] = change.length | 0;
    w[at + REG_SEG.lengthHi] = Math.floor(change.length / TWO_32);
    w[at + REG_SEG.offset] = change.lo & IN_PAGE;
    w[at + REG_SEG.logPage] = LOG_PAGE;
  }

  /** Writes the list of the pages of a range. @returns its physical address */
  #list(qp: HanguQp, slot: number, change: KeyChange): { readonly hi: number; readonly lo: number } {
    const { memory, map } = this.#host;
    const page = slot % LIST_AREA.pages;
    map.translate(qp.process, LIST_AREA.hi | (qp.qpn >>> 8), (qp.qpn << LIST_AREA.qpnShift) | (page * PAGE_BYTES) | 0);
    const [hi, lo] = [map.physHi, map.physLo];
    if (!qp.lists.has(page)) {
      qp.lists.add(page);
      this.#host.area('queue', hi, lo, PAGE_BYTES, true);
    }
    const base = memory.pageForWrite(hi, lo >>> LOG_PAGE) >> 2;
    const pages = Math.min(pagesOf(change), PAGE_LIST.mostPages);
    const first = (change.lo & ~IN_PAGE) >>> 0;
    for (let i = 0; i < pages; i++) {
      const at = first + i * PAGE_BYTES;
      map.translate(qp.process, carried(change.hi, at), at | 0);
      memory.bytes.i32[base + 2 * i] = map.physLo;
      memory.bytes.i32[base + 2 * i + 1] = map.busHi?.(map.physHi) ?? map.physHi;
    }
    return { hi: map.busHi?.(hi) ?? hi, lo };
  }
}

/** The pages of lists are no longer the NIC's to read. */
export function closeLists(host: Pick<ProviderHost, 'map' | 'area'>, qp: HanguQp): void {
  const { map } = host;
  for (const page of qp.lists) {
    map.translate(qp.process, LIST_AREA.hi | (qp.qpn >>> 8), (qp.qpn << LIST_AREA.qpnShift) | (page * PAGE_BYTES) | 0);
    host.area('queue', map.physHi, map.physLo, PAGE_BYTES, false);
  }
  qp.lists.clear();
}

function putBind(w: Int32Array, at: number, change: KeyChange): void {
  const { access } = change;
  w[at + BIND_SEG.rights] =
    (access & ACCESS.remoteAtomic ? BIND_SEG.atomic : 0) |
    (access & ACCESS.remoteWrite ? BIND_SEG.remoteWrite : 0) |
    (access & ACCESS.remoteRead ? BIND_SEG.remoteRead : 0);
  w[at + BIND_SEG.flags] = (change.type === 2 ? BIND_SEG.type2 : 0) | (change.zeroBased ? BIND_SEG.zeroBased : 0);
  w[at + BIND_SEG.newKey] = change.key;
  w[at + BIND_SEG.regionKey] = change.mrKey;
  w[at + BIND_SEG.addressLo] = change.lo;
  w[at + BIND_SEG.addressHi] = change.hi;
  w[at + BIND_SEG.lengthLo] = change.length | 0;
  w[at + BIND_SEG.lengthHi] = Math.floor(change.length / TWO_32);
}
