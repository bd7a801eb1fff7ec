import { expect } from 'chai';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { checkRemoteHost } from '../../../env/verbs/remoteHostCheck.ts';

function refusal(remote: number, own: number, hosts: number): HostApiError | undefined {
  try {
    checkRemoteHost('host 0 RC QP 14', 'av.remoteHost', remote, own, hosts);
    return undefined;
  } catch (error) {
    return error as HostApiError;
  }
}

describe('checkRemoteHost', () => {
  it('takes every other host', () => {
    for (const remote of [0, 1, 3]) expect(refusal(remote, 2, 4)).to.equal(undefined);
  });

  it('refuses the own host, with the value, the nearest other host and why', () => {
    const error = refusal(0, 0, 2) as HostApiError;
    expect(error).to.be.instanceOf(HostApiError);
    expect(error).to.include({ kind: 'ATTRIBUTE', where: 'host 0 RC QP 14', value: 0 });
    expect(error.message).to.equal(
      'host 0 RC QP 14: av.remoteHost is 0, the host itself, and the link brings nothing back; ' +
        'use another of the hosts 0 .. 1; the nearest is 1',
    );
  });

  it('refuses hosts that do not exist, with the nearest that does', () => {
    const nearest = (remote: number, own: number): string => refusal(remote, own, 4)?.message.slice(-1) ?? '';
    expect([nearest(4, 0), nearest(9, 3), nearest(-1, 0), nearest(1.5, 0), nearest(Number.NaN, 0)]).to.deep.equal([
      '3',
      '2',
      '1',
      '1',
      '1',
    ]);
    expect(refusal(7, 0, 2)?.message).to.contain(
      'av.remoteHost is 7; use another of the hosts 0 .. 1; the nearest is 1',
    );
  });
});
