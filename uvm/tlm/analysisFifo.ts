import type { Component } from '../base/component.ts';
import type { Run } from '../run.ts';
import type { Subscriber } from './analysisPort.ts';
import { TlmFifo } from './tlmFifo.ts';

/**
 * An unbounded queue behind an analysis port (1800.2 12.2.9 `uvm_tlm_analysis_fifo`): `port.connect(fifo)`, then
 * `yield* fifo.get()` in a process. Items are kept by reference: not for pooled objects.
 * @public
 */
export class AnalysisFifo<T> extends TlmFifo<T> implements Subscriber<T> {
  constructor(name: string, parent: Component | Run) {
    super(name, parent, 0);
  }

  write(item: T): void {
    this.tryPut(item);
  }
}
