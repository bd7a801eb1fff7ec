import type { Component } from '../../uvm/base/component.ts';
import type { Request } from '../../uvm/seq/request.ts';
import { Sequencer } from '../../uvm/seq/sequencer.ts';
import { checkAccess } from './barChecks.ts';
import type { PcieBarItem } from './pcieBarItem.ts';
import { PcieUsageError } from './pcieError.ts';
import type { PcieHostSettings } from './pcieSettings.ts';

/** What a sequencer is built with. */
export interface PcieSequencerOptions {
  readonly settings: PcieHostSettings;
}

const LEAST_WORD = -(2 ** 31);
const MOST_WORD = 2 ** 32 - 1;

/**
 * Takes BAR accesses of sequences for the driver of a PCIe host agent. The host's software goes to the master itself,
 * and waits for no turn here: a lock keeps other sequences out, and not the software.
 */
export class PcieSequencer extends Sequencer<PcieBarItem> {
  readonly #settings: PcieHostSettings;

  constructor(name: string, parent: Component, { settings }: PcieSequencerOptions) {
    super(name, parent);
    this.#settings = settings;
  }

  /** @throws PcieUsageError into the sequence, for an access that is not possible; the next one has its turn then */
  override sendItem(request: Request): void {
    try {
      this.#check(request.item as PcieBarItem);
    } catch (error) {
      this.withdraw(request);
      throw error;
    }
    super.sendItem(request);
  }

  #check({ rw, bar, offset, data }: PcieBarItem): void {
    const { maxPayload, maxReadRequest } = this.#settings;
    if (rw === 'read') checkAccess('read item', bar, offset, 4, maxReadRequest);
    else checkAccess('write item', bar, offset, 4 * data.length, maxPayload);
    const wrong = data.find((word) => !(Number.isInteger(word) && word >= LEAST_WORD && word <= MOST_WORD));
    if (wrong !== undefined) throw new PcieUsageError(`${rw} item: data`, wrong, 'use integers of 32 bits');
  }
}
