import { expect } from 'chai';
import { failureGroupLines, failureGroups } from '../../../../regress/report/failureGroups.ts';
import { signatureText } from '../../../../regress/report/signatureText.ts';
import type { JobResult } from '../../../../regress/job.ts';
import { aResult } from '../../support/jobs.ts';

function failure(id: string, message: string, time = 5, reportId = 'SCB_DATA'): JobResult {
  const signature = { id: reportId, component: 'uvm_test_top.env.scoreboard', message, time };
  return aResult({ id, status: 'failed', signature, message: `[${reportId}] ${message}`, replay: `./hca_test ${id}` });
}

const DIFFERS = (operation: string, qp: number, entries: string, byte: number): string =>
  `${operation} (wrId 448, WQE 0, 1024 B in ${entries}) of host 1 QP ${qp} (process 2, UD), received by RECV (wrId 3) ` +
  `of host 0 QP 20 (process 1, UD): data differ at byte ${byte} of 1024, host 0 process 1 0x00008029_0000${qp}; ` +
  'expected c8 4d 94 ca, found ca fe ca fe';

describe('the signature of a failure', () => {
  it('is the same for every request, packet, address, time and number', () => {
    const one = signatureText(DIFFERS('SEND', 21, '3 SG entries', 23));
    expect(one).to.equal('data differ at byte # of #; expected #, found #');
    expect(signatureText(DIFFERS('SEND_WITH_IMM', 5, '1 SG entry', 0))).to.equal(one);
    const packet = (who: string, at: string): string =>
      `host 1 QP 22 to host 0 QP 23: ${who}, PSN 0x9f6276 (frame of 90 B, on the wire at ${at}) has PSN 0x9f where 1 is next`;
    expect(signatureText(packet('UD SEND_ONLY_IMM', '881347.1ns'))).to.equal('#, PSN # has PSN # where # is next');
    expect(signatureText(packet('RC RDMA_WRITE_FIRST', '12us'))).to.equal('#, PSN # has PSN # where # is next');
    expect(signatureText('hca1 and connection12: MAC 02:00:00:00:0a:02, 1 poll')).to.equal(
      signatureText('hca0 and connection3: MAC 02:00:00:00:00:01, 20000 polls'),
    );
  });

  it('is that of the first queue pair where several are listed, one request or many', () => {
    const stuck = (list: string): string => `no useful progress for 500ms (last progress at 1ns): ${list}`;
    const one = stuck('host 1 QP 14 (process 1, RC) waits for 1 send completion, first of SEND (wrId 1)');
    const more = 'host 0 QP 14 (process 1, RC) waits for 2 receive completions, first for RECV (wrId 7)';
    const many = stuck(`host 0 QP 9 (process 2, RC) waits for 19 send completions, first of READ (wrId 3); ${more}`);
    expect(signatureText(many)).to.equal(signatureText(one));
  });

  it('keeps what tells causes apart: sentences, statuses, commands, names of protocols', () => {
    const status = 'SEND (wrId 1) of host 0 QP 17 completed with REM_ACCESS_ERR; expected SUCCESS';
    expect(signatureText(status)).to.equal('# of host # QP # completed with REM_ACCESS_ERR; expected SUCCESS');
    expect(signatureText('WRITE_MTT (modifier 1) ended with BAD_PARAM')).to.equal('WRITE_MTT ended with BAD_PARAM');
    expect(signatureText('no RoCEv2 over IPv4')).to.equal('no RoCEv2 over IPv4');
  });

  it('is the same whatever the operation, wherever in the text it is named', () => {
    const refused = (operation: string, service: string): string =>
      `${operation} (wrId 1) of host 0 QP 17 was answered as ${service} ${operation} of host 1 QP 9 (process 2)`;
    expect(signatureText(refused('SEND', 'RC'))).to.equal(signatureText(refused('SEND_WITH_IMM', 'RC')));
    expect(signatureText(refused('RDMA_WRITE', 'UC'))).to.equal(signatureText(refused('RDMA_READ', 'RC')));
    expect(signatureText('a READ_MTT command')).to.equal('a READ_MTT command');
  });

  it('has an end, so that long lists in messages make no groups of their own', () => {
    const fields = (n: number): string => `flags differ${Array.from({ length: n }, () => ', and more').join('')}`;
    expect(signatureText(fields(60))).to.equal(signatureText(fields(90)));
  });
});

