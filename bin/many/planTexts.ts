/** The verification plan of the project, and the names that it may use. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LINK_REPORT_IDS } from '../../agents/link/linkAgent.ts';
import { DDR_REPORT_IDS } from '../../agents/ddr/ddrAgent.ts';
import { PCIE_REPORT_IDS } from '../../agents/pcie/pcieMonitor.ts';
import { WIRE_REPORT_IDS } from '../../agents/wire/wireRules.ts';
import { rdmaCovergroups } from '../../coverage/rdmaCovergroups.ts';
import { ENV_REPORT_IDS } from '../../env/reportIds.ts';
import { inputText, unreadable } from '../../regress/coverage/inputText.ts';
import type { PlanNames, PlanText } from '../../regress/plan/plan.ts';
import { SCB_MEANING } from '../../scoreboard/report/reportIds.ts';
import type { GroupModel } from '../../uvm/coverage/model.ts';
import type { Registry } from '../registry.ts';
import { projectRoot } from '../versions.ts';

/** Holds the exclusions of the project beside its plan. */
export const UNREACHABLE = 'unreachable.yaml';

/** The plan that ships. */
export function planFolder(): string {
  return fileURLToPath(new URL('coverage/plan', projectRoot()));
}

/**
 * @param path a file, or a folder of which every YAML file but the exclusions is part of the plan
 * @throws CoverageError where it cannot be read
 */
export function planTexts(path: string): readonly PlanText[] {
  try {
    const files = statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.yaml') && name !== UNREACHABLE)
          .sort()
          .map((name) => join(path, name))
      : [path];
    return files.map((file) => ({ file, text: inputText(file, { named: `--plan ${path}` }) }));
  } catch (error) {
    throw unreadable(`--plan ${path}`, error);
  }
}

/** @param groups that were measured: a test may have brought its own */
export function planNames({ tests, sequences }: Registry, groups: readonly GroupModel[]): PlanNames {
  const models = [...rdmaCovergroups().map(({ model }) => model), ...groups];
  return {
    tests: new Set([...tests, ...sequences].map(({ name }) => name)),
    covergroups: new Set(models.flatMap(({ name, items }) => [name, ...items.map((item) => `${name}.${item.name}`)])),
    checks: new Set(
      [LINK_REPORT_IDS, PCIE_REPORT_IDS, DDR_REPORT_IDS, WIRE_REPORT_IDS, ENV_REPORT_IDS, SCB_MEANING].flatMap(
        Object.keys,
      ),
    ),
  };
}
