/**
 * What the host API throws: misuse by its caller, and commands that the NIC refused; and what its users throw when the
 * NIC is too small for them.
 */

import { ProcessError } from '../../uvm/kernel/processError.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../uvm/kernel/time.ts';

/** Kinds of misuse, as in verbs' errno but finer. @public */
export type MisuseKind =
  | 'STATE'
  | 'ATTRIBUTE'
  | 'QUEUE_FULL'
  | 'TOO_MANY_SGE'
  | 'TOO_LONG'
  | 'ACCESS'
  | 'ALIGNMENT'
  | 'LIMIT'
  | 'IN_USE'
  | 'GONE'
  | 'UNSUPPORTED';

/**
 * A call that software must not make. Nothing has happened: no memory written, no command given. Of a list of requests those in
 * front of the one that is wrong have been posted.
 * @public
 */
export class HostApiError extends Error {
  readonly kind: MisuseKind;
  /** Object of the call, for example `host 0 QP 14`. */
  readonly where: string;
  /** The offending value. */
  readonly value: unknown;
  /** Of a list of requests: position of the first one that was not posted; -1 where the call is about no list, or nothing of it is posted. */
  index = -1;

  /**
   * @param kind class of the mistake, for tests.
   * @param where object of the call.
   * @param what what is wrong, with the value in it.
   * @param hint what to do instead.
   */
  constructor(kind: MisuseKind, where: string, what: string, hint: string, value?: unknown) {
    super(`${where}: ${what}; ${hint}`);
    this.name = 'HostApiError';
    this.kind = kind;
    this.where = where;
    this.value = value;
  }

  /** Says which request of a list is wrong. */
  at(index: number): this {
    this.index = index;
    return this;
  }
}

/**
 * A command ended with a status other than OK, or not at all. Reported under `HCA_CMD_*` before it is thrown, but for
 * `WrongStateError`.
 * @public
 */
export class CommandError extends Error {
  readonly command: string;
  /** Status byte, or -1 when the command never ended. */
  readonly status: number;

  constructor(where: string, command: string, status: number, statusName: string) {
    super(`${where}: ${command} ended with ${statusName}`);
    this.name = 'CommandError';
    this.command = command;
    this.status = status;
  }
}

/**
 * The NIC refuses a change of a queue pair that is in another state than software believes. Not reported: whether it may
 * be in another state is for the caller to find out.
 * @public
 */
export class WrongStateError extends CommandError {
  /** The text of the report. */
  readonly text: string;

  constructor(where: string, command: string, status: number, statusName: string, text: string) {
    super(where, command, status, statusName);
    this.name = 'WrongStateError';
    this.text = text;
  }
}

/**
 * The NIC refuses to take a region back, with windows bound to it. Not reported: whether that is so is for the scoreboard to say.
 * @public
 */
export class RegionBoundError extends CommandError {
  constructor(where: string, command: string, status: number, statusName: string) {
    super(where, command, status, statusName);
    this.name = 'RegionBoundError';
  }
}

/**
 * The NIC has no room for one more window. Not reported: whether it has as many as it says is for the driver to find out.
 * @public
 */
export class WindowLimitError extends CommandError {
  constructor(where: string, command: string, status: number, statusName: string) {
    super(where, command, status, statusName);
    this.name = 'WindowLimitError';
  }
}

/**
 * A command ended with the internal error of its NIC, because fault rules of PCIe kept the NIC from reading what the command
 * needs. Not reported: it is right. The command has done nothing, and may be given again.
 * @public
 */
export class UnreadCommandError extends CommandError {
  constructor(where: string, command: string, status: number, statusName: string) {
    super(where, command, status, statusName);
    this.name = 'UnreadCommandError';
  }
}

/**
 * The device of a host is gone: its NIC was reset, and software was told so, DEVICE_FATAL. Every object of it is dead. Thrown by calls
 * on it and by waits, those under way included. Not reported: it is no fault of the NIC, nor of its caller.
 * @public
 */
export class DeviceFatalError extends Error {
  readonly host: number;

  /** @param time when the NIC was reset, ps */
  constructor(host: number, time: SimTime) {
    const what = `host ${host}: its NIC was reset at ${formatTime(time)}, and every object of the device is destroyed (DEVICE_FATAL)`;
    super(`${what}; close the device, open it again, and make all anew`);
    this.name = 'DeviceFatalError';
    this.host = host;
  }
}

/** Whether an error, or what is behind it in another process, is that a device is gone. @public */
export function isDeviceFatal(error: unknown): error is Error {
  if (error instanceof DeviceFatalError) return true;
  return error instanceof ProcessError && isDeviceFatal(error.cause);
}

/** The device says that it can do less than is needed of it. Nothing but bringing it up has happened. @public */
export class DeviceLimitError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'DeviceLimitError';
  }
}
