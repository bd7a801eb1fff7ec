import { NS } from '../../uvm/kernel/time.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';

/**
 * How long (ps) what queue pairs have sent may be on its way at most, there and back: software connects none of them again
 * before that.
 * @param queued bytes that may wait at one port of a switch
 * @public
 */
export function onItsWay(values: ParameterValues, queued: number): SimTime {
  const { LINK_LATENCY_NS, LINK_GBPS, PCIE_DOWN_NS, PCIE_UP_NS } = values;
  return Math.ceil((2 * (LINK_LATENCY_NS + PCIE_DOWN_NS + PCIE_UP_NS) + (queued * 8) / LINK_GBPS) * NS);
}
