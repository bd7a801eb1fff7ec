/** The analysis ports of a host: what scoreboard, coverage and traces subscribe to. */

import type {
  AhInfo,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  VisibleCompletion,
  AsyncEventItem,
} from './verbsItems.ts';
import { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import type { AreaItem, CqArmed, CqNumber, DataWritten, MrGone, QpGone, QpHeld, QpStopped } from './hostItems.ts';

export class HostPorts {
  /** Requests, before their doorbell. */
  readonly postedSends = new AnalysisPort<PostedSend>('postedSends');
  readonly postedRecvs = new AnalysisPort<PostedRecv>('postedRecvs');
  /** Completions, the moment they are in host memory. */
  readonly completions = new AnalysisPort<VisibleCompletion>('completions');
  /** Queue pairs as they reach INIT from RESET; what `QpInfo` says of a peer is not known yet. */
  readonly qpsMade = new AnalysisPort<QpInfo>('qpsMade');
  /** Queue pairs as they reach RTR, where they receive, and as they reach RTS from there. */
  readonly qpsListening = new AnalysisPort<QpInfo>('qpsListening');
  readonly qps = new AnalysisPort<QpInfo>('qps');
  /** Queue pairs that software is about to take from RTR to RTS. */
  readonly qpsStarting = new AnalysisPort<QpGone>('qpsStarting');
  /** Queue pairs in RTR or RTS of which software is about to change attributes that `QpInfo` tells, and those of which it has. */
  readonly qpsChanging = new AnalysisPort<QpInfo>('qpsChanging');
  readonly qpsChanged = new AnalysisPort<QpInfo>('qpsChanged');
  /** Queue pairs that software is about to reset. */
  readonly qpsResetting = new AnalysisPort<QpGone>('qpsResetting');
  /** Queue pairs as they are reset or destroyed. */
  readonly qpsGone = new AnalysisPort<QpGone>('qpsGone');
  /** Queue pairs that software is about to take to ERR or to destroy: their requests are flushed. */
  readonly qpsStopped = new AnalysisPort<QpStopped>('qpsStopped');
  /** Queue pairs that software has taken to ERR: they are silent from now on. */
  readonly qpsSilent = new AnalysisPort<QpGone>('qpsSilent');
  /** Queue pairs that software has taken to SQD, or from there to another state. */
  readonly qpsHeld = new AnalysisPort<QpHeld>('qpsHeld');
  /** Queue pairs that the NIC has been told to drain, of which it has not said yet that it has done so. */
  readonly qpsDraining = new AnalysisPort<QpGone>('qpsDraining');
  /** Queue pairs of which the NIC says that their send queue is drained while software wants nothing else of them. */
  readonly qpsDrained = new AnalysisPort<QpGone>('qpsDrained');
  /** Queue pairs that software is about to take to a state in which they may send again. */
  readonly qpsResumed = new AnalysisPort<QpGone>('qpsResumed');
  /** Queue pairs that software has taken from SQE to RTS. */
  readonly qpsRecovered = new AnalysisPort<QpGone>('qpsRecovered');
  /** Completion queues as they are armed, have sent an event, are destroyed. */
  readonly cqsArmed = new AnalysisPort<CqArmed>('cqsArmed');
  readonly cqEvents = new AnalysisPort<CqNumber>('cqEvents');
  readonly cqsGone = new AnalysisPort<CqNumber>('cqsGone');
  readonly ahs = new AnalysisPort<AhInfo>('ahs');
  /** Regions as soon as the NIC knows them, and when it no longer does. */
  readonly mrs = new AnalysisPort<MrInfo>('mrs');
  readonly mrsGone = new AnalysisPort<MrGone>('mrsGone');
  /** Regions that the NIC has been told to forget, and has confirmed. */
  readonly mrsForgotten = new AnalysisPort<MrInfo>('mrsForgotten');
  /** Memory that the NIC may write besides data. */
  readonly areas = new AnalysisPort<AreaItem>('areas');
  /** Data memory that software is about to write, and has written. */
  readonly dataWriting = new AnalysisPort<DataWritten>('dataWriting');
  readonly dataWritten = new AnalysisPort<DataWritten>('dataWritten');
  readonly asyncEvents = new AnalysisPort<AsyncEventItem>('asyncEvents');
}
