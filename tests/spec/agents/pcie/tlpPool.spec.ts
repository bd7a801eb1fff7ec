import { expect } from 'chai';
import { TlpPool, TransactionLimitError } from '../../../../agents/pcie/tlpPool.ts';
import { BLOCK_BYTES } from '../../../../dut-model/nic.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

describe('TlpPool', () => {
  const make = (most: number): TlpPool => {
    const blocks = new BlockPool(ByteStore.create(), BLOCK_BYTES);
    return new TlpPool(blocks, new Scheduler(), 'top.env.hca0.pcie.slave', most);
  };

  it('ends a requester that takes transactions without end, and says whose they are', () => {
    const pool = make(3);
    for (let i = 0; i < 3; i++) pool.acquire();
    const message = /^top\.env\.hca0\.pcie\.slave: all 3 transactions are in use.* a loop that never ends\?/;
    expect(() => pool.acquire()).to.throw(TransactionLimitError, message);
  });

  it('hands out what was given back as often as it is asked to', () => {
    const pool = make(3);
    for (let i = 0; i < 10; i++) pool.release(pool.acquire());
    expect([pool.slots.length, pool.inUse]).to.deep.equal([1, 0]);
  });
});
