import { expect } from 'chai';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

describe('Plusargs', () => {
  it('takes the first of several values and warns with all of them', () => {
    const p = new Plusargs(['+N=1', '+N=2', '+N=3']);
    expect(p.value('N')).to.equal('1');
    expect(p.value('N')).to.equal('1');
    expect(p.takeWarnings()).to.deep.equal([
      "Multiple (3) +N arguments provided on the command line. '1' will be used. Provided list: 1, 2, 3.",
    ]);
    expect(p.takeWarnings()).to.deep.equal([]);
  });

  it('says nothing of an argument that is given several times with one value', () => {
    const p = new Plusargs(['+HOST_NAME=3', '+HOST_NUM=3', '+HOST_NUM=3']);
    expect(p.value('HOST_NUM', 'HOST_NAME')).to.equal('3');
    expect(p.takeWarnings()).to.deep.equal([]);
  });

  it('treats aliases as one argument', () => {
    const p = new Plusargs(['+HOST_NAME=3', '+HOST_NUM=2']);
    expect(p.value('HOST_NUM', 'HOST_NAME')).to.equal('3');
    expect(p.takeWarnings()).to.have.length(1);
  });

  it('gives all values of an argument that may be repeated, without a warning', () => {
    const p = new Plusargs(['+S=a,b', '+S=c=d']);
    expect(p.values('S')).to.deep.equal(['a,b', 'c=d']);
    expect(p.takeWarnings()).to.deep.equal([]);
  });

  it('knows flags with and without a value', () => {
    const p = new Plusargs(['+TRACE', '+X=1']);
    expect([p.has('TRACE'), p.has('X'), p.has('Y'), p.value('TRACE')]).to.deep.equal([true, true, false, undefined]);
  });

  it('names what nobody asked for, with the nearest known name', () => {
    const p = new Plusargs(['+QP_NMU=3', '+DEPTH', '+USED=1', '-l', 'file']);
    p.value('QP_NUM');
    p.value('DEPTH');
    p.value('USED');
    expect(p.unused()).to.deep.equal([
      { arg: '+QP_NMU=3', reason: 'no such argument is known; did you mean QP_NUM?' },
      { arg: '+DEPTH', reason: 'it needs a value: +DEPTH=<value>' },
    ]);
  });

  it('suggests declared names too, and keeps the whole command line', () => {
    const p = new Plusargs(['+CASEIDD=1', '-sv_seed', '7']);
    p.declare(['CASEID']);
    expect(p.unused()[0]?.reason).to.contain('CASEID');
    expect(p.args).to.deep.equal(['+CASEIDD=1', '-sv_seed', '7']);
  });
});
