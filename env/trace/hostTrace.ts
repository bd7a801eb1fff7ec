/**
 * Says in the log what a host asks of its NIC and is told back: work requests, completions, queue pairs, regions and
 * commands at UVM_HIGH, doorbells at UVM_FULL.
 *
 * Connected only where the verbosity asks for it, so that other runs have no part of it on their way.
 */

import type {
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import type { Tlp } from '../../dut-model/nic.ts';
import type { Component } from '../../uvm/base/component.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { UVM_FULL, UVM_HIGH } from '../../uvm/report/verbosity.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import type { Provider } from '../providers/provider.ts';
import { completionText, eventText, mrText, qpText, recvText, sendText } from './verbsTexts.ts';

/** What the trace needs of a host's environment. */
interface TracedHost extends Component {
  readonly host: number;
  readonly monitor: VerbsMonitor;
  readonly agent: { readonly barAccesses: AnalysisPort<Tlp> };
  readonly verbs: { readonly provider: Provider };
}

/** Connects the trace of a host at its start of simulation, as far as its verbosity may ever let it through. */
export function traceHost(env: TracedHost): void {
  if (env.mayReport(UVM_HIGH)) {
    env.monitor.observe(new VerbsTrace(env));
    env.verbs.provider.traceCommands((moment, text) => {
      if (moment === 'end') env.info('HCA_COMMAND', () => `host ${env.host}: ${text()}`, UVM_HIGH);
    });
  }
  if (env.mayReport(UVM_FULL)) traceDoorbells(env);
}

class VerbsTrace implements VerbsObserver {
  readonly #log: Component;

  constructor(log: Component) {
    this.#log = log;
  }

  postedSend(item: PostedSend): void {
    this.#log.info('HCA_POST_SEND', () => sendText(item), UVM_HIGH);
  }

  postedRecv(item: PostedRecv): void {
    this.#log.info('HCA_POST_RECV', () => recvText(item), UVM_HIGH);
  }

  completion(item: VisibleCompletion): void {
    this.#log.info('HCA_COMPLETION', () => completionText(item), UVM_HIGH);
  }

  qpInRts(info: QpInfo): void {
    this.#log.info('HCA_QP', () => qpText(info), UVM_HIGH);
  }

  qpToErr(host: number, qpn: number): void {
    this.#log.info('HCA_QP', () => `host ${host} QP ${qpn}: goes to ERR`, UVM_HIGH);
  }

  qpDestroying(host: number, qpn: number): void {
    this.qpToErr(host, qpn);
  }

  qpGone(host: number, qpn: number): void {
    this.#log.info('HCA_QP', () => `host ${host} QP ${qpn}: reset or destroyed`, UVM_HIGH);
  }

  mrRegistered(info: MrInfo): void {
    this.#log.info('HCA_MR', () => mrText(info), UVM_HIGH);
  }

  mrDeregistering(host: number, key: number): void {
    this.#log.info('HCA_MR', () => `host ${host} key ${hex(key)}: deregistered`, UVM_HIGH);
  }

  asyncEvent(item: AsyncEventItem): void {
    this.#log.info('HCA_ASYNC_EVENT', () => eventText(item), UVM_HIGH);
  }
}

function traceDoorbells(env: TracedHost): void {
  const { provider } = env.verbs;
  env.agent.barAccesses.connect((tlp) => {
    const text = provider.doorbellText(tlp);
    if (text !== undefined) env.info('HCA_DOORBELL', `host ${env.host}: ${text}`, UVM_FULL);
  });
}
