import { Component } from '../base/component.ts';
import type { Proc } from '../kernel/process.ts';
import type { Run } from '../run.ts';
import type { Transport } from './interfaces.ts';
import { TlmFifo } from './tlmFifo.ts';

/**
 * A request queue and a response queue side by side (1800.2 12.2.9 `uvm_tlm_req_rsp_channel`), which also serves as a
 * transport (`uvm_tlm_transport_channel`): a request goes in, the next response comes out.
 * @public
 */
export class ReqRspChannel<REQ, RSP> extends Component implements Transport<REQ, RSP> {
  readonly requests: TlmFifo<REQ>;
  readonly responses: TlmFifo<RSP>;

  /** @param capacity of each queue; default 1, 0 = unbounded. Answers come in order only with 1 */
  constructor(name: string, parent: Component | Run, capacity = 1) {
    super(name, parent);
    this.requests = new TlmFifo<REQ>('request_fifo', this, capacity);
    this.responses = new TlmFifo<RSP>('response_fifo', this, capacity);
  }

  *transport(request: REQ): Proc<RSP> {
    yield* this.requests.put(request);
    return yield* this.responses.get();
  }

  nbTransport(request: REQ): RSP | undefined {
    if (!this.requests.tryPut(request)) return undefined;
    return this.responses.tryGet();
  }
}
