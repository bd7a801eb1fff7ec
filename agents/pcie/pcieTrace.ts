/** Says in the log, at UVM_DEBUG, what crosses a PCIe link. Connected only where the verbosity asks for it. */

import { TLP_KIND, type Tlp } from '../../dut-model/nic.ts';
import type { Component } from '../../uvm/base/component.ts';
import { UVM_DEBUG } from '../../uvm/report/verbosity.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import type { CompletionItem } from './pcieItems.ts';
import type { PcieReportId } from './pcieMonitor.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';

/** What the trace needs of an agent. */
interface TracedAgent extends Component {
  readonly requests: AnalysisPort<Tlp>;
  readonly completions: AnalysisPort<CompletionItem>;
  readonly barAccesses: AnalysisPort<Tlp>;
}

/** Connects the trace of an agent at its start of simulation, if its verbosity may ever let it through. */
export function tracePcie(agent: TracedAgent, host: number): void {
  if (!agent.mayReport(UVM_DEBUG)) return;
  const say = (text: () => string): void =>
    agent.info('PCIE_TLP' satisfies PcieReportId, () => `host ${host}: ${text()}`, UVM_DEBUG);
  agent.requests.connect((tlp) => say(() => `NIC sends ${requestText(tlp)}`));
  agent.completions.connect((item) => say(() => completionText(item)));
  agent.barAccesses.connect((tlp) => say(() => `BAR${tlp.bar} ${kindText(tlp)} of ${tlp.length} B at ${hex(tlp.lo)}`));
}

function requestText(t: Tlp): string {
  const tag = t.kind === TLP_KIND.memRead ? `, tag ${t.tag}` : '';
  const poisoned = t.poisoned ? ', poisoned' : '';
  return `memory ${kindText(t)} of ${t.length} B at ${hexAddress(t.hi, t.lo)}${tag}${poisoned}`;
}

function completionText({ tlp, from, count, lost }: CompletionItem): string {
  const status = tlp.status === 0 ? '' : `, status ${tlp.status}`;
  return `completion of tag ${tlp.tag}: ${count} B from byte ${from}, ${tlp.remaining} to come${status}${lost ? ', lost' : ''}`;
}

function kindText(t: Tlp): string {
  return t.kind === TLP_KIND.memRead ? 'read' : 'write';
}
