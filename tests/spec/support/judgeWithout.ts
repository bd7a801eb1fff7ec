/** Rows of the judge without which specs are played: the judge's mutation test names one (bin/bugs/judgeMutation.ts). */

import { rowNames } from '../../../scoreboard/model/judgeRows.ts';

export const JUDGE_WITHOUT: readonly string[] = rowNames(process.env['JUDGE_WITHOUT'] ?? '');
