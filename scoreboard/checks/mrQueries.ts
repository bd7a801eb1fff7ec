/** What a NIC says of memory regions, held against what software has registered. */
import type { MrQuery } from '../../agents/verbs/mrItems.ts';
import { aCommand, aRegion } from '../../rdma/subjectParts.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';

/** QUERY_MPT has been answered. */
export function mrQueried({ reporter }: Pick<OracleState, 'reporter'>, query: MrQuery): void {
  const problems = problemsOf(query);
  if (problems.length === 0) return;
  const { host, key } = query.registered;
  const text = (): string => `host ${host} key ${hex(key)}: QUERY_MPT says ${problems.join('; ')}`;
  reporter.error(SCB.queryMr, text, [aRegion(host, key), aCommand(host, 'QUERY_MPT')]);
}

/** A region is not changed as long as it is registered: what it was registered with is what it has. */
function problemsOf({ registered, said }: MrQuery): string[] {
  const problems: string[] = [];
  const compare = (what: string, is: string, was: string): void => {
    if (is !== was) problems.push(`${what} ${is}, and it was registered with ${was}`);
  };
  compare('key', hex(said.key >>> 0), hex(registered.key >>> 0));
  compare('protection domain', `${said.pd}`, `${registered.pd}`);
  compare('start', hexAddress(said.hi, said.lo), hexAddress(registered.hi, registered.lo));
  compare('length', `${said.length}`, `${registered.length}`);
  compare('rights', hex(said.access), hex(registered.access));
  compare('addresses', addresses(said.zeroBased), addresses(registered.zeroBased));
  return problems;
}

function addresses(zeroBased: boolean): string {
  return zeroBased ? 'from zero' : 'virtual';
}
