/**
 * `rnic-verify/sequences`: what a sequence is written with (docs/writing-a-sequence.md): sides, connections, buffers,
 * completions, and the host API below them.
 *
 *   import { type Connection, UserSequence } from 'rnic-verify/sequences';
 *
 * @packageDocumentation
 */

export { type Refuser, UserSequence } from '../sequences/user/userSequence.ts';
export type { Connection } from '../sequences/user/connection.ts';
export {
  type Clock,
  type Data,
  QpSide,
  type ReadOptions,
  type ReceiveOptions,
  type SendOptions,
} from '../sequences/user/qpSide.ts';
export { RawSide, type ReceivedFrame } from '../sequences/user/rawSide.ts';
export { Completion } from '../sequences/user/completion.ts';
export { NO_KEY, RegisteredBuffer } from '../sequences/user/memory/registeredBuffer.ts';
export { lackOf, type SequenceNeeds } from '../sequences/user/sequenceNeeds.ts';
export { AccessSequence, type FirstAnswers } from '../sequences/user/accessSequence.ts';

// Steps that sequences share.
export { byTurns } from '../sequences/user/byTurns.ts';
export { changeDrained, drain } from '../sequences/user/changeDrained.ts';
export { exchange, nextLife } from '../sequences/user/nextLife.ts';
export { onItsWay } from '../sequences/user/onItsWay.ts';
export { ask, type OneWay, oneWay, waysOf } from '../sequences/user/oneWay.ts';
export {
  connectAgain,
  drawPsns,
  firstPsn,
  keptBy,
  reconnection,
  resetBoth,
  takeSteps,
} from '../sequences/user/reconnection.ts';
export { type Changes, remake } from '../sequences/user/remake.ts';
export { talk } from '../sequences/user/talk.ts';

// The host API.
export type {
  CompletionTaker,
  ConnectAttributes,
  CqRequest,
  DeviceAttributes,
  HostApi,
  MrRequest,
  RemoteQp,
  VirtualAddress,
} from '../env/verbs/hostApi.ts';
export {
  CommandError,
  DeviceFatalError,
  DeviceLimitError,
  HostApiError,
  isDeviceFatal,
  type MisuseKind,
  UnreadCommandError,
  WrongStateError,
} from '../env/verbs/hostErrors.ts';
export type { QpAttributes } from '../env/verbs/qpAttributes.ts';
export { Ah, Cq, Mr, Pd, Qp, type QpInit, Srq } from '../env/verbs/verbsObjects.ts';
export { RecvWr, SendWr, Sge, WorkCompletion } from '../agents/verbs/verbsItems.ts';
export { PcieBarItem } from '../agents/pcie/pcieBarItem.ts';
