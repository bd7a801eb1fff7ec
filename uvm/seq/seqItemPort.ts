import type { Proc } from '../kernel/process.ts';
import { Port, type PortOwner } from '../tlm/port.ts';
import type { SequenceItem } from './sequenceItem.ts';

/** What a driver asks of a sequencer (1800.2 15.2.1 `uvm_sqr_if_base`). */
export interface SeqItemProvider<REQ extends SequenceItem, RSP extends SequenceItem = REQ> {
  /** Waits for the next item; each must be answered by `itemDone`. */
  getNextItem(): Proc<REQ>;
  /** As `getNextItem`, but null when no sequence offers an item at this instant. */
  tryNextItem(): Proc<REQ | null>;
  /** Completes the item taken by `getNextItem` or `tryNextItem`; a response is delivered to its sequence. */
  itemDone(response?: RSP): void;
  /** Waits for the next item and completes it at once. */
  get(): Proc<REQ>;
  /** Waits for the next item and leaves it. */
  peek(): Proc<REQ>;
  /** Delivers a response to the sequence whose request it carries (`setIdInfo`). */
  putResponse(response: RSP): void;
  /** Whether some sequence offers an item. */
  hasItem(): boolean;
}

/**
 * The port of a driver towards its sequencer (1800.2 15.2.2 `uvm_seq_item_pull_port`). May stay unconnected.
 * @public
 */
export class SeqItemPort<REQ extends SequenceItem, RSP extends SequenceItem = REQ>
  extends Port<SeqItemProvider<REQ, RSP>>
  implements SeqItemProvider<REQ, RSP>
{
  constructor(name: string, owner: PortOwner) {
    super(name, owner, 0, 1);
  }

  getNextItem(): Proc<REQ> {
    return this.at().getNextItem();
  }
  tryNextItem(): Proc<REQ | null> {
    return this.at().tryNextItem();
  }
  itemDone(response?: RSP): void {
    this.at().itemDone(response);
  }
  get(): Proc<REQ> {
    return this.at().get();
  }
  peek(): Proc<REQ> {
    return this.at().peek();
  }
  /** As `putResponse`: the name that the standard gives the call of a driver. */
  put(response: RSP): void {
    this.at().putResponse(response);
  }
  putResponse(response: RSP): void {
    this.at().putResponse(response);
  }
  hasItem(): boolean {
    return this.at().hasItem();
  }
}
