/**
 * NICs that are reset at their port. As after power-up such a NIC knows nothing: until software brings it up again it sends no frame,
 * drops what comes (roce-transport.md 4.1 no. 6: a queue pair that does not exist answers nothing, NAKs included), and makes no request
 * of its host.
 */

import type { FailedAccess } from '../../agents/pcie/faults/failedAccess.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import type { SubjectPart } from '../../rdma/subject.ts';
import type { DeviceLife } from '../model/deviceLife.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { SCB } from '../report/reportIds.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { aHost, aMoment, aPacket, bytesOfHost } from '../../rdma/subjectParts.ts';

/** A request of a NIC, as it sends it. */
export type SentRequest = Pick<FailedAccess, 'hi' | 'lo' | 'length'> & { readonly isWrite: boolean };

export class Resets {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A packet leaves a NIC. */
  packet(p: WirePacket): void {
    const life = this.#s.devices.of(p.host);
    if (life.isUp) return;
    const what = `${opcodeName(p.opcode)}, PSN ${psnText(p.psn)} to host ${p.to} QP ${p.destQp} was sent`;
    this.#report(life, what, aPacket(p, p.sourceQp));
  }

  /** A NIC makes a request of its host. */
  request(host: number, { isWrite, hi, lo, length }: SentRequest): void {
    const life = this.#s.devices.of(host);
    if (life.isUp) return;
    const what = `a ${isWrite ? 'write' : 'read'} of ${length} bytes at ${hexAddress(hi, lo)} was sent`;
    this.#report(life, what, bytesOfHost(host, hi, lo, length));
  }

  #report({ host, resetAt }: DeviceLife, what: string, accused: SubjectPart): void {
    const text = `by the NIC of host ${host}, which was reset at ${logTime(resetAt)} and not opened since`;
    this.#s.reporter.error(SCB.reset, () => `${what} ${text}`, [accused, aHost(host), aMoment(resetAt)]);
  }
}
