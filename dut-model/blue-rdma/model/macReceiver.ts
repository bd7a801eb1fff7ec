/**
 * Receive side of the MAC: frames wait in a buffer while the pipeline is busy or stalled; what does not fit is dropped
 * whole. Then they are sorted (blue-rdma.md section 8.4).
 */
import { UDP_PORT_ROCE } from '../../../rdma/bth.ts';
import { FRAME } from '../layout/wire.ts';
import type { EventHandler } from '../../../uvm/kernel/scheduler.ts';
import type { Frame } from '../../nic.ts';
import { ETHERTYPE_IPV4, IP_PROTOCOL_UDP } from '../../roce/frameLayout.ts';
import type { BlueCore } from './core.ts';
import { be16, be32 } from './receivedPacket.ts';

/** What sorted frames go to. `block` holds the bytes during the call. */
export interface FrameUser {
  /** False: there is no room for what a packet may be reported with; the frame is offered again. */
  canReceive(): boolean;
  rdmaFrame(block: number, data: number, length: number): void;
  rawFrame(block: number, data: number, length: number): void;
}

class Waiting {
  next: Waiting | null = null;
  block = -1;
  data = 0;
  length = 0;
}

const IP_VERSION_NO_OPTIONS = 0x45;

export class MacReceiver implements EventHandler {
  /** Set once after construction. */
  user!: FrameUser;
  protected readonly core: BlueCore;
  #first: Waiting | null = null;
  #last: Waiting | null = null;
  #free: Waiting | null = null;
  #buffered = 0;
  #busy = false;
  #stalled = false;
  #life = 0;

  constructor(core: BlueCore) {
    this.core = core;
  }

  reset(): void {
    for (let f = this.#first; f !== null; f = f.next) this.core.blocks.release(f.block);
    this.#first = null;
    this.#buffered = 0;
    this.#busy = false;
    this.#stalled = false;
    this.#life++;
  }

  receive(frame: Frame): void {
    const { core } = this;
    if (this.isDamaged(frame) || this.#buffered + frame.length > core.config.macBuffer) {
      core.count(0, 'discarded');
      return;
    }
    this.#buffered += frame.length;
    core.blocks.retain(frame.block);
    const f = this.#free ?? new Waiting();
    this.#free = f.next;
    f.next = null;
    f.block = frame.block;
    f.data = frame.data;
    f.length = frame.length;
    if (this.#first === null) this.#first = f;
    else (this.#last as Waiting).next = f;
    this.#last = f;
    if (!this.#busy && !this.#stalled) this.#schedule(core.cycles(core.config.receiveCycles));
  }

  /** There is room for reports again. */
  goOn(): void {
    if (!this.#stalled) return;
    this.#stalled = false;
    this.#schedule(0);
  }

  fire(life: number): void {
    if (life !== this.#life) return;
    this.#busy = false;
    const f = this.#first;
    if (f === null) return;
    if (!this.user.canReceive()) {
      this.#stalled = true;
      return;
    }
    this.#first = f.next;
    this.#buffered -= f.length;
    this.#sort(f);
    this.core.blocks.release(f.block);
    const time = this.core.moving(f.length);
    f.next = this.#free;
    this.#free = f;
    if (this.#first !== null) this.#schedule(time);
  }

  /** Nothing but the check sequence of Ethernet protects a packet, which has no invariant CRC. Overridable for planting. */
  protected isDamaged(frame: Frame): boolean {
    return frame.fcsError;
  }

  /** Where a frame belongs: 'raw', 'rdma', or whose counter it adds to. Overridable for planting. */
  protected sort(m: Uint8Array, at: number, length: number): 'raw' | 'rdma' | 'discarded' | 'notReady' {
    const { core } = this;
    if (!core.ready) return 'notReady';
    const high = be16(m, at);
    const low = be32(m, at + 2);
    const own = high === core.macHigh && low === core.macLow;
    if (!own && !(high === 0xffff && low === -1)) return 'discarded';
    const isIp = be16(m, at + FRAME.etherType) === ETHERTYPE_IPV4;
    if (!isIp || length < FRAME.bth) return 'raw';
    if (be32(m, at + FRAME.ip + 16) !== core.ip) return 'discarded';
    const udp = m[at + FRAME.ip] === IP_VERSION_NO_OPTIONS && m[at + FRAME.ip + 9] === IP_PROTOCOL_UDP;
    return udp && be16(m, at + FRAME.udp + 2) === UDP_PORT_ROCE ? 'rdma' : 'raw';
  }

  #sort(f: Waiting): void {
    const where = this.sort(this.core.bytes.u8, f.data, f.length);
    if (where === 'rdma') {
      this.core.count(0, 'toRdma');
      this.user.rdmaFrame(f.block, f.data, f.length);
    } else if (where === 'raw') this.user.rawFrame(f.block, f.data, f.length);
    else this.core.count(0, where);
  }

  #schedule(delay: number): void {
    this.#busy = true;
    this.core.scheduler.schedule(delay, this, this.#life);
  }
}
