/** Packets that the NIC sends by itself: a bitmap that has lost something, and congestion notifications. */
import { BTH_OP } from '../../../rdma/bth.ts';
import { CNP_OPCODE, WINDOW_ETH } from '../layout/wire.ts';
import { FRAME_START } from '../../roce/frameLayout.ts';
import type { BlueCore } from './core.ts';
import { type FrameWriter, HeaderFields } from './frameWriter.ts';
import type { Port } from './port.ts';
import type { PsnWindows } from './psnWindows.ts';
import type { QpTable } from './qpTable.ts';
import type { ControlPackets } from './receiveUnit.ts';

const WORDS = 4;

export class ControlUnit implements ControlPackets {
  readonly #core: BlueCore;
  readonly #qps: QpTable;
  readonly #writer: FrameWriter;
  readonly #port: Port;
  readonly #header = new HeaderFields();
  /** Before this time a queue pair sends no congestion notification. */
  readonly #quietUntil: Float64Array;

  constructor(core: BlueCore, qps: QpTable, writer: FrameWriter, port: Port) {
    this.#core = core;
    this.#qps = qps;
    this.#writer = writer;
    this.#port = port;
    this.#quietUntil = new Float64Array(qps.entries);
  }

  reset(): void {
    this.#quietUntil.fill(0);
  }

  lost(index: number, windows: PsnWindows, sequence: number): void {
    const h = this.#address(index, BTH_OP.acknowledge);
    h.msn = sequence;
    h.psn = windows.psnNow(index);
    this.#send((block) => {
      for (let n = 0; n < WORDS; n++) {
        this.#writer.window(block, 'before', n, windows.before[n] as number);
        this.#writer.window(block, 'now', n, windows.word(index, n));
      }
      this.#writer.windowFlags(block, WINDOW_ETH.lost | WINDOW_ETH.slid, windows.psnBefore);
    });
  }

  congestion(index: number): void {
    const { now } = this.#core.scheduler;
    if (now < (this.#quietUntil[index] as number)) return;
    this.#quietUntil[index] = now + this.#core.cycles(this.#core.config.cnpCycles);
    const h = this.#address(index, CNP_OPCODE);
    h.becn = true;
    this.#send(() => {});
  }

  #address(index: number, opcode: number): HeaderFields {
    const qps = this.#qps;
    const h = this.#header;
    h.destMacHigh = qps.macHigh[index] as number;
    h.destMacLow = qps.macLow[index] as number;
    h.destIp = qps.ip[index] as number;
    h.sourcePort = qps.port[index] as number;
    h.destQpn = qps.peerQpn[index] as number;
    h.opcode = opcode;
    h.becn = false;
    h.msn = 0;
    h.psn = 0;
    return h;
  }

  #send(extend: (block: number) => void): void {
    const core = this.#core;
    const frame = core.link.acquire();
    const block = core.blocks.offset(frame.block);
    frame.data = block + FRAME_START;
    frame.length = this.#writer.headers(block, this.#header, 0);
    frame.readyAt = core.scheduler.now + core.cycles(core.config.sendCycles);
    extend(block);
    this.#port.send(frame);
  }
}
