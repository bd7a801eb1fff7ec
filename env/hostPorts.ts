/** The analysis ports of a host: what scoreboard, coverage and traces subscribe to. */

import type { AhInfo, MrInfo, PostedRecv, PostedSend, QpInfo, VisibleCompletion } from '../agents/verbs/verbsItems.ts';
import { AnalysisPort } from '../uvm/tlm/analysisPort.ts';
import type { AsyncEventItem } from './hostApi.ts';
import type { AreaItem, MrGone, QpGone, QpStopped } from './hostItems.ts';

export class HostPorts {
  /** Requests, before their doorbell. */
  readonly postedSends = new AnalysisPort<PostedSend>('postedSends');
  readonly postedRecvs = new AnalysisPort<PostedRecv>('postedRecvs');
  /** Completions, the moment they are in host memory. */
  readonly completions = new AnalysisPort<VisibleCompletion>('completions');
  /** Queue pairs as they reach RTS from RTR. */
  readonly qps = new AnalysisPort<QpInfo>('qps');
  /** Queue pairs in RTS of which software is about to change what they permit, and those of which it has done so. */
  readonly qpsChanging = new AnalysisPort<QpInfo>('qpsChanging');
  readonly qpsChanged = new AnalysisPort<QpInfo>('qpsChanged');
  /** Queue pairs as they are reset or destroyed. */
  readonly qpsGone = new AnalysisPort<QpGone>('qpsGone');
  /** Queue pairs that software is about to take to ERR or to destroy: their requests are flushed. */
  readonly qpsStopped = new AnalysisPort<QpStopped>('qpsStopped');
  readonly ahs = new AnalysisPort<AhInfo>('ahs');
  /** Regions as soon as the NIC knows them, and when it no longer does. */
  readonly mrs = new AnalysisPort<MrInfo>('mrs');
  readonly mrsGone = new AnalysisPort<MrGone>('mrsGone');
  /** Memory that the NIC may write besides data. */
  readonly areas = new AnalysisPort<AreaItem>('areas');
  readonly asyncEvents = new AnalysisPort<AsyncEventItem>('asyncEvents');
}
