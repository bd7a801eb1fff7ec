/** Commands and their responses, in order (blue-rdma.md section 5.4). Whoever gives one is told when it has ended. */
import { aCommand } from '../../../../rdma/subjectParts.ts';
import {
  COMMAND,
  COMMAND_NAME,
  COMMAND_OPCODE,
  DESCRIPTOR_WORDS,
  FLOOR_COMMAND,
  HEADER,
  MR_COMMAND,
  NETWORK_COMMAND,
  PAGE_COMMAND,
  QP_COMMAND,
  RAW_COMMAND,
} from '../../layout/descriptors.ts';
import { Event } from '../../../../uvm/kernel/event.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { CommandError } from '../../../../env/verbs/hostErrors.ts';
import { hex } from '../../../../uvm/report/hexTexts.ts';
import type { CommandLog, ProviderHost } from '../../../../env/providers/provider.ts';
import type { ToCardRing } from './toCardRing.ts';
import type { ToHostRing } from './toHostRing.ts';

/** What a queue pair's context in the NIC holds. */
export interface QpContext {
  readonly qpn: number;
  readonly valid: boolean;
  readonly error: boolean;
  readonly peerQpn: number;
  readonly type: number;
  readonly access: number;
  readonly pmtuCode: number;
  readonly port: number;
  readonly macHigh: number;
  readonly macLow: number;
  readonly ip: number;
  /** First PSN that is received. */
  readonly startPsn: number;
}

class Given {
  readonly words = new Int32Array(DESCRIPTOR_WORDS);
  readonly opcode: number;
  readonly ended: (ok: boolean) => void;

  constructor(opcode: number, ended: (ok: boolean) => void) {
    this.opcode = opcode;
    this.ended = ended;
    this.words[HEADER.word] = (opcode << HEADER.opcodeShift) | HEADER.valid;
  }
}

export class CommandQueue {
  /** Told of every command, as it begins and as it ends. */
  readonly logs: CommandLog[] = [];
  readonly #host: ProviderHost;
  readonly #requests: ToCardRing;
  readonly #responses: ToHostRing;
  readonly #waiting: Given[] = [];
  readonly #given: Given[] = [];
  #tag = 0;
  #firstTag = 0;

  constructor(host: ProviderHost, requests: ToCardRing, responses: ToHostRing) {
    this.#host = host;
    this.#requests = requests;
    this.#responses = responses;
  }

  forget(): void {
    this.#waiting.length = 0;
    this.#given.length = 0;
    this.#tag = 0;
    this.#firstTag = 0;
  }

