/** How mistakes of the user are printed. */

/** Mistakes that are spelled out, and characters of one: nobody reads more, and a file may hold any number. */
const MOST = 100;
const LONGEST = 4000;

/** All mistakes of one command line, numbered when there are several; of very many the first ones. */
export function problemReport(program: string, problems: readonly string[]): string {
  const [only = ''] = problems;
  const help = `${program} --help shows ${program.endsWith('hca_regress') ? 'the commands' : 'flags and plusargs'}.`;
  if (problems.length === 1) return `${program}: ${shortened(only)}\nNothing was run; ${help}`;
  const list = problems.slice(0, MOST).map((problem, i) => `${String(i + 1).padStart(3)}. ${shortened(problem)}`);
  if (problems.length > MOST) list.push(`     and ${problems.length - MOST} more`);
  return `${program}: ${problems.length} mistakes, nothing was run; ${help}\n${list.join('\n')}`;
}

function shortened(problem: string): string {
  const left = problem.length - LONGEST;
  if (left <= 0) return problem;
  const half = LONGEST / 2;
  return `${problem.slice(0, half)} ... (${left} characters) ... ${problem.slice(-half)}`;
}
