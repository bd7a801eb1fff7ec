import { CPL_STATUS, type CplStatus, type Tlp } from '../../dut-model/nic.ts';

/** What is to happen to one request of the NIC. Reused: a hook changes what it wants changed. */
export class PcieVerdict {
  /** Extra time, ps: until a write arrives (what follows waits too) or until a read is answered. */
  delay = 0;
  /** Answer the read so much later, ps, and let answers to other reads overtake it. */
  hold = 0;
  /** Take no posted write before this one for so long, ps. */
  pressure = 0;
  /** Cut the answer at every read completion boundary. */
  split = false;
  /** Answer the read with poisoned data, no byte of which is right; treat the write as poisoned, so that it never reaches memory. */
  poison = false;
  /** Anything but success: answer the read so, without data; drop the write. */
  status: CplStatus = CPL_STATUS.success;
  /** Never answer the read (a completion time-out at the NIC); drop the write. */
  lose = false;

  /** Whether the request does not end as it should. */
  get fails(): boolean {
    return this.poison || this.lose || this.status !== CPL_STATUS.success;
  }

  /** Back to "carry it out". */
  clear(): void {
    this.delay = 0;
    this.hold = 0;
    this.pressure = 0;
    this.split = false;
    this.poison = false;
    this.status = CPL_STATUS.success;
    this.lose = false;
  }
}

/** Where fault rules take hold of DMA requests: called once for each, in the order in which the NIC sends them. */
export interface PcieFaultHook {
  judge(host: number, tlp: Tlp, verdict: PcieVerdict): void;
}
