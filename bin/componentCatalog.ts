/** The components of the environment by class name, so that the command line can name them in overrides. */

import { LinkAgent } from '../agents/link/linkAgent.ts';
import { WireMonitor } from '../agents/wire/wireMonitor.ts';
import { PcieDriver } from '../agents/pcie/pcieDriver.ts';
import { PcieHostAgent } from '../agents/pcie/pcieHostAgent.ts';
import { PcieMaster } from '../agents/pcie/pcieMaster.ts';
import { PcieMonitor } from '../agents/pcie/pcieMonitor.ts';
import { PcieSequencer } from '../agents/pcie/pcieSequencer.ts';
import { PcieSlave } from '../agents/pcie/pcieSlave.ts';
import { HcaEnv } from '../env/hcaEnv.ts';
import { HostEnv } from '../env/hostEnv.ts';
import { Scoreboard } from '../scoreboard/scoreboard.ts';
import type { Constructor } from '../uvm/base/factory.ts';

/** Everything below a test that it makes through the factory. */
export const COMPONENT_CATALOG: Readonly<Record<string, Constructor>> = {
  HcaEnv,
  HostEnv,
  LinkAgent,
  PcieDriver,
  PcieHostAgent,
  PcieMaster,
  PcieMonitor,
  PcieSequencer,
  PcieSlave,
  Scoreboard,
  WireMonitor,
};
