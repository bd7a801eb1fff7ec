/** Says in the log, at UVM_DEBUG, what crosses the link. Connected only where the verbosity asks for it. */

import type { Component } from '../../uvm/base/component.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { UVM_DEBUG } from '../../uvm/report/verbosity.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import type { FrameItem } from '../link/linkItems.ts';
import { packetName } from './packetTexts.ts';
import { OPCODE } from './wireOpcodes.ts';

/** Report ids of the trace with their meaning. */
export const LINK_TRACE_IDS = {
  LINK_FRAME: 'a frame leaves a NIC (information, UVM_DEBUG)',
  WIRE_PACKET: 'a RoCEv2 packet leaves a NIC (information, UVM_DEBUG)',
  WIRE_RAW: 'a frame that software has built leaves a NIC (information, UVM_DEBUG)',
  WIRE_INJECTED: 'an injected packet reaches a NIC (information, UVM_DEBUG)',
} as const satisfies Readonly<Record<string, string>>;

type LinkTraceId = keyof typeof LINK_TRACE_IDS;

/** Frames of a link agent, if its verbosity may ever let them through. */
export function traceLink(link: Component & { readonly frames: AnalysisPort<FrameItem> }): void {
  if (!link.mayReport(UVM_DEBUG)) return;
  link.frames.connect(({ host, to, length, time }) =>
    link.info(
      'LINK_FRAME' satisfies LinkTraceId,
      () => `host ${host} to ${to < 0 ? 'all' : `host ${to}`}: ${length} B, on the wire at ${logTime(time)}`,
      UVM_DEBUG,
    ),
  );
}

/**
 * RoCEv2 packets of a wire monitor, if its verbosity may ever let them through.
 * @param sourceQp queue pair that sends a packet, negative where it is not known
 */
export function tracePackets(
  monitor: Component & { readonly packets: AnalysisPort<DecodedPacket> },
  sourceQp: (packet: DecodedPacket) => number,
): void {
  if (!monitor.mayReport(UVM_DEBUG)) return;
  const id: LinkTraceId = 'WIRE_PACKET';
  monitor.packets.connect((packet) => monitor.info(id, () => packetText(packet, sourceQp(packet)), UVM_DEBUG));
}

/** A frame that software has built. */
export function traceRawFrame(monitor: Component, { host, to, frameLength, time }: DecodedPacket): void {
  const id: LinkTraceId = 'WIRE_RAW';
  const where = to < 0 ? 'all' : `host ${to}`;
  const text = (): string => `host ${host} to ${where}: raw frame of ${frameLength} B, on the wire at ${logTime(time)}`;
  monitor.info(id, text, UVM_DEBUG);
}

/** A packet that no NIC has sent. */
export function traceInjected(monitor: Component, packet: DecodedPacket): void {
  const id: LinkTraceId = 'WIRE_INJECTED';
  monitor.info(id, () => `injected: ${packetText(packet, -1)}`, UVM_DEBUG);
}

function packetText(p: DecodedPacket, sourceQp: number): string {
  const parts = [packetName(p, sourceQp)];
  if (p.kind === PACKET.malformed) parts.push(`${p.frameLength} B`);
  else parts.push(`${p.payloadLength} B payload`);
  if ((p.flags & OPCODE.reth) !== 0) parts.push(`rkey ${hex(p.rkey)}`, `${p.dmaLength} B of data`);
  if ((p.flags & OPCODE.aeth) !== 0) parts.push(`syndrome ${hex(p.syndrome)}`, `MSN ${p.msn}`);
  if (p.flags !== 0 && p.ackRequest) parts.push('acknowledgement requested');
  return parts.join(', ');
}
