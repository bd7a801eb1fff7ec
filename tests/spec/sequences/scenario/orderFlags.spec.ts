import { expect } from 'chai';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../../rdma/verbs.ts';
import { DirectSource } from '../../../../config/scenario/drawn/directSource.ts';
import { RandomSource } from '../../../../config/scenario/drawn/randomSource.ts';
import { configOf } from '../testConfig.ts';
import { sendsOf } from './collect.ts';

const MIX = '+RC_QP_NUM=3 +UC_QP_NUM=2 +UD_QP_NUM=2 +DB_NUM=3 +SEND_WQE_NUM=4 +WRITE_WQE_NUM=3 +READ_WQE_NUM=2 +IMM=50';
const { fence, solicited } = SEND_FLAG;

/** All requests with the type of their queue pair. */
function all(source: DirectSource | RandomSource) {
  const found = [];
  for (let host = 0; host < source.hosts; host++) {
    for (let qp = 0; qp < source.qpCount(host); qp++) {
      for (let doorbell = 0; doorbell < source.doorbells; doorbell++) {
        for (const send of sendsOf(source, host, qp, doorbell)) found.push({ ...send, type: source.qp(host, qp).type });
      }
    }
  }
  return found;
}

describe('The order flags of compact scenarios', () => {
  for (const Source of [DirectSource, RandomSource]) {
    it(`are those of every request that can have them at 100 %, and of none at 0 % (${Source.name})`, () => {
      const messages: readonly number[] = [WR_OPCODE.send, WR_OPCODE.sendWithImm, WR_OPCODE.rdmaWriteWithImm];
      for (const { opcode, flags, type } of all(new Source(configOf(`${MIX} +FENCE=100 +SOLICITED=100`), 7))) {
        expect((flags & fence) !== 0, 'fence').to.equal(type === QP_TYPE.rc);
        expect((flags & solicited) !== 0, 'solicited').to.equal(messages.includes(opcode));
      }
      for (const { flags } of all(new Source(configOf(MIX), 7))) expect(flags & (fence | solicited)).to.equal(0);
    });

    it(`let all requests but the last one of a doorbell be without a completion, and only then (${Source.name})`, () => {
      const source = new Source(configOf(`${MIX} +UNSIGNALED_PCT=100`), 7);
      for (let doorbell = 0; doorbell < source.doorbells; doorbell++) {
        const signaled = sendsOf(source, 0, 0, doorbell).map((send) => send.signaled);
        expect(signaled).to.deep.equal(signaled.map((_, i) => i === signaled.length - 1));
      }
      expect(source.qp(0, 0).signalAll).to.equal(false);
      const usual = new Source(configOf(MIX), 7);
      expect(usual.qp(0, 0).signalAll).to.equal(true);
      for (const { signaled } of all(usual)) expect(signaled).to.equal(true);
    });

    it(`leave everything else of the requests as it is, and are the same when asked again (${Source.name})`, () => {
      const some = new Source(configOf(`${MIX} +FENCE=50 +SOLICITED=50`), 7);
      const marked = all(some);
      expect(all(some)).to.deep.equal(marked);
      const plain = marked.map((send) => ({ ...send, flags: send.flags & ~(fence | solicited) }));
      expect(plain).to.deep.equal(all(new Source(configOf(MIX), 7)));
      for (const flag of [fence, solicited]) {
        const with50 = marked.filter((send) => (send.flags & flag) !== 0).length;
        expect(with50).to.be.above(0).and.below(marked.length);
      }
    });
  }
});
