import { CPL_STATUS, type CplStatus, type Tlp } from '../../dut-model/nic.ts';

/** What is to happen to one request of the NIC. Reused: a hook changes what it wants changed. */
export class PcieVerdict {
  /** Extra time, ps: until a write arrives (what follows waits too) or until a read is answered. */
  delay = 0;
  /** Answer the read with poisoned data; treat the write as poisoned, so that it never reaches memory. */
  poison = false;
  /** Anything but success: answer the read so, without data; drop the write. */
  status: CplStatus = CPL_STATUS.success;
  /** Never answer the read (a completion time-out at the NIC); drop the write. */
  lose = false;

  /** Back to "carry it out". */
  clear(): void {
    this.delay = 0;
    this.poison = false;
    this.status = CPL_STATUS.success;
    this.lose = false;
  }
}

/** Where fault rules take hold of DMA requests: called once for each, in the order in which the NIC sends them. */
export interface PcieFaultHook {
  judge(host: number, tlp: Tlp, verdict: PcieVerdict): void;
}
