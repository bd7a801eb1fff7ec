/**
 * Says in the log what a host asks of its NIC and is told back: work requests, completions, queue pairs, regions and
 * commands at UVM_HIGH, doorbells at UVM_FULL.
 *
 * Connected only where the verbosity asks for it, so that other runs have no part of it on their way.
 */

import type { Tlp } from '../../dut-model/nic.ts';
import type { Component } from '../../uvm/base/component.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { UVM_FULL, UVM_HIGH } from '../../uvm/report/verbosity.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import type { HostPorts } from '../../agents/verbs/hostPorts.ts';
import type { Provider } from '../providers/provider.ts';
import { completionText, eventText, mrText, qpText, recvText, sendText } from './verbsTexts.ts';

/** What the trace needs of a host's environment. */
interface TracedHost extends Component {
  readonly host: number;
  readonly ports: HostPorts;
  readonly agent: { readonly barAccesses: AnalysisPort<Tlp> };
  readonly verbs: { readonly provider: Provider };
}

/** Connects the trace of a host at its start of simulation, as far as its verbosity may ever let it through. */
export function traceHost(env: TracedHost): void {
  if (env.mayReport(UVM_HIGH)) traceVerbs(env);
  if (env.mayReport(UVM_FULL)) traceDoorbells(env);
}

function traceVerbs(env: TracedHost): void {
  const { ports, verbs, host } = env;
  ports.postedSends.connect((item) => env.info('HCA_POST_SEND', () => sendText(item), UVM_HIGH));
  ports.postedRecvs.connect((item) => env.info('HCA_POST_RECV', () => recvText(item), UVM_HIGH));
  ports.completions.connect((item) => env.info('HCA_COMPLETION', () => completionText(item), UVM_HIGH));
  ports.qps.connect((info) => env.info('HCA_QP', () => qpText(info), UVM_HIGH));
  ports.qpsStopped.connect(({ qpn }) => env.info('HCA_QP', () => `host ${host} QP ${qpn}: goes to ERR`, UVM_HIGH));
  ports.qpsGone.connect(({ qpn }) => env.info('HCA_QP', () => `host ${host} QP ${qpn}: reset or destroyed`, UVM_HIGH));
  ports.mrs.connect((info) => env.info('HCA_MR', () => mrText(info), UVM_HIGH));
  ports.mrsGone.connect(({ key }) => env.info('HCA_MR', () => `host ${host} key ${hex(key)}: deregistered`, UVM_HIGH));
  ports.asyncEvents.connect((item) => env.info('HCA_ASYNC_EVENT', () => eventText(item), UVM_HIGH));
  verbs.provider.traceCommands((text) => env.info('HCA_COMMAND', () => `host ${host}: ${text()}`, UVM_HIGH));
}

function traceDoorbells(env: TracedHost): void {
  const { provider } = env.verbs;
  env.agent.barAccesses.connect((tlp) => {
    const text = provider.doorbellText(tlp);
    if (text !== undefined) env.info('HCA_DOORBELL', `host ${env.host}: ${text}`, UVM_FULL);
  });
}
