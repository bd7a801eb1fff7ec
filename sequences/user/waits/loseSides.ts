import type { ProcessManager } from '../../../uvm/kernel/process.ts';
import { DeadSide } from './deadSide.ts';
import type { QpSide } from '../qpSide.ts';

/**
 * The device of a host is gone: waits of its sides, and of their peers for messages of theirs, end with the error.
 * @param sides of all hosts, each with its peer
 */
export function loseSides(
  host: number,
  error: Error,
  sides: Iterable<readonly [side: QpSide, peer: QpSide]>,
  processes: ProcessManager,
): void {
  const lost: QpSide[] = [];
  for (const [side, peer] of sides) {
    if (side.host !== host && peer.host !== host) continue;
    side.dead = new DeadSide(error, side.host === host, processes);
    lost.push(side);
  }
  for (const process of processes.parked()) {
    if (process.daemon) continue;
    for (const side of lost) {
      const call = side.callThatWaitsOn(process.waitsOn);
      if (call !== undefined && side.dead?.isVain(side, call) === true) process.interrupt(error);
    }
  }
}
