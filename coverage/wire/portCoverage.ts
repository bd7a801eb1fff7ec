/** Samples the covergroups of ports and of pairs of NICs, where a run has several of either. */

import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { ObservedNic } from '../observed.ts';
import { nicPairCg, nicPortCg, PortSample } from './portGroups.ts';

const CLASS_SHIFT = 5;

export class PortCoverage implements Subscriber<DecodedPacket> {
  readonly #nics: readonly ObservedNic[];
  readonly #ports;
  readonly #pairs;
  readonly #sample = new PortSample();

  /** @param nics by host */
  constructor(collector: CoverageCollector, nics: readonly ObservedNic[]) {
    this.#nics = nics;
    this.#ports = nics.some(({ limits }) => (limits.ports ?? 1) > 1) ? collector.create(nicPortCg) : undefined;
    this.#pairs = new Set(nics).size > 1 ? collector.create(nicPairCg) : undefined;
  }

  /** Whether there is anything to sample. */
  get isNeeded(): boolean {
    return this.#ports !== undefined || this.#pairs !== undefined;
  }

  /** A packet leaves a NIC. */
  write({ host, to, port, opcode, flags }: DecodedPacket): void {
    const s = this.#sample;
    s.port = port;
    s.service = opcode >>> CLASS_SHIFT;
    s.isRequest = (flags & OPCODE.request) !== 0;
    s.isMixed = to >= 0 && this.#nics[host] !== this.#nics[to];
    if ((this.#nics[host]?.limits.ports ?? 1) > 1) this.#ports?.sample(s);
    if (to >= 0) this.#pairs?.sample(s);
  }
}
