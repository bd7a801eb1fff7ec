/** Bugs of the four ports. */
import type { Frame } from '../../nic.ts';
import { PortSelector } from '../model/portSelector.ts';
import { Every, faultsOf, planted } from './cardFault.ts';
import { PORT_ROWS } from './rows/portRows.ts';

/** Takes the port of the frame before for every so manieth frame. */
class PortOfAnother extends PortSelector {
  readonly #wrong = new Every(7);
  #last = 0;

  protected override portOf(frame: Frame): number {
    const port = super.portOf(frame);
    const taken = this.#wrong.hit() ? this.#last : port;
    this.#last = port;
    return taken;
  }
}

/** Has all acknowledgements leave by the first port. */
class FirstPortAnswers extends PortSelector {
  protected override portOf(frame: Frame): number {
    return frame.length < SHORT ? 0 : super.portOf(frame);
  }
}

/** Ports 3 and 4 are taken for 1 and 2. */
class TwoPorts extends PortSelector {
  protected override portOf(frame: Frame): number {
    return super.portOf(frame) & 1;
  }
}

/** Bytes of an acknowledgement over IPv4, at most. */
const SHORT = 64;

export const PORT_FAULTS = faultsOf(PORT_ROWS, {
  port_of_another: planted({ ports: PortOfAnother }),
  answers_by_first_port: planted({ ports: FirstPortAnswers }),
  port_number_short: planted({ ports: TwoPorts }),
});
