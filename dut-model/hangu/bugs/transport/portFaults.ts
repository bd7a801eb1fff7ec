/** Bugs at the two ports of the NIC: transactions and frames that no port may send. */
import { HanguNic } from '../../model/hanguNic.ts';
import { CPL_STATUS, TLP_KIND } from '../../../nic.ts';
import type { CplStatus, Frame, LinkUpstream, PcieSettings, PcieUpstream, Tlp } from '../../../nic.ts';
import { Every, type Fault, faultsOf } from '../fault.ts';
import { PORT_ROWS } from './rows/portRows.ts';

/** What goes wrong, every so many times. Whatever is left out goes as it must. */
interface Bug {
  /** Default 50. */
  readonly turn?: number;
  /** Changes a request of the NIC before it is sent. */
  readonly request?: (tlp: Tlp) => void;
  readonly requestTwice?: boolean;
  /** Status of the answer to a BAR read; null = it is not answered. */
  readonly answer?: (tlp: Tlp) => CplStatus | null;
  readonly answerTwice?: boolean;
  /** Changes a frame before it is sent. */
  readonly frame?: (frame: Frame) => void;
  readonly frameTwice?: boolean;
  /** What the NIC takes the settings of the port to be. */
  readonly settings?: (settings: PcieSettings) => PcieSettings;
}

const USUAL_TURN = 50;

class BadPcie implements PcieUpstream {
  readonly settings: PcieSettings;
  readonly #port: PcieUpstream;
  readonly #bug: Bug;
  readonly #requests: Every;
  readonly #answers: Every;

  constructor(port: PcieUpstream, bug: Bug) {
    const { turn = USUAL_TURN, settings } = bug;
    this.settings = settings === undefined ? port.settings : settings(port.settings);
    this.#port = port;
    this.#bug = bug;
    this.#requests = new Every(turn);
    this.#answers = new Every(turn);
  }

  acquire(): Tlp {
    return this.#port.acquire();
  }

  send(tlp: Tlp): void {
    const hit = this.#requests.hit();
    if (hit) this.#bug.request?.(tlp);
    this.#port.send(tlp);
    if (hit && this.#bug.requestTwice === true) this.#port.send(tlp);
  }

  complete(tlp: Tlp, status: CplStatus): void {
    const { answer, answerTwice } = this.#bug;
    const hit = this.#answers.hit();
    const said = hit && answer !== undefined ? answer(tlp) : status;
    if (said !== null) this.#port.complete(tlp, said);
    if (hit && answerTwice === true) this.#port.complete(tlp, status);
  }
}

class BadLink implements LinkUpstream {
  readonly #port: LinkUpstream;
  readonly #bug: Bug;
  readonly #turn: Every;

  constructor(port: LinkUpstream, bug: Bug) {
    this.#port = port;
    this.#bug = bug;
    this.#turn = new Every(bug.turn ?? USUAL_TURN);
  }

  get freeAt(): number {
    return this.#port.freeAt;
  }

  acquire(): Frame {
    return this.#port.acquire();
  }

  send(frame: Frame): void {
    const hit = this.#turn.hit();
    if (hit) this.#bug.frame?.(frame);
    this.#port.send(frame);
    if (hit && this.#bug.frameTwice === true) this.#port.send(frame);
  }
}

/** A transaction on the PCIe port, or a frame on the Ethernet port, that goes wrong. */
function badPorts(bug: Bug): Fault['create'] {
  class BadPorts extends HanguNic {
    override connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
      super.connect(
        new BadPcie(host, bug),
        links.map((link) => new BadLink(link, bug)),
      );
    }
  }
  return (context, config) => new BadPorts(context, config);
}

/** Says that the first byte of a request is not meant, whatever its address. */
function holeInFront(t: Tlp): void {
  t.firstBe = 0b1010;
  t.lastBe = 0b1111;
}

/** Reads a page and sends a frame when the run is over. */
class RestlessNic extends HanguNic {
  #host: PcieUpstream | null = null;
  #link: LinkUpstream | null = null;

  override connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    this.#host = host;
    [this.#link = null] = links;
    super.connect(host, links);
  }

  finish(): void {
    const { bytes } = this.core;
    if (this.#host === null || this.#link === null) return;
    this.#host.send(Object.assign(this.#host.acquire(), { lo: 0x1000, length: 64, data: bytes.alloc(64) }));
    this.#link.send(Object.assign(this.#link.acquire(), { length: 64 }));
  }
}

/** No store is so large. */
const NOWHERE = 0xffff_ff00;

export const PORT_FAULTS = faultsOf(PORT_ROWS, {
  read_length: badPorts({ request: (t) => (t.length += 4096) }),
  request_data: badPorts({
    request: (t) => (t.data = NOWHERE),
  }),
  request_time: badPorts({
    request: (t) => (t.readyAt = Number.NaN),
  }),
  byte_enables: badPorts({ request: holeInFront }),
  request_bar: badPorts({ request: (t) => (t.bar = 0) }),
  poisoned_write: badPorts({ request: (t) => (t.poisoned = true) }),
  message_unplaced: badPorts({
    request: (t) => (t.interrupt ||= t.kind === TLP_KIND.memWrite),
  }),
  too_many_tags: badPorts({
    settings: (s) => ({ ...s, tags: 2 * s.tags }),
  }),
  request_repeated: badPorts({ requestTwice: true }),
  bar_answer_status: badPorts({
    turn: 10,
    answer: () => CPL_STATUS.unsupportedRequest,
  }),
  bar_answer_poisoned: badPorts({
    turn: 10,
    answer: (t) => {
      t.poisoned = true;
      return CPL_STATUS.success;
    },
  }),
  bar_answer_missing: badPorts({
    turn: 10,
    answer: () => null,
  }),
  bar_answer_repeated: badPorts({ turn: 10, answerTwice: true }),
  frame_repeated: badPorts({ frameTwice: true }),
  frame_cut: badPorts({ frame: (f) => (f.length = 10) }),
  frame_data: badPorts({
    frame: (f) => (f.data = NOWHERE),
  }),
  frame_time: badPorts({
    frame: (f) => (f.readyAt += 0.5),
  }),
  ports_after_finish: (context, config) => new RestlessNic(context, config),
});
