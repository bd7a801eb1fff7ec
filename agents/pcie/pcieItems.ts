import { Tlp } from '../../dut-model/nic.ts';

export { TLP_KIND, type Tlp } from '../../dut-model/nic.ts';

/** One part of a read's answer, on its way to the NIC. Reused: valid during the call of the analysis port. */
export class CompletionItem {
  host = 0;
  tlp: Tlp = new Tlp();
  /** Bytes [from, from + count) of the request are answered; `tlp.remaining` are still to come. */
  from = 0;
  count = 0;
  /** A fault rule swallowed the answer; the NIC will not see it. */
  lost = false;
}

/** An MSI-X message that reached the host. Reused: valid during the call of the analysis port. */
export class MsixMessage {
  host = 0;
  /** Where in the MSI-X window it was written to, bytes. */
  offset = 0;
  hi = 0;
  lo = 0;
  /** The 32 bits written. */
  data = 0;
}
