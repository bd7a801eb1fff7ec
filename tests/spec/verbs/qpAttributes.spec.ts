import { expect } from 'chai';
import { ATTRIBUTE_BIT, attributeMask } from '../../../env/verbs/qpAttributes.ts';
import type { QpAttributeName, QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';

describe('attributeMask', () => {
  it('sets the bit of each attribute that is given, and of the state', () => {
    for (const name of Object.keys(ATTRIBUTE_BIT) as QpAttributeName[]) {
      const value = name === 'av' ? { remoteHost: 0 } : name === 'enSqdAsyncNotify' ? false : 0;
      const attr = { state: QP_STATE.init, [name]: value } as QpAttributes;
      expect(attributeMask(attr), name).to.equal(ATTRIBUTE_BIT.state | ATTRIBUTE_BIT[name]);
    }
  });

  it('takes an attribute that is undefined as not given', () => {
    const attr = { state: QP_STATE.rts, qkey: undefined } as unknown as QpAttributes;
    expect(attributeMask(attr)).to.equal(ATTRIBUTE_BIT.state);
  });

  it('gives every attribute a bit of its own', () => {
    const bits = Object.values(ATTRIBUTE_BIT);
    expect(new Set(bits).size).to.equal(bits.length);
  });
});
