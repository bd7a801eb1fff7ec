/** What other blocks ask of the unit for keys: regions and windows that requests bind, register and invalidate. */
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { SendRequest } from '../transport/qpSlot.ts';
import type { KeyWork } from './keyWork.ts';

/** Queue pair for which a key is changed, and its protection domain. */
export interface Asker {
  readonly pd: number;
  readonly qpn: number;
}

export interface KeyUnit {
  reset(): void;
  /** Goes on with a request of a send queue. @returns `DONE`, `WAITS`, or the syndrome that it fails with */
  request(r: SendRequest, asker: Asker): number;
  /** A request is over, whatever has become of it. */
  release(r: SendRequest): void;
  /** Goes on with what a SEND takes away. @returns as `request` */
  invalidateFromAfar(work: KeyWork, key: number, asker: Asker): number;
  /** A window is handed over. @returns false where there is no room for it */
  windowMade(): boolean;
  /** One has been taken back. */
  windowGone(): void;
  /** Whether HW2SW_MPT may take the entry at dword `e` (T-068). */
  mayTakeBack(w: Int32Array, e: number): boolean;
  /** A window is bound to a region no more: that counts one fewer. @returns false when `asker` has to wait */
  unbound(window: number, parent: number, asker: Resumable): boolean;
  /** The region of a key is gone: so are its windows, where it could be taken back with some bound. @returns false when `asker` has to wait */
  regionGone(key: number, asker: Resumable): boolean;
}
