import { expect } from 'chai';
import { Glob } from '../../../../uvm/base/glob.ts';

describe('Glob (1800.2 C.4.6)', () => {
  it('matches a literal only when it is equal', () => {
    expect(new Glob('top.env').matches('top.env')).to.equal(true);
    expect(new Glob('top.env').matches('topxenv')).to.equal(false);
    expect(new Glob('top.env').matches('top.env.a')).to.equal(false);
  });

  it('lets * stand for any characters across dots, + for one or more, ? for one', () => {
    expect(new Glob('*.env*').matches('top.env.host.pcie')).to.equal(true);
    expect(new Glob('top+').matches('top')).to.equal(false);
    expect(new Glob('top.h?').matches('top.h1')).to.equal(true);
    expect(new Glob('top.h?').matches('top.h12')).to.equal(false);
  });

  it('does not read dots and brackets as regular expression', () => {
    expect(new Glob('a[0].*').matches('a[0].b')).to.equal(true);
    expect(new Glob('a[0].*').matches('a0.b')).to.equal(false);
  });

  it('takes a pattern between slashes as a regular expression', () => {
    expect(new Glob('/host[01]$/').matches('top.host1')).to.equal(true);
    expect(new Glob('/host[01]$/').matches('top.host2')).to.equal(false);
  });
});
