import { describe } from '../../../env/verbs/qpTransitions.ts';
import { Process, type ProcessManager } from '../../../uvm/kernel/process.ts';
import type { QpSide } from '../qpSide.ts';

/** Processes and calls that are named; the rest is counted. */
const NAMED = 3;

/**
 * Who waits for completions that nobody can send, once nothing can happen any more and no request is outstanding.
 * Undefined where anybody waits for something else: that may well be the NIC's turn.
 */
export function idleWaits(processes: ProcessManager, sides: readonly QpSide[]): string | undefined {
  const names: string[] = [];
  const calls = new Set<string>();
  for (const process of processes.parked()) {
    const { daemon, waitsOn } = process;
    if (daemon || waitsOn instanceof Process || waitsOn?.idle === true) continue;
    const call = callOf(process, sides);
    if (call === undefined) return undefined;
    names.push(process.name);
    calls.add(call);
  }
  if (names.length === 0) return undefined;
  const verb = names.length === 1 ? 'waits for a completion' : 'wait for completions';
  return `${named(names)} ${verb} that nobody can send: ${named([...calls])}`;
}

/** The call that a process is in; undefined unless it waits in vain for a completion of a side. */
function callOf(process: Process, sides: readonly QpSide[]): string | undefined {
  for (const side of sides) {
    const call = side.callThatWaitsOn(process.waitsOn);
    if (call !== undefined) return call === 'sent' ? sentText(side) : receivedText(side);
  }
  return undefined;
}

/** A request whose completion software has not seen may well complete. */
function sentText({ qp }: QpSide): string | undefined {
  return qp.alive && qp.sendOutstanding > 0 ? undefined : `sent() of ${describe(qp)} (no request is posted)`;
}

function receivedText({ qp }: QpSide): string {
  const receives = qp.recvOutstanding;
  const posted = receives === 0 ? 'no receive is posted' : `${receives} posted, but no message is in flight`;
  return `received() of ${describe(qp)} (${posted})`;
}

function named(texts: readonly string[]): string {
  const more = texts.length > NAMED ? ` and ${texts.length - NAMED} more` : '';
  return `${texts.slice(0, NAMED).join(', ')}${more}`;
}
