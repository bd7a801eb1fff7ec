import { expect } from 'chai';
import { Agent } from '../../../../uvm/base/agent.ts';
import { UvmError } from '../../../../uvm/base/uvmError.ts';
import { FatalStop } from '../../../../uvm/report/fatalStop.ts';
import { fixture, Plain } from './runFixture.ts';

class TestAgent extends Agent {}

describe('Component (1800.2 13.1)', () => {
  it('joins the names of its ancestors to its full name', () => {
    const { run } = fixture();
    const top = new Plain('top', run);
    const env = new Plain('env', top);
    expect(new Plain('host[0]', env).fullName).to.equal('top.env.host[0]');
    expect(env.parent).to.equal(top);
    expect(top.parent).to.equal(null);
    expect(env.run).to.equal(run);
  });

  it('rejects a second child of one name with CLDEXT', () => {
    const { run } = fixture();
    const top = new Plain('top', run);
    new Plain('a', top);
    expect(() => new Plain('a', top))
      .to.throw(UvmError, 'already has a child')
      .with.property('id', 'CLDEXT');
    expect(() => new Plain('top', run))
      .to.throw(UvmError)
      .with.property('id', 'CLDEXT');
    expect(top.children).to.have.length(1);
  });

  it('rejects names that would break paths', () => {
    const { run } = fixture();
    for (const name of ['', 'a.b', 'a b']) expect(() => new Plain(name, run)).to.throw(UvmError, 'plain one');
  });

  it('finds components by relative and absolute path and by pattern', () => {
    const { run } = fixture();
    const top = new Plain('top', run);
    const b = new Plain('b', new Plain('a', top));
    expect(top.lookup('a.b')).to.equal(b);
    expect(b.lookup('.top.a.b')).to.equal(b);
    expect(top.lookup('a.c')).to.equal(undefined);
    expect(top.findAll('*.a*').map((c) => c.fullName)).to.deep.equal(['top.a', 'top.a.b']);
  });

  it('prints the topology with types', () => {
    const { run } = fixture();
    const top = new Plain('top', run);
    new Plain('a', top);
    expect(top.topology()).to.equal('top (Plain)\n  a (Plain)');
  });

  it('builds the text of an info only when its verbosity is shown', () => {
    const { run, lines } = fixture();
    const top = new Plain('top', run);
    let built = 0;
    const text = (): string => `built ${++built}`;
    top.info('ID', text, 300);
    expect(built).to.equal(0);
    top.setVerbosityHier(300);
    top.info('ID', text, 300);
    expect(lines).to.deep.equal(['UVM_INFO @ 0ns: top [ID] built 1']);
  });

  it('unwinds the caller of fatal, unless the severity is overridden', () => {
    const { run, lines } = fixture();
    const top = new Plain('top', run);
    top.reporter.setSeverityOverride(3, 1, 'HARMLESS');
    top.fatal('HARMLESS', 'goes on');
    expect(() => top.fatal('BAD', 'stops')).to.throw(FatalStop);
    expect(lines).to.deep.equal(['UVM_WARNING @ 0ns: top [HARMLESS] goes on', 'UVM_FATAL @ 0ns: top [BAD] stops']);
  });

  it('reads the configuration that applies to it', () => {
    const { run } = fixture();
    run.config.set(null, 'top', 'depth', 4);
    expect(new Plain('top', run).config<number>('depth')).to.equal(4);
  });

  it('makes an agent passive by configuration', () => {
    const { run } = fixture();
    run.config.set(null, 'a', 'is_active', 'UVM_PASSIVE');
    expect(new TestAgent('a', run).isActive).to.equal(false);
    expect(new TestAgent('b', run).isActive).to.equal(true);
  });
});
