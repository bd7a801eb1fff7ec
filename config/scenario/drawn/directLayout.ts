/** Sizes of the published data layout (hangu-interface.md 3.4), and of the GRH entries behind it. */
import type { ParameterValues } from '../../table/parameterTable.ts';
import { sgBytes } from '../../runConfig.ts';

/** Distance of GRH entries: 40 bytes and a guard gap. */
export const GRH_PITCH = 64;

/** Bytes of one doorbell: 2S + W + R slots (RECVs have one each, without data) of SG_NUM entries. */
export function doorbellBytes(v: ParameterValues): number {
  return (2 * v.SEND_WQE_NUM + v.WRITE_WQE_NUM + v.READ_WQE_NUM) * v.SG_NUM * sgBytes(v);
}

/** Start of the GRH entries in the receive area: behind all data, aligned, with a guard gap. */
export function grhBase(v: ParameterValues): number {
  return Math.ceil((v.DB_NUM * doorbellBytes(v)) / GRH_PITCH) * GRH_PITCH + GRH_PITCH;
}

/** Bytes of an area that are in use. */
export function directExtent(v: ParameterValues): number {
  if (v.UD_QP_NUM === 0) return v.DB_NUM * doorbellBytes(v);
  return grhBase(v) + v.DB_NUM * v.SEND_WQE_NUM * GRH_PITCH;
}
