/** Bugs of invalidation, of SENDs that invalidate, and of registration by requests. */
import { MPT_KIND } from '../../layout/contexts.ts';
import { changesKey, WQE_OPCODE } from '../../layout/queues.ts';
import { KeyWork } from '../../model/memory/keyWork.ts';
import type { Asker, KeyUnit } from '../../model/memory/keyUnit.ts';
import { DONE, MemoryKeys, WAITS } from '../../model/memory/memoryKeys.ts';
import { MPT_DW } from '../../model/memory/region.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { RequestPackets } from '../../model/transport/requestPackets.ts';
import { Requester } from '../../model/transport/requester.ts';
import { Responder } from '../../model/transport/responder.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { qpPd } from '../../model/qpContext.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, type Fault, faultsOf, planted } from '../fault.ts';
import { INVALIDATION_ROWS } from './rows/invalidationRows.ts';

/** Time after which a late invalidation is carried out, ps. */
const LATE = 30_000_000;

type MayInvalidate = (flags: number, right: boolean, qpn: number, asker: Asker, remote: boolean) => boolean;

function invalidating(may: MayInvalidate): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      protected override mayInvalidate(w: Int32Array, e: number, asker: Asker, remote: boolean): boolean {
        const right = super.mayInvalidate(w, e, asker, remote);
        return may(w[e + MPT_DW.flags] as number, right, w[e + MPT_DW.qpn] as number, asker, remote);
      }
    },
  });
}

class NeverClosed extends MemoryKeys {
  protected override close(): void {}
}

/** What was noted of a region is used on. */
class NoteKept extends MemoryKeys {
  protected override close(w: Int32Array, e: number): void {
    w[e + MPT_DW.flags] = (w[e + MPT_DW.flags] as number) | MPT_KIND.free;
    this.core.mpt.touch(e << 2);
  }
}

function losing(opcode: number): Fault['create'] {
  return planted({
    keys: class extends MemoryKeys {
      readonly #turn = new Every(3);
      override request(r: SendRequest, asker: Asker): number {
        return r.opcode === opcode && this.#turn.hit() ? DONE : super.request(r, asker);
      }
    },
  });
}

/** A failed invalidation ends as if it had not. */
class FailureSilent extends MemoryKeys {
  override request(r: SendRequest, asker: Asker): number {
    const result = super.request(r, asker);
    return r.opcode === WQE_OPCODE.localInv && result > 0 ? DONE : result;
  }
}

type Invalidates = (work: KeyWork, key: number, asker: Asker, keys: KeyUnit) => number;

function fromAfar(invalidates: Invalidates): Fault['create'] {
  return planted({
    responder: class extends Responder {
      protected override invalidates(slot: QpSlot, c: number, p: RxPacket): number {
        p.work ??= new KeyWork(p);
        const asker = { pd: qpPd(this.core.bytes.i32, c), qpn: slot.qpn };
        return invalidates(p.work as KeyWork, p.imm | 0, asker, this.core.keys);
      }
    },
  });
}

class InvalidatedLate extends Responder {
  protected override invalidates(slot: QpSlot, c: number, p: RxPacket): number {
    const [key, { keys, scheduler, bytes }] = [p.imm | 0, this.core];
    const asker = { pd: qpPd(bytes.i32, c), qpn: slot.qpn };
    const work = new KeyWork({ resume: () => undefined });
    scheduler.schedule(LATE, { fire: () => keys.invalidateFromAfar(work, key, asker) });
    return DONE;
  }
}

class RefusalAnswered extends Responder {
  protected override notInvalidated(slot: QpSlot, c: number, p: RxPacket): void {
    this.acknowledge(slot, c, p);
    super.notInvalidated(slot, c, p);
  }
}

class KeyNotTold extends Responder {
  protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
    if (p.bits & OP.ieth) p.imm = 0;
    super.completeReceive(slot, c, p, syndrome);
  }
}

class OtherKeySent extends RequestPackets {
  protected override invalidatedKey(r: SendRequest): number {
    return super.invalidatedKey(r) ^ 1;
  }
}

