/** What report ids stand for. */

import { LINK_REPORT_IDS } from '../../../agents/link/linkAgent.ts';
import { DDR_REPORT_IDS } from '../../../agents/ddr/ddrAgent.ts';
import { PCIE_REPORT_IDS } from '../../../agents/pcie/pcieMonitor.ts';
import { WIRE_REPORT_IDS } from '../../../agents/wire/wireRules.ts';
import { ENV_REPORT_IDS } from '../../../env/reportIds.ts';
import { SCB_MEANING } from '../../../scoreboard/report/reportIds.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  ...LINK_REPORT_IDS,
  ...PCIE_REPORT_IDS,
  ...DDR_REPORT_IDS,
  ...WIRE_REPORT_IDS,
  ...ENV_REPORT_IDS,
  ...SCB_MEANING,
};

/** In a sentence; '' where the id is none of the project. */
export function meaningOf(id: string): string {
  return MEANINGS[id] ?? '';
}
