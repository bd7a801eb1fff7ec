/** Bugs at the two ports of the NIC: transactions and frames that no port may send. */
import { HanguNic } from '../../model/hanguNic.ts';
import { CPL_STATUS, TLP_KIND } from '../../../nic.ts';
import type { CplStatus, Frame, LinkUpstream, PcieSettings, PcieUpstream, Tlp } from '../../../nic.ts';
import { Every } from '../fault.ts';
import type { Fault } from '../fault.ts';

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
  /** Of the planted bug. */
  readonly needs?: readonly string[];
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

function fault(name: string, block: string, description: string, id: string, bug: Bug): Fault {
  class BadPorts extends HanguNic {
    override connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
      super.connect(
        new BadPcie(host, bug),
        links.map((link) => new BadLink(link, bug)),
      );
    }
  }
  const create: Fault['create'] = (context, config) => new BadPorts(context, config);
  const { needs } = bug;
  return { name, block, description, caughtBy: [id], ...(needs && { needs }), create };
}

/** A transaction on the PCIe port. */
function tlp(name: string, description: string, id: string, bug: Bug): Fault {
  return fault(name, 'PCIe port', description, id, bug);
}

/** A frame on the Ethernet port. */
function frame(name: string, description: string, id: string, bug: Bug): Fault {
  return fault(name, 'link port', description, id, bug);
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

export const PORT_FAULTS: readonly Fault[] = [
  tlp('read_length', 'every 50th request is longer than a page', 'PCIE_LEN', { request: (t) => (t.length += 4096) }),
  tlp('request_data', 'every 50th request has its data outside the byte store', 'PCIE_DATA', {
    request: (t) => (t.data = NOWHERE),
  }),
  tlp('request_time', 'every 50th request is ready at no time', 'PCIE_READY', {
    request: (t) => (t.readyAt = Number.NaN),
  }),
  tlp('byte_enables', 'every 50th request has byte enables with a hole', 'PCIE_BE', { request: holeInFront }),
  tlp('request_bar', 'every 50th request names a BAR', 'PCIE_KIND', { request: (t) => (t.bar = 0) }),
  tlp('poisoned_write', 'every 50th request is poisoned', 'PCIE_POISON', { request: (t) => (t.poisoned = true) }),
  tlp('message_unplaced', 'every 50th write is marked as an interrupt', 'PCIE_ADDR', {
    request: (t) => (t.interrupt ||= t.kind === TLP_KIND.memWrite),
  }),
  tlp('too_many_tags', 'twice as many reads are outstanding as the port allows', 'PCIE_TAG_LIMIT', {
    settings: (s) => ({ ...s, tags: 2 * s.tags }),
    needs: ['+PCIE_TAGS=4'],
  }),
  tlp('request_repeated', 'every 50th request is sent a second time', 'PCIE_MISUSE', { requestTwice: true }),
  tlp('bar_answer_status', 'every tenth BAR read is answered with unsupported request', 'PCIE_CPL_STATUS', {
    turn: 10,
    answer: () => CPL_STATUS.unsupportedRequest,
  }),
  tlp('bar_answer_poisoned', 'every tenth BAR read is answered with poisoned data', 'PCIE_CPL_POISON', {
    turn: 10,
    answer: (t) => {
      t.poisoned = true;
      return CPL_STATUS.success;
    },
  }),
  tlp('bar_answer_missing', 'every tenth BAR read is not answered', 'PCIE_CPL_TIMEOUT', {
    turn: 10,
    answer: () => null,
  }),
  tlp('bar_answer_repeated', 'every tenth BAR read is answered twice', 'PCIE_CPL', { turn: 10, answerTwice: true }),
  frame('frame_repeated', 'every 50th frame is sent a second time', 'LINK_MISUSE', { frameTwice: true }),
  frame('frame_cut', 'every 50th frame ends in its Ethernet header', 'LINK_LENGTH', { frame: (f) => (f.length = 10) }),
  frame('frame_data', 'every 50th frame has its bytes outside the byte store', 'LINK_DATA', {
    frame: (f) => (f.data = NOWHERE),
  }),
  frame('frame_time', 'every 50th frame is ready in the middle of a picosecond', 'LINK_READY', {
    frame: (f) => (f.readyAt += 0.5),
  }),
  {
    name: 'ports_after_finish',
    block: 'PCIe port',
    description: 'the NIC sends a request and a frame when it is told that the run is over',
    caughtBy: ['PCIE_MISUSE', 'LINK_MISUSE'],
    create: (context, config) => new RestlessNic(context, config),
  },
];