class PlainSend extends RequestPackets {
  protected override invalidation(first: boolean): number {
    return first ? BTH_OP.sendOnlyImm : BTH_OP.sendLastImm;
  }
}

class Unfenced extends Requester {
  protected override mayChangeKey(): boolean {
    return true;
  }
}

class Unreported extends SendCompletion {
  protected override completes(r: SendRequest, syndrome: number): boolean {
    return super.completes(r, syndrome) && (syndrome !== 0 || !changesKey(r.opcode));
  }
}

class OtherOpcode extends SendCompletion {
  protected override report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    if (changesKey(r.opcode)) r.opcode = WQE_OPCODE.send;
    super.report(slot, r, syndrome);
  }
}

class Registered extends MemoryKeys {
  protected override mayRegister(w: Int32Array, e: number): boolean {
    return ((w[e + MPT_DW.flags] as number) & MPT_KIND.fastRegistrable) !== 0;
  }
}

class AnyPages extends MemoryKeys {
  protected override holdsPages(): boolean {
    return true;
  }
}

class PageShifted extends MemoryKeys {
  protected override pageOf(w: Int32Array, d: number, i: number): number {
    return super.pageOf(w, d, i === 2 ? 1 : i);
  }
}

class RegionRights extends MemoryKeys {
  #registers = false;
  override request(r: SendRequest, asker: Asker): number {
    this.#registers = r.opcode === WQE_OPCODE.regMr;
    return super.request(r, asker);
  }
  protected override rightsOf(asked: number): number {
    return this.#registers ? asked | 0xf : asked;
  }
}

const isWindow = (flags: number): boolean => (flags & MPT_KIND.region) === 0;
const isOpen = (flags: number): boolean => (flags & MPT_KIND.free) === 0;
const through: Invalidates = (work, key, asker, keys) => keys.invalidateFromAfar(work, key, asker);

export const INVALIDATION_FAULTS = faultsOf(INVALIDATION_ROWS, {
  invalidation_undone: planted({ keys: NeverClosed }),
  invalidation_note_kept: planted({ keys: NoteKept }),
  local_invalidation_lost: losing(WQE_OPCODE.localInv),
  local_invalidation_silent: planted({ keys: FailureSilent }),
  local_invalidation_unfenced: planted({ requester: Unfenced }),
  invalidation_of_type1: invalidating((flags, right) => right || (isWindow(flags) && isOpen(flags))),
  invalidation_of_any_pair: invalidating(
    (flags, right) => right || (isWindow(flags) && isOpen(flags) && (flags & MPT_KIND.type2) !== 0),
  ),
  invalidation_of_any_region: invalidating(
    (flags, right, _qpn, _asker, remote) => right || (remote && !isWindow(flags)),
  ),
  invalidation_of_free: invalidating((flags, right) => right || !isOpen(flags)),
  remote_invalidation_lost: fromAfar(() => DONE),
  remote_invalidation_of_other: fromAfar((work, key, asker, keys) => keys.invalidateFromAfar(work, key ^ 0x100, asker)),
  remote_invalidation_forgiven: fromAfar((...args) => {
    const result = through(...args);
    return result === WAITS ? WAITS : DONE;
  }),
  remote_invalidation_late: planted({ responder: InvalidatedLate }),
  remote_invalidation_answered: planted({ responder: RefusalAnswered }),
  invalidated_key_not_told: planted({ responder: KeyNotTold }),
  invalidated_key_sent_wrong: planted({ requestPackets: OtherKeySent }),
  invalidating_send_as_immediate: planted({ requestPackets: PlainSend }),
  key_change_unreported: planted({ sendCompletion: Unreported }),
  key_change_opcode: planted({ sendCompletion: OtherOpcode }),
  registration_twice: planted({ keys: Registered }),
  registration_lost: losing(WQE_OPCODE.regMr),
  registration_pages_unchecked: planted({ keys: AnyPages }),
  registration_page_repeated: planted({ keys: PageShifted }),
  registration_rights_all: planted({ keys: RegionRights }),
});
