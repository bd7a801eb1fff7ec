/** What the host API refuses to post on a raw packet queue pair, whatever the NIC. */

import type { SendWr, Sge } from '../../../agents/verbs/verbsItems.ts';
import { isRoceFrame } from '../../../agents/wire/roceFrame.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { HostData } from '../../memory/hostData.ts';
import { HostApiError } from '../hostErrors.ts';
import { describe } from '../qpTransitions.ts';
import type { Qp } from '../verbsObjects.ts';

/** Bytes up to the UDP port of a frame with a VLAN tag and the longest IPv4 header. */
const HEADERS = 96;

/**
 * Frames are sent by SEND. Those of RoCEv2 are the NIC's own: who wants to say something to a queue pair that no NIC has said has
 * `link.inject`, of which the judge knows.
 * @throws HostApiError of kind UNSUPPORTED; nothing has been posted then
 */
export function checkFrames(qp: Qp, wrs: readonly SendWr[], count: number, data: HostData): void {
  for (let i = 0; i < count; i++) {
    const { opcode, flags, sges, numSge } = wrs[i] as SendWr;
    if (opcode !== WR_OPCODE.send || (flags & SEND_FLAG.inline) !== 0) {
      const what = `request ${i} is no plain SEND`;
      throw new HostApiError(
        'UNSUPPORTED',
        describe(qp),
        what,
        'send the frame as it is: opcode SEND, not inline',
        opcode,
      );
    }
    const head = firstBytes(qp, sges, numSge, data);
    if (!isRoceFrame(head, 0, head.length)) continue;
    const what = `request ${i} is a frame of RoCEv2, which its NIC alone sends`;
    throw new HostApiError('UNSUPPORTED', describe(qp), what, 'send another protocol, or inject the packet');
  }
}

function firstBytes(qp: Qp, sges: readonly Sge[], numSge: number, data: HostData): Uint8Array {
  const head = new Uint8Array(HEADERS);
  let filled = 0;
  for (let g = 0; g < numSge && filled < HEADERS; g++) {
    const { hi, lo, length } = sges[g] as Sge;
    const n = Math.min(length, HEADERS - filled);
    head.set(data.read(qp.process, hi, lo, n), filled);
    filled += n;
  }
  return head.subarray(0, filled);
}
