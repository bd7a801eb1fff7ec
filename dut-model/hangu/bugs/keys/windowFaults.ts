/** Bugs of memory windows. */
import { MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import type { Asker } from '../../model/memory/keyUnit.ts';
import { DONE, MemoryKeys } from '../../model/memory/memoryKeys.ts';
import { MPT_DW } from '../../model/memory/region.ts';
import { Translation, XLATE } from '../../model/memory/translation.ts';
import type { SendRequest } from '../../model/transport/qpSlot.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import { Every, type Fault, faultsOf, planted } from '../fault.ts';
import { WINDOW_ROWS } from './rows/windowRows.ts';

const REMOTE = MPT_PERMISSION.remoteWrite | MPT_PERMISSION.remoteRead | MPT_PERMISSION.remoteAtomic;

function granting(rightsOf: (asked: number) => number): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      protected override rightsOf(asked: number): number {
        return rightsOf(asked);
      }
    },
  });
}

function inside(isInside: (from: number, length: number, size: number) => boolean): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      protected override isInside(from: number, length: number, size: number): boolean {
        return isInside(from, length, size);
      }
    },
  });
}

/** What a region must allow, but for some. @param spared bits of its flags that are taken to be there */
function letting(spared: number): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      protected override lets(w: Int32Array, e: number, rights: number): boolean {
        const flags = w[e + MPT_DW.flags] as number;
        w[e + MPT_DW.flags] = flags | spared;
        const lets = super.lets(w, e, rights);
        w[e + MPT_DW.flags] = flags;
        return lets;
      }
    },
  });
}

type MayBind = (w: Int32Array, e: number, type2: boolean, length: number) => boolean;

function binding(also: MayBind): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      protected override mayBind(w: Int32Array, e: number, type2: boolean, length: number, asker: Asker): boolean {
        return super.mayBind(w, e, type2, length, asker) || also(w, e, type2, length);
      }
    },
  });
}

function opening(opens: (right: number, flags: number, need: number) => number): Fault['create'] {
  return planted({
    translation: class extends Translation {
      protected override opensChanged(flags: number, qpn: number, need: number): number {
        return opens(super.opensChanged(flags, qpn, need), flags, need);
      }
    },
  });
}

class AnyDomain extends MemoryKeys {
  protected override isOfDomain(): boolean {
    return true;
  }
}

class NextPair extends MemoryKeys {
  protected override boundTo(asker: Asker): number {
    return super.boundTo(asker) + 1;
  }
}

class FirstPage extends MemoryKeys {
  protected override pagesBefore(): number {
    return 0;
  }
}

class FreedUnderWindows extends MemoryKeys {
  override mayTakeBack(): boolean {
    return true;
  }
}

class NeverUnbound extends MemoryKeys {
  override unbound(_window: number, _parent: number, _asker: Resumable): boolean {
    return true;
  }
}

class BindsLost extends MemoryKeys {
  readonly #turn = new Every(3);
  override request(r: SendRequest, asker: Asker): number {
    return r.opcode === WQE_OPCODE.bindMw && this.#turn.hit() ? DONE : super.request(r, asker);
  }
}

class BindStatus extends MemoryKeys {
  override request(r: SendRequest, asker: Asker): number {
    const result = super.request(r, asker);
    return result === CQE_SYNDROME.mwBind ? CQE_SYNDROME.localProtection : result;
  }
}

/** The tag of before stays. */
class KeyUnchanged extends MemoryKeys {
  protected override keyOf(asked: number): number {
    const tag = super.keyOf(asked);
    return (tag & ~0xff) | ((tag - 1) & 0xff);
  }
}

class AnyPair extends Translation {
  protected override sameQueuePair(): boolean {
    return true;
  }
}

/** @param mask bits of a key that are compared */
function comparing(mask: number): Fault['create'] {
  return planted({
    translation: class extends Translation {
      protected override sameKey(entry: number, key: number): boolean {
        return ((entry ^ key) & mask) === 0;
      }
    },
  });
}

const isWindow = (flags: number): boolean => (flags & MPT_KIND.region) === 0;

class CountedForGood extends MemoryKeys {
  override settle(): boolean {
    return true;
  }
}

class HalfTheRoom extends MemoryKeys {
  protected override hasRoom(windows: number): boolean {
    return super.hasRoom(2 * windows);
  }
}

class AnyNumber extends MemoryKeys {
  protected override hasRoom(): boolean {
    return true;
  }
}

export const WINDOW_FAULTS = faultsOf(WINDOW_ROWS, {
  window_rights_all: granting((asked) => asked | REMOTE),
  window_atomics_lost: granting((asked) => asked & ~MPT_PERMISSION.remoteAtomic),
  window_zero_based_lost: granting((asked) => asked & ~MPT_PERMISSION.zeroBased),
  window_front_unchecked: inside((from, length, size) => from + length <= size),
  window_rear_unchecked: inside((from) => from >= 0),
  window_rear_by_one: inside((from, length, size) => from >= 0 && from + length <= size + 1),
  window_bind_right_unchecked: letting(MPT_PERMISSION.mwBind),
  window_local_write_unchecked: letting(MPT_PERMISSION.localWrite),
  window_domain_unchecked: planted({ keys: AnyDomain }),
  window_bound_twice: binding(
    (w, e, type2, length) => type2 && length > 0 && ((w[e + MPT_DW.flags] as number) & MPT_KIND.type2) !== 0,
  ),
  window_empty_bound: binding(
    (w, e, type2, length) => type2 && length === 0 && isWindow(w[e + MPT_DW.flags] as number),
  ),
  window_type_unchecked: binding((w, e, type2) => isWindow(w[e + MPT_DW.flags] as number) && !type2),
  window_of_next_pair: planted({ keys: NextPair }),
  window_of_any_pair: planted({ translation: AnyPair }),
  window_of_own_side: opening((right, flags, need) => (isWindow(flags) && (need & REMOTE) === 0 ? XLATE.ok : right)),
  window_atomics_refused: opening((right, flags, need) =>
    isWindow(flags) && (need & MPT_PERMISSION.remoteAtomic) !== 0 ? XLATE.key : right,
  ),
  window_first_page: planted({ keys: FirstPage }),
  window_region_freed: planted({ keys: FreedUnderWindows }),
  window_never_unbound: planted({ keys: NeverUnbound }),
  window_bind_lost: planted({ keys: BindsLost }),
  window_bind_status: planted({ keys: BindStatus }),
  window_key_unchanged: planted({ keys: KeyUnchanged }),
  window_count_leaks: planted({ keys: CountedForGood }),
  window_limit_half: planted({ keys: HalfTheRoom }),
  window_limit_unchecked: planted({ keys: AnyNumber }),
  key_tag_ignored: comparing(~0xff),
  key_tag_in_part: comparing(~0xfe),
});