describe('the groups of failures', () => {
  const results = [
    aResult({ id: 'p' }),
    failure('a', 'there is no such QP', 9, 'HCA_CQE'),
    failure('b', DIFFERS('SEND', 21, '3 SG entries', 23), 700),
    failure('c', DIFFERS('WRITE', 2, '1 SG entry', 0), 300),
    failure('d', DIFFERS('READ', 2, '1 SG entry', 0), 300),
    aResult({ id: 'e', status: 'usage', message: 's.sh:3: -x: unknown flag', replay: '' }),
  ];

  it('are counted, the largest first, each with the run whose error came earliest', () => {
    const groups = failureGroups(results);
    expect(groups.map(({ id, count, smallest, runs }) => [id, count, smallest, runs.join()])).to.deep.equal([
      ['SCB_DATA', 3, 'c', 'b,c,d'],
      ['HCA_CQE', 1, 'a', 'a'],
      ['usage', 1, 'e', 'e'],
    ]);
    expect(groups[0]?.replay).to.equal('./hca_test c');
  });

  it('are one where the same errors came in another order, and are not for one error that they share', () => {
    const run = (id: string, first: string, ...rest: string[]): JobResult => ({
      ...failure(id, `${first} text`, 1, first),
      errorIds: [first, ...rest],
    });
    const both = failureGroups([run('a', 'ONE', 'TWO'), run('b', 'TWO', 'ONE'), run('c', 'ONE', 'TWO')]);
    expect(both.map(({ id, count, runs }) => [id, count, runs.join()])).to.deep.equal([['ONE', 3, 'a,c,b']]);
    expect(failureGroups([run('a', 'ONE', 'TWO'), run('b', 'TWO')])).to.have.length(2);
  });

  it('are one for a cause and its consequence, whatever else has followed in each run', () => {
    const run = (id: string, first: string, ...rest: string[]): JobResult => ({
      ...failure(id, `${first} text`, 1, first),
      errorIds: [first, ...rest],
    });
    const skipped = [run('a', 'PSN', 'MSN', 'DATA'), run('b', 'PSN', 'STUCK'), run('c', 'MSN', 'PSN', 'ORDER')];
    expect(failureGroups(skipped).map(({ id, runs }) => [id, runs.join()])).to.deep.equal([['PSN', 'a,b,c']]);
    const other = [run('d', 'PSN'), run('e', 'PSN'), run('f', 'MSN', 'PSN')];
    expect(failureGroups(other), 'no run of the larger group has the other error').to.have.length(2);
    const alone = [...skipped, run('g', 'MSN')];
    expect(failureGroups(alone), 'one run of the smaller group is without the cause').to.have.length(2);
  });

  it('are one for two errors of one id that come together, by their texts', () => {
    const run = (id: string, ...texts: string[]): JobResult => ({
      ...failure(id, texts[0] as string, 1, 'PATH'),
      errorIds: ['PATH'],
      findings: { errors: texts.map((text) => ({ id: 'PATH', text })), isWhole: true, dut: 'hangu', plusargs: [] },
    });
    const both = failureGroups([run('a', 'class', 'version'), run('b', 'class'), run('c', 'version', 'class')]);
    expect(both.map(({ text, runs }) => [text, runs.join()])).to.deep.equal([['class', 'a,b,c']]);
    expect(failureGroups([run('a', 'class', 'version'), run('b', 'version')])).to.have.length(2);
  });

  it('say which errors followed, in how many runs', () => {
    const runs = [['ONE', 'TWO', 'THREE'], ['ONE', 'TWO'], ['ONE']].map((errorIds, i) => ({
      ...failure(`r${i}`, 'x', 1, 'ONE'),
      errorIds,
    }));
    expect(failureGroupLines(failureGroups(runs))).to.include('    followed by TWO (2), THREE (1)');
  });

  it('are kept apart by report id though their texts are equal', () => {
    expect(failureGroups([failure('a', 'x', 1, 'ONE'), failure('b', 'x', 1, 'TWO')])).to.have.length(2);
  });

  it('are shown with the line that repeats the smallest run, if any does', () => {
    expect(failureGroupLines(failureGroups(results))).to.deep.equal([
      '5 failures, 3 signatures:',
      '  3 [SCB_DATA] data differ at byte # of #; expected #, found #',
      '    smallest c: ./hca_test c',
      '  1 [HCA_CQE] there is no such QP',
      '    smallest a: ./hca_test a',
      '  1 [usage] s.sh:#: -x: unknown flag',
      '    smallest e',
    ]);
  });

  it('are not shown for one failure or none, and not all for very many', () => {
    expect(failureGroupLines(failureGroups(results.slice(0, 2)))).to.deep.equal([]);
    expect(failureGroupLines(failureGroups([aResult()]))).to.deep.equal([]);
    const many = Array.from({ length: 26 }, (_, i) => failure(`f${i}`, 'x', 1, `ID_${i}`));
    expect(failureGroupLines(failureGroups(many)).at(-1)).to.equal('  ... and 6 more, in report.json');
  });
});
