import { Component } from '../base/component.ts';
import type { Run } from '../run.ts';
import { AnalysisPort } from '../tlm/analysisPort.ts';
import { SeqItemPort } from './seqItemPort.ts';
import type { SequenceItem } from './sequenceItem.ts';

/**
 * Base of drivers (1800.2 13.7 `uvm_driver`): takes items from a sequencer and turns them into activity.
 *
 * Connect it by `driver.seqItemPort.connect(sequencer)`, then loop in `runPhase`: `getNextItem`, act, `itemDone`.
 * @public
 */
export abstract class Driver<REQ extends SequenceItem, RSP extends SequenceItem = REQ> extends Component {
  readonly seqItemPort: SeqItemPort<REQ, RSP>;
  /** Responses for anybody who wants to see them; the driver writes them itself. */
  readonly rspPort: AnalysisPort<RSP>;

  constructor(name: string, parent: Component | Run) {
    super(name, parent);
    this.seqItemPort = new SeqItemPort<REQ, RSP>('seq_item_port', this);
    this.rspPort = new AnalysisPort<RSP>('rsp_port');
  }
}
