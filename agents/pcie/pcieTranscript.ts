/** Kinds under which PCIe traffic is folded into the run's transcript. Status sits in bits 10:8, poison in bit 7. */
export const PCIE_TRANSCRIPT = {
  write: 1,
  readRequest: 2,
  completion: 3,
  barWrite: 4,
  barRead: 5,
  barCompletion: 6,
  configRead: 7,
  configWrite: 8,
} as const;
