/** What a NIC says of completion queues, held against what software knows of them. */
import type { CqQuery } from '../../agents/verbs/cqItems.ts';
import { aCommand, aCompletionQueue } from '../../rdma/subjectParts.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';

/** QUERY_CQ has been answered. */
export function cqQueried({ reporter }: Pick<OracleState, 'reporter'>, query: CqQuery): void {
  const problems = problemsOf(query);
  if (problems.length === 0) return;
  const { host, cqn } = query;
  const text = (): string => `host ${host} CQ ${cqn}: QUERY_CQ says ${problems.join('; ')}`;
  reporter.error(SCB.queryCq, text, [aCompletionQueue(host, cqn), aCommand(host, 'QUERY_CQ')]);
}

/** Completions may be written, and the queue overflow, while it is asked. */
function problemsOf({ entries, written, wasInError, said }: CqQuery): string[] {
  const problems: string[] = [];
  if (entries !== undefined && said.entries !== entries)
    problems.push(`${said.entries} entries, and it has ${entries}`);
  if (wasInError && !said.overflowed) problems.push('that it works, and it has overflowed');
  const more = (said.written - written) | 0;
  if (more < 0 || more > said.entries)
    problems.push(`${said.written} completions written; ${written} were in memory when it was asked`);
  return problems;
}
