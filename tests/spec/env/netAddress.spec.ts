import { expect } from 'chai';
import fc from 'fast-check';
import { NetAddresses, usualAddress } from '../../../env/ports/netAddress.ts';
import { FastStream } from '../../../uvm/random/randomStream.ts';
import { play } from '../tests/harness.ts';

const HOSTS = 8;

describe('network addresses of hosts', () => {
  it('are numbered from one as usual, and those that a seed draws where any are asked for', () => {
    const usual = NetAddresses.usual(HOSTS);
    for (let host = 0; host < HOSTS; host++) expect(usual.of(host)).to.deep.equal(usualAddress(host));
    expect(NetAddresses.any(2, new FastStream('7')).of(1)).to.deep.equal(
      NetAddresses.any(2, new FastStream('7')).of(1),
    );
    expect(() => usual.of(HOSTS)).to.throw('host 8 has no addresses: there are 8 hosts');
  });

  it('are those of ports, each of one host alone, whatever is drawn', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const drawn = NetAddresses.any(HOSTS, new FastStream(seed));
        const ports = Array.from({ length: HOSTS }, (_, host) => drawn.of(host));
        for (const [host, { macHigh, macLow, ipv4, ipv6 }] of ports.entries()) {
          expect(macHigh & 0x100, 'multicast MAC').to.equal(0);
          const network = ipv4 >>> 24;
          expect(network).to.be.within(1, 223);
          expect(network).to.not.equal(127);
          expect(ipv6[0] >>> 24).to.be.within(1, 0xfe);
          expect(drawn.hostOf(macHigh, macLow | 0)).to.equal(host);
        }
        for (const of of ['ipv4', 'ipv6'] as const)
          expect(new Set(ports.map((p) => String(p[of]))).size).to.equal(HOSTS);
        expect(drawn.hostOf(0x0100, 1)).to.equal(-1);
      }),
    );
  });

  it('make no IPv4 header of an IPv6 source address that looks like one', async () => {
    // Of seed 266, byte 12 of the second host's GID is 0x45.
    const line = '+UD_QP_NUM=1 +RC_QP_NUM=0 +IPV6=1 +NET_ADDRESSES=any +SEND_WQE_NUM=2';
    const run = await play('test_direct_param', line, 266);
    expect(run.verdict, run.log).to.equal('passed');
  });
});
