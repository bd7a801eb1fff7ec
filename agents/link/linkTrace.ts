/** Says in the log, at UVM_DEBUG, what crosses the link. Connected only where the verbosity asks for it. */

import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';
import type { Component } from '../../uvm/base/component.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { UVM_DEBUG } from '../../uvm/report/verbosity.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import type { FrameItem } from './linkItems.ts';
import { OPCODE } from './wireOpcodes.ts';

/** Report ids of the trace with their meaning. */
export const LINK_TRACE_IDS = {
  LINK_FRAME: 'a frame leaves a NIC (information, UVM_DEBUG)',
  WIRE_PACKET: 'a RoCEv2 packet leaves a NIC (information, UVM_DEBUG)',
} as const satisfies Readonly<Record<string, string>>;

type LinkTraceId = keyof typeof LINK_TRACE_IDS;

const CLASS_BITS = 0xe0;
const CLASS_NAME: Readonly<Record<number, string>> = {
  [BTH_CLASS.rc]: 'RC',
  [BTH_CLASS.uc]: 'UC',
  [BTH_CLASS.ud]: 'UD',
};

/** Frames of a link agent, if its verbosity may ever let them through. */
export function traceLink(link: Component & { readonly frames: AnalysisPort<FrameItem> }): void {
  if (!link.mayReport(UVM_DEBUG)) return;
  link.frames.connect(({ host, to, length, time }) =>
    link.info(
      'LINK_FRAME' satisfies LinkTraceId,
      () => `host ${host} to ${to < 0 ? 'all' : `host ${to}`}: ${length} B, on the wire at ${formatTime(time)}`,
      UVM_DEBUG,
    ),
  );
}

/** RoCEv2 packets of a wire monitor, if its verbosity may ever let them through. */
export function tracePackets(monitor: Component & { readonly packets: AnalysisPort<DecodedPacket> }): void {
  if (!monitor.mayReport(UVM_DEBUG)) return;
  const id: LinkTraceId = 'WIRE_PACKET';
  monitor.packets.connect((packet) => monitor.info(id, () => packetText(packet), UVM_DEBUG));
}

function packetText(p: DecodedPacket): string {
  const where = `host ${p.host} to ${p.to < 0 ? 'all' : `host ${p.to}`}`;
  if (p.kind === PACKET.malformed) return `${where}: malformed RoCEv2 packet of ${p.frameLength} B`;
  const parts = [`${where} QP ${p.destQp}: ${opcodeName(p.opcode)}`, `PSN ${p.psn}`, `${p.payloadLength} B payload`];
  if ((p.flags & OPCODE.reth) !== 0) parts.push(`rkey 0x${(p.rkey >>> 0).toString(16)}`, `${p.dmaLength} B of data`);
  if ((p.flags & OPCODE.aeth) !== 0) parts.push(`syndrome 0x${p.syndrome.toString(16)}`, `MSN ${p.msn}`);
  if (p.ackRequest) parts.push('acknowledgement requested');
  return parts.join(', ');
}

function opcodeName(opcode: number): string {
  if (opcode === OPCODE_CNP) return 'CNP';
  const name = Object.entries(BTH_OP).find(([, value]) => value === (opcode & ~CLASS_BITS))?.[0];
  const service = CLASS_NAME[opcode & CLASS_BITS];
  if (name === undefined || service === undefined) return `opcode 0x${opcode.toString(16)}`;
  return `${service} ${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
