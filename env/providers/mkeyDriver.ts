/** Memory windows, and regions that requests register, of a driver. The host has checked what holds for every NIC. */
import type { Proc } from '../../uvm/kernel/process.ts';
import type { FastMr, Mw, MwType, Pd } from '../verbs/verbsObjects.ts';

export interface MkeyDriver {
  allocMw(pd: Pd, type: MwType): Proc<Mw>;
  deallocMw(mw: Mw): Proc<void>;
  /** @throws HostApiError of kind LIMIT for more pages than a request can name */
  allocMr(pd: Pd, maxPages: number): Proc<FastMr>;
  deallocMr(mr: FastMr): Proc<void>;
}
