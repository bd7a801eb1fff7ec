/**
 * Order of PSNs (24 bits) and message numbers (16 bits), as the judge reads blue-rdma.md section 6: written here once more,
 * so that a mistake of NIC or driver is not repeated.
 */

const PSN_SPACE = 2 ** 24;
const MSN_SPACE = 2 ** 16;

/** Steps from `from` to `to`, -2^23 .. 2^23 - 1. */
export function psnSteps(from: number, to: number): number {
  const ahead = (to - from + PSN_SPACE) % PSN_SPACE;
  return ahead < PSN_SPACE / 2 ? ahead : ahead - PSN_SPACE;
}

export function nextPsn(psn: number, steps = 1): number {
  return (((psn + steps) % PSN_SPACE) + PSN_SPACE) % PSN_SPACE;
}

export function nextMsn(msn: number): number {
  return (msn + 1) % MSN_SPACE;
}
