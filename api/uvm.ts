/**
 * `rnic-verify/uvm`: the verification library of docs/uvm.md: components and phases, factory, configuration, TLM,
 * sequences, reports, coverage, and the kernel with simulated time below them.
 *
 *   import { Component, delay, Run, US } from 'rnic-verify/uvm';
 *
 * @packageDocumentation
 */

// A run and its components.
export { Run, type RunOptions } from '../uvm/run.ts';
export type { RootOptions, RunResult } from '../uvm/base/runResult.ts';
export { Component } from '../uvm/base/component.ts';
export { Agent } from '../uvm/base/agent.ts';
export { COMMON_PHASES, Phase, type PhaseName, type PhaseState } from '../uvm/base/phase.ts';
export { Objection, type ObjectionListener, type RaisedObjection } from '../uvm/base/objection.ts';
export { type Constructor, Factory, type Override } from '../uvm/base/factory.ts';
export { ConfigDb } from '../uvm/base/configDb.ts';
export { UvmError } from '../uvm/base/uvmError.ts';
export { Plusargs } from '../uvm/cmdline/plusargs.ts';
export type { PlusargTexts } from '../uvm/base/declaredPlusargs.ts';

// Reports.
export { ACTION, type Action } from '../uvm/report/action.ts';
export { SEVERITY, type Severity, severityName } from '../uvm/report/severity.ts';
export {
  UVM_DEBUG,
  UVM_FULL,
  UVM_HIGH,
  UVM_LOW,
  UVM_MEDIUM,
  UVM_NONE,
} from '../uvm/report/verbosity.ts';
export type { CatchResult, ReportCatcher } from '../uvm/report/reportCatcher.ts';
export { ReportMessage, type TextSink } from '../uvm/report/reportMessage.ts';
export { Reporter } from '../uvm/report/reporter.ts';
export { ReportServer } from '../uvm/report/reportServer.ts';
export { FatalStop } from '../uvm/report/fatalStop.ts';
export { FileSink } from '../uvm/report/fileSink.ts';
export { type ErrorSink, Findings } from '../uvm/report/findings.ts';

// TLM.
export { AnalysisFifo } from '../uvm/tlm/analysisFifo.ts';
export { AnalysisPort, type Subscriber } from '../uvm/tlm/analysisPort.ts';
export type { Get, GetPeek, Peek, Put, Transport } from '../uvm/tlm/interfaces.ts';
export { Export, Port, UNBOUNDED } from '../uvm/tlm/port.ts';
export { GetPeekPort, GetPort, PeekPort, PutPort, TransportPort } from '../uvm/tlm/ports.ts';
export { ReqRspChannel } from '../uvm/tlm/reqRspChannel.ts';
export { TlmFifo } from '../uvm/tlm/tlmFifo.ts';

// Sequences.
export { ARBITRATION, type Arbitration } from '../uvm/seq/arbitration.ts';
export { Driver } from '../uvm/seq/driver.ts';
export { SeqItemPort } from '../uvm/seq/seqItemPort.ts';
export { DEFAULT_PRIORITY, Sequence, type SequenceState } from '../uvm/seq/sequence.ts';
export { SequenceItem } from '../uvm/seq/sequenceItem.ts';
export { Sequencer } from '../uvm/seq/sequencer.ts';

// Coverage.
export * from '../uvm/coverage/binSpec.ts';
export { CoverageCollector } from '../uvm/coverage/coverageCollector.ts';
export { Covergroup, covergroup, type Declaration } from '../uvm/coverage/covergroup.ts';
export { CovergroupInstance } from '../uvm/coverage/covergroupInstance.ts';
export { Coverpoint } from '../uvm/coverage/coverpoint.ts';
export { Cross } from '../uvm/coverage/cross.ts';
export type { GroupOptions, ItemOptions, PointOptions } from '../uvm/coverage/options.ts';
export { BinsOf, binsof, not, Selection, where } from '../uvm/coverage/selection.ts';

// The kernel.
export { type FirstOf, waitFirst } from '../uvm/kernel/anyOf.ts';
export { type DeadlockCause, DeadlockReport } from '../uvm/kernel/deadlock.ts';
export { Event } from '../uvm/kernel/event.ts';
export { Mailbox } from '../uvm/kernel/mailbox.ts';
export {
  delay,
  join,
  joinAll,
  joinAny,
  type Proc,
  Process,
  ProcessError,
  ProcessManager,
  type ProcessState,
  ProcessUsageError,
  type SpawnOptions,
  type Wait,
  type Waitable,
  type Waiter,
} from '../uvm/kernel/process.ts';
export { type EventHandler, REGION, type Region, Scheduler, type SimTime } from '../uvm/kernel/scheduler.ts';
export { Semaphore } from '../uvm/kernel/semaphore.ts';
export { formatTime, MS, NS, PS, parseTime, SEC, type TimeUnit, US } from '../uvm/kernel/time.ts';
export { FastStream, RandomStream } from '../uvm/random/randomStream.ts';
export { RandomStreams } from '../uvm/random/randomStreams.ts';
export { ByteStore } from '../uvm/bytes/byteStore.ts';
