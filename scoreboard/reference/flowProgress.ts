import { FLOW, FLOW_BIT, type FlowTable, stateOf } from './flowTable.ts';
import { psnAdd } from '../../agents/wire/psnArithmetic.ts';

/** How far a queue pair has got with what it sends, as far as the wire shows it. */
export interface FlowProgress {
  /** Newest PSN that was sent, -1 before the first. */
  readonly sent: number;
  /** Newest PSN that its peer has acknowledged, -1 before the first, and where nothing is acknowledged. */
  readonly answered: number;
}

/** A queue pair of a host. */
export interface QpAddress {
  readonly host: number;
  readonly qpn: number;
}

/** Of the queue pair that sends in a flow. Undefined where its first PSN is not known. */
export function progressOf(flows: FlowTable, flow: number): FlowProgress | undefined {
  if (flow < 0) return undefined;
  const s = flows.state;
  const at = stateOf(flow);
  if (((s[at] as number) & FLOW_BIT.announced) === 0) return undefined;
  const last = (next: number): number =>
    s[at + next] === s[at + FLOW.first] ? -1 : psnAdd(s[at + next] as number, -1);
  return { sent: last(FLOW.top), answered: last(FLOW.acknowledged) };
}