  updateMr(key: number, hi: number, lo: number, length: number, access: number, page: number, pd: number): Proc<void> {
    return this.#run(COMMAND_OPCODE.updateMrTable, (w) => {
      w[0] = (access << MR_COMMAND.accessShift) | (page << MR_COMMAND.pageShift);
      w[MR_COMMAND.pd] = pd;
      w[MR_COMMAND.key] = key;
      w[MR_COMMAND.length] = length;
      w[MR_COMMAND.baseLo] = lo;
      w[MR_COMMAND.baseLo + 1] = hi;
    });
  }

  /** @param lo address of the array of page addresses, in the kernel's memory */
  updatePages(first: number, count: number, lo: number): Proc<void> {
    return this.#run(COMMAND_OPCODE.updatePageTable, (w) => {
      w[PAGE_COMMAND.countMinusOne] = count - 1;
      w[PAGE_COMMAND.first] = first;
      w[PAGE_COMMAND.addressLo] = lo;
    });
  }

  manageQp(context: QpContext): Proc<void> {
    return this.#run(COMMAND_OPCODE.manageQp, (w) => putContext(w, context));
  }

  /** As `manageQp` for those who cannot wait. */
  tellQp(context: QpContext, ended: () => void): void {
    const given = new Given(COMMAND_OPCODE.manageQp, ended);
    putContext(given.words, context);
    this.#give(given);
  }

  setNetwork(macHigh: number, macLow: number, ip: number): Proc<void> {
    return this.#run(COMMAND_OPCODE.setNetwork, (w) => {
      w[NETWORK_COMMAND.macLow] = macLow << 16;
      w[NETWORK_COMMAND.macHigh] = (macHigh << 16) | (macLow >>> 16);
      w[NETWORK_COMMAND.ip] = ip;
      w[NETWORK_COMMAND.netmask] = 0xff00_0000;
    });
  }

  setRawSlots(lo: number): Proc<void> {
    return this.#run(COMMAND_OPCODE.setRawReceive, (w) => {
      w[RAW_COMMAND.baseLo] = lo;
    });
  }

  /** The NIC discards payload of PSNs before `floor`; `ended` is called once it does. */
  setFloor(qpn: number, floor: number, ended: () => void): void {
    const given = new Given(COMMAND_OPCODE.setPsnFloor, ended);
    given.words[FLOOR_COMMAND.floor] = floor;
    given.words[FLOOR_COMMAND.qpn] = qpn;
    this.#give(given);
  }

  /** Responses may be there. */
  poll(): void {
    for (let n = this.#responses.depth; n > 0 && this.#responses.take(); n--) this.#answered();
    this.#responses.publish();
    this.#issue();
  }

  *#run(opcode: number, fill: (words: Int32Array) => void): Proc<void> {
    const done = new Event<boolean>(`end of ${COMMAND_NAME[opcode]}`);
    const given = new Given(opcode, (ok) => done.trigger(ok));
    fill(given.words);
    this.#give(given);
    if (!(yield* done.waitOn())) {
      throw new CommandError(`host ${this.#host.host}`, COMMAND_NAME[opcode] as string, 0, 'is_success 0');
    }
  }

  #tell(moment: 'begin' | 'end', text: () => string): void {
    for (const log of this.logs) log(moment, text);
  }

  #give(given: Given): void {
    this.#tell('begin', () => nameOf(given));
    this.#waiting.push(given);
    this.#issue();
  }

  #issue(): void {
    while (this.#waiting.length > 0) {
      if (this.#requests.free <= 0) {
        this.#requests.ask(() => this.#issue());
        break;
      }
      const given = this.#waiting.shift() as Given;
      given.words[HEADER.word] = (given.words[HEADER.word] as number) | (this.#tag++ & COMMAND.tagMask);
      this.#requests.put(given.words);
      this.#given.push(given);
    }
    this.#requests.publish();
  }

  #answered(): void {
    const w7 = this.#responses.first[HEADER.word] as number;
    const given = this.#given.shift();
    const tag = this.#firstTag++ & COMMAND.tagMask;
    if (given === undefined || (w7 & COMMAND.tagMask) !== tag || this.#responses.opcode !== given.opcode) {
      const wanted = given === undefined ? 'no command' : `${COMMAND_NAME[given.opcode]} with tag ${tag}`;
      const text = (): string => {
        const name = COMMAND_NAME[this.#responses.opcode] ?? `opcode ${this.#responses.opcode}`;
        return `host ${this.#host.host}: response to ${name} with tag ${w7 & COMMAND.tagMask} instead of ${wanted}`;
      };
      const { opcode } = this.#responses;
      this.#host.error('HCA_CMD_STATUS', text, aCommand(this.#host.host, COMMAND_NAME[opcode] ?? `opcode ${opcode}`));
    }
    const ok = (w7 & COMMAND.success) !== 0;
    if (given === undefined) return;
    this.#tell('end', () => `${nameOf(given)}, status ${ok ? 'OK' : 'failed'}`);
    given.ended(ok);
  }
}

/** The command with the object that it is about. */
function nameOf({ opcode, words }: Given): string {
  const name = COMMAND_NAME[opcode] ?? `opcode ${opcode}`;
  const number = (word: number): number => (words[word] as number) >>> 0;
  if (opcode === COMMAND_OPCODE.manageQp)
    return `${name} of QP ${number(QP_COMMAND.qpn) & ~(QP_COMMAND.valid | QP_COMMAND.error)}`;
  if (opcode === COMMAND_OPCODE.updateMrTable) return `${name} of key ${hex(number(MR_COMMAND.key))}`;
  if (opcode === COMMAND_OPCODE.updatePageTable) return `${name}, ${number(PAGE_COMMAND.countMinusOne) + 1} pages`;
  if (opcode === COMMAND_OPCODE.setPsnFloor) return `${name} of QP ${number(FLOOR_COMMAND.qpn)}`;
  return `${name} of the NIC`;
}

function putContext(w: Int32Array, c: QpContext): void {
  w[QP_COMMAND.macLow] = c.macLow;
  w[QP_COMMAND.macHighAndPort] = (c.port << 16) | c.macHigh;
  w[2] = (c.pmtuCode << QP_COMMAND.pmtuShift) | (c.type << QP_COMMAND.typeShift);
  w[3] = (c.peerQpn << 8) | c.access;
  w[QP_COMMAND.startPsn] = c.startPsn;
  w[QP_COMMAND.qpn] = c.qpn | (c.valid ? QP_COMMAND.valid : 0) | (c.error ? QP_COMMAND.error : 0);
  w[QP_COMMAND.peerIp] = c.ip;
}
