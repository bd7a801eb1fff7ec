import { expect } from 'chai';
import { ConfigDb } from '../../../../uvm/base/configDb.ts';
import { Event } from '../../../../uvm/kernel/event.ts';

const top = { fullName: 'top', parent: null };
const env = { fullName: 'top.env', parent: top };
const agent = { fullName: 'top.env.agent', parent: env };

describe('ConfigDb (1800.2 C.4.2)', () => {
  it('gives a value to the instances that the pattern names', () => {
    const db = new ConfigDb();
    db.set(top, 'env.*', 'rate', 100);
    expect(db.get(agent, '', 'rate')).to.equal(100);
    expect(db.get(env, '', 'rate')).to.equal(undefined);
    expect(db.get(env, 'agent', 'rate')).to.equal(100);
  });

  it('addresses the context itself by an empty instance name', () => {
    const db = new ConfigDb();
    db.set(env, '', 'mtu', 1024);
    expect(db.get(env, '', 'mtu')).to.equal(1024);
    expect(db.get(agent, '', 'mtu')).to.equal(undefined);
  });

  it('lets the component higher up win while the hierarchy is built, whoever sets later', () => {
    const db = new ConfigDb();
    db.set(top, 'env.agent', 'rate', 'test');
    db.set(env, 'agent', 'rate', 'env');
    expect(db.get(agent, '', 'rate')).to.equal('test');
  });

  it('lets the later setting win among equals and after the build phase', () => {
    const db = new ConfigDb();
    db.set(top, '*', 'rate', 1);
    db.set(top, 'env.agent', 'rate', 2);
    expect(db.get(agent, '', 'rate')).to.equal(2);
    db.building = false;
    db.set(env, 'agent', 'rate', 3);
    expect(db.get(agent, '', 'rate')).to.equal(3);
  });

  it('accepts a pattern as the field name', () => {
    const db = new ConfigDb();
    db.set(null, '*', 'delay_*', 5);
    expect(db.get(agent, '', 'delay_max')).to.equal(5);
    expect(db.exists(agent, '', 'rate')).to.equal(false);
  });

  it('distinguishes a value of undefined effect from none by exists', () => {
    const db = new ConfigDb();
    db.set(null, 'top', 'flag', 0);
    expect(db.exists(top, '', 'flag')).to.equal(true);
    expect(db.get(top, '', 'flag')).to.equal(0);
  });

  it('triggers the event of whoever waits for a change', () => {
    const db = new ConfigDb();
    const event = new Event('change');
    db.notify(agent, '', 'rate', event);
    db.set(top, 'env', 'rate', 1);
    expect(event.isOn).to.equal(false);
    db.set(top, '*', 'rate', 1);
    expect(event.isOn).to.equal(true);
  });

  it('traces sets and gets', () => {
    const db = new ConfigDb();
    const lines: string[] = [];
    db.trace = (id, text) => lines.push(`${id} ${text}`);
    db.set(top, 'env', 'rate', 'fast');
    db.get(env, '', 'rate');
    expect(lines).to.deep.equal([
      "CFGDB/SET Configuration 'top.env.rate' set by top = 'fast'",
      "CFGDB/GET Configuration 'top.env.rate' read = 'fast'",
    ]);
  });
});
