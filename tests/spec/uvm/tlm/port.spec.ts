import { expect } from 'chai';
import { Port, UNBOUNDED } from '../../../../uvm/tlm/port.ts';
import { UvmError } from '../../../../uvm/base/uvmError.ts';
import { fixture, Plain } from '../base/runFixture.ts';

interface Echo {
  echo(): string;
}
const a: Echo = { echo: () => 'a' };
const b: Echo = { echo: () => 'b' };

describe('Port (1800.2 5.5)', () => {
  it('reaches its provider through a chain of ports', () => {
    const top = new Plain('top', fixture().run);
    const inner = new Port<Echo>('inner', top);
    const outer = new Port<Echo>('outer', top);
    inner.connect(outer);
    outer.connect(a);
    expect(inner.at().echo()).to.equal('a');
    expect(inner.resolve()).to.equal(undefined);
  });

  it('counts the providers of all branches', () => {
    const top = new Plain('top', fixture().run);
    const hub = new Port<Echo>('hub', top, 0, UNBOUNDED);
    const port = new Port<Echo>('port', top, 2, 3);
    port.connect(hub);
    hub.connect(a);
    hub.connect(b);
    expect([port.size, port.at(1).echo(), port.resolve()]).to.deep.equal([2, 'b', undefined]);
  });

  it('says when too few or too many are connected', () => {
    const top = new Plain('top', fixture().run);
    const port = new Port<Echo>('p', top);
    expect(new Port<Echo>('q', top).resolve()).to.contain(
      'top.q: connection count of 0 does not meet required minimum of 1',
    );
    port.connect(a);
    port.connect(b);
    expect(port.resolve()).to.contain('connection count of 2 exceeds maximum of 1');
  });

  it('rejects use without connection, circles, itself, and connecting after elaboration', () => {
    const top = new Plain('top', fixture().run);
    const p = new Port<Echo>('p', top);
    const q = new Port<Echo>('q', top);
    expect(() => p.at()).to.throw(UvmError, 'has no connection 0');
    expect(() => p.connect(p)).to.throw(UvmError, 'itself');
    p.connect(q);
    q.connect(p);
    expect(() => p.at()).to.throw(UvmError, 'circle');
    const r = new Port<Echo>('r', top, 0);
    r.resolve();
    expect(() => r.connect(a)).to.throw(UvmError, 'after the end of elaboration');
  });

  it('fails the build of a run when a connection is missing', () => {
    const f = fixture();
    const top = new Plain('top', f.run);
    new Port<Echo>('p', top);
    const result = f.run.runTest();
    expect(result.fatalId).to.equal('BUILDERR');
    expect(f.log('UVM_ERROR')[0]).to.contain('top [CONNECTION] top.p: connection count of 0');
  });
});
