import type { Component } from '../../uvm/base/component.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { UVM_HIGH } from '../../uvm/report/verbosity.ts';
import { Driver } from '../../uvm/seq/driver.ts';
import type { PcieBarItem } from './pcieBarItem.ts';
import type { PcieMaster } from './pcieMaster.ts';
import type { PcieReportId } from './pcieMonitor.ts';

/** What a driver is built with. */
export interface PcieDriverOptions {
  readonly master: PcieMaster;
}

/**
 * Performs the BAR accesses of sequences by the master, one after the other: a write is done when it is posted, a read
 * when its answer is in the item. Items that are done are seen at `rspPort` as well; there are no other responses.
 */
export class PcieDriver extends Driver<PcieBarItem> {
  readonly #master: PcieMaster;

  constructor(name: string, parent: Component, { master }: PcieDriverOptions) {
    super(name, parent);
    this.#master = master;
  }

  override *runPhase(): Proc {
    for (;;) {
      const item = yield* this.seqItemPort.getNextItem();
      yield* this.perform(item);
      this.info('PCIE_ITEM' satisfies PcieReportId, () => item.convertToString(), UVM_HIGH);
      this.rspPort.write(item);
      this.seqItemPort.itemDone();
    }
  }

  /** Carries out one access; overridable. */
  protected *perform(item: PcieBarItem): Proc {
    const { rw, bar, offset, data } = item;
    if (rw === 'write') this.#master.barWrite(bar, offset, data);
    else item.data = [yield* this.#master.barRead32(bar, offset)];
  }
}
