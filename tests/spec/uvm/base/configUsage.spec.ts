import { expect } from 'chai';
import type { Component } from '../../../../uvm/base/component.ts';
import { type Fixture, fixture, Plain } from './runFixture.ts';

/** `top` with `env` and `env.agent`; the agent reads `rate` when asked to. */
function tree(): Fixture & { top: Plain; env: Plain; agent: Plain } {
  const f = fixture();
  const top = new Plain('top', f.run);
  const env = new Plain('env', top);
  const agent = new Plain('agent', env);
  return { ...f, top, env, agent };
}

describe('checkConfigUsage', () => {
  it('says nothing when every setting has been read', () => {
    const { run, top, agent, lines } = tree();
    run.config.set(top, 'env.*', 'rate', 5);
    agent.config('rate');
    expect([top.checkConfigUsage(), lines]).to.deep.equal([0, []]);
  });

  it('names what nobody has read, who set it, and why it was not read', () => {
    const { run, top, agent, log } = tree();
    run.config.set(top, 'env.agnt', 'rate', 1);
    run.config.set(top, 'env.agent', 'raet', 'fast');
    run.config.set(null, '*', 'rate', 2);
    run.config.building = false;
    run.config.set(top, 'env.agent', 'rate', 3);
    run.config.set(top, 'env', 'rate', 4);
    agent.config('rate');
    expect(top.checkConfigUsage()).to.equal(4);
    expect(log('CFGNRD')[0]?.split('\n').slice(1)).to.deep.equal([
      "  'top.env.agnt.rate' = 1, set by top: no component matches 'top.env.agnt'; did you mean top.env.agent or top.env?",
      "  'top.env.agent.raet' = 'fast', set by top: nobody asked for the field 'raet'; did you mean rate?",
      "  '*.rate' = 2, set by uvm_root: nobody asked for it where it applies (3 components)",
      "  'top.env.rate' = 4, set by top: nobody asked for it where it applies (top.env)",
    ]);
  });

  it('tells a setting that another has beaten everywhere', () => {
    const { run, env, agent, log } = tree();
    run.config.building = false;
    run.config.set(env, 'agent', 'rate', 1);
    run.config.set(env, 'agent', 'rate', 2);
    agent.config('rate');
    expect(env.checkConfigUsage()).to.equal(1);
    expect(log('CFGNRD')[0]).to.match(/= 1, set by top\.env: another setting came first$/);
  });

  it('keeps to a component and what is below it, or to the component alone', () => {
    const { run, top, env, agent } = tree();
    run.config.set(null, 'nowhere', 'rate', 1);
    run.config.set(top, '', 'rate', 1);
    run.config.set(env, 'agent', 'rate', 1);
    const counts = (c: Component): number[] => [c.checkConfigUsage(), c.checkConfigUsage(false)];
    expect([top, env, agent].map(counts)).to.deep.equal([
      [3, 1],
      [1, 1],
      [1, 1],
    ]);
  });
});

describe('printConfig', () => {
  it('lists what applies to a component, and which setting comes first', () => {
    const { run, top, env, agent, lines } = tree();
    run.config.set(top, '*', 'rate', 1);
    run.config.set(top, 'env.agent', 'rate', 2);
    run.config.set(top, 'env', 'depth', 3);
    agent.config('rate');
    env.printConfig();
    expect(lines).to.deep.equal([
      "UVM_INFO @ 0ns: top.env [CFGPRT] visible settings:\n  'top.*.rate' = 1, set by top\n  'top.env.depth' = 3, set by top",
    ]);
    agent.printConfig(false, true);
    expect(lines[1]?.split('\n').slice(1)).to.deep.equal([
      "  'top.*.rate' = 1, set by top; another setting comes first; never read",
      "  'top.env.agent.rate' = 2, set by top; read once",
    ]);
  });

  it('cuts a long object between its members', () => {
    const { run, top, lines } = tree();
    run.config.set(top, '', 'options', { first: 'a'.repeat(50), second: { third: 1 }, fourth: 'b'.repeat(50) });
    top.printConfig();
    expect(lines[0]?.split('\n')[1]).to.equal(
      `  'top.options' = {first: '${'a'.repeat(50)}', second: {...}, ...}, set by top`,
    );
  });

  it('goes down the tree when asked to', () => {
    const { top, lines } = tree();
    top.printConfig(true);
    expect(lines.map((line) => / (top\S*) \[CFGPRT\] visible settings: none$/.exec(line)?.[1])).to.deep.equal([
      'top',
      'top.env',
      'top.env.agent',
    ]);
  });
});
