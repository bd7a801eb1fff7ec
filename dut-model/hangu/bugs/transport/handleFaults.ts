/** Bugs of address handles: the domain that they belong to, and the path that they give a datagram. */
import { UD_SEG } from '../../layout/queues.ts';
import type { HandlePath } from '../../model/datagramTemplate.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { RequestPackets } from '../../model/transport/requestPackets.ts';
import { faultsOf, planted, type Fault } from '../fault.ts';
import { HANDLE_ROWS } from './rows/handleRows.ts';

const PD = UD_SEG.pd >> 2;
const ATTRIBUTES = UD_SEG.attributes >> 2;

function hasAttributes(w: Int32Array, u: number): boolean {
  return ((w[u + ATTRIBUTES] as number) & UD_SEG.attributesFlag) !== 0;
}

/** Compares the domains in some of their bits. */
function comparing(mask: number): Fault['create'] {
  return planted({
    sendQueue: class extends SendQueue {
      protected override mayUseHandle(w: Int32Array, u: number, pd: number): boolean {
        return !hasAttributes(w, u) || (((w[u + PD] as number) ^ pd) & mask) === 0;
      }
    },
  });
}

/** Refuses the datagram behind one that was refused too, if it says what its handle is like. */
class RefusedTwice extends SendQueue {
  #latest = true;
  protected override mayUseHandle(w: Int32Array, u: number, pd: number): boolean {
    const may = super.mayUseHandle(w, u, pd);
    const before = this.#latest;
    this.#latest = may;
    return may && (before || !hasAttributes(w, u));
  }
}

/** Sends by another path than the handle says. */
function going(change: (path: HandlePath, w: Int32Array, u: number) => HandlePath): Fault['create'] {
  return planted({
    requestPackets: class extends RequestPackets {
      protected override pathOf(w: Int32Array, u: number): HandlePath {
        return change(super.pathOf(w, u), w, u);
      }
    },
  });
}

class StickyPath extends RequestPackets {
  #latest: HandlePath | undefined;
  protected override pathOf(w: Int32Array, u: number): HandlePath {
    const path = super.pathOf(w, u);
    const before = this.#latest;
    this.#latest = hasAttributes(w, u) ? path : undefined;
    return this.#latest ?? (before === undefined ? path : { ...before, gidIndex: path.gidIndex });
  }
}

export const HANDLE_FAULTS = faultsOf(HANDLE_ROWS, {
  handle_domain_ignored: comparing(0),
  handle_domain_low_bits: comparing(0xff),
  handle_domain_high_bits: comparing(0xff_0000),
  handle_refused_twice: planted({ sendQueue: RefusedTwice }),
  handle_class_ignored: going((path) => ({ ...path, trafficClass: 0 })),
  handle_class_ecn_cut: going((path) => ({ ...path, trafficClass: path.trafficClass & 0xfc })),
  handle_flow_cut: going((path) => ({ ...path, flowLabel: path.flowLabel & 0xffff })),
  handle_hop_limit_ignored: going((path) => ({ ...path, hopLimit: 64 })),
  handle_hop_limit_less: going((path) => ({ ...path, hopLimit: path.hopLimit - (path.hopLimit === 64 ? 0 : 1) })),
  handle_gid_index_ignored: going((path, w, u) => (hasAttributes(w, u) ? { ...path, gidIndex: 0 } : path)),
  handle_path_sticks: planted({ requestPackets: StickyPath }),
});
