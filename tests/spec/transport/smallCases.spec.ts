/**
 * Small inputs that once came out wrong: NICs that do not what their profiles declare, or do, and connections whose ends were
 * given path MTUs that differ. Each is written anew from the input that users had sent.
 */

import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { hangu, type NicEntry } from '../../../dut-model/index.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { type OneWay, oneWay } from '../../../sequences/user/oneWay.ts';
import { reconnection, resetBoth, takeSteps } from '../../../sequences/user/reconnection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { play, playOn } from '../tests/harness.ts';

const BYTES = 3000;
/** More refusals than a counter of three bits holds, with a wait of 10 us each. */
const LATE = 400_000_000;
const MARKED = '+RC_QP_NUM=8 +WRITE_WQE_NUM=8 +DATA_CNT=8 +DATA_UNIT=KB +ECN_PCT=50';

/** One request of several packets from an end with one path MTU to an end with another. */
abstract class UnequalMtus extends UserSequence {
  static readonly typeName: string = 'small_case';
  override readonly services = [QP_TYPE.rc];
  protected abstract readonly mtus: readonly [left: number, right: number];
  protected abstract request(way: OneWay): Proc<void>;

  override *connection({ left, right }: Connection): Proc<void> {
    yield* resetBoth(left, right);
    const [mtu, other] = this.mtus;
    yield* takeSteps(right, reconnection(right, left, { psn: 100, mtu: other }, 200));
    yield* takeSteps(left, reconnection(left, right, { psn: 200, mtu }, 100));
    yield* this.request(yield* oneWay(left, right, BYTES));
  }
}

class MtuLarger extends UnequalMtus {
  protected override readonly mtus = [4096, 1024] as const;
  protected override *request({ from, to, source, sink }: OneWay): Proc<void> {
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectStatus(yield* from.sent(), WC_STATUS.remInvReqErr, 'SEND');
    this.expectStatus(yield* to.received(), WC_STATUS.wrFlushErr, 'receive');
  }
}

class MtuSmaller extends UnequalMtus {
  protected override readonly mtus = [1024, 4096] as const;
  protected override *request({ from, source, target }: OneWay): Proc<void> {
    yield* from.write(source, target);
    yield* from.write(source, target);
    this.expectStatus(yield* from.sent(), WC_STATUS.remInvReqErr, 'WRITE');
    this.expectStatus(yield* from.sent(), WC_STATUS.wrFlushErr, 'WRITE behind it');
  }
}

/** A receive whose middle entry has no bytes. */
class EmptyEntry extends UserSequence {
  static readonly typeName: string = 'small_case';
  override readonly needs = { entries: 3 } as const;
  override *connection({ left, right }: Connection): Proc<void> {
    const [source, sink] = [yield* left.source(100), yield* right.sink(300)];
    yield* right.receive([sink.part(0, 40), sink.part(150, 0), sink.part(200, 60)]);
    yield* left.send(source);
    this.expectSuccess(yield* right.received(), 'receive');
    this.expectSuccess(yield* left.sent(), 'SEND');
  }
}

class LongRnr extends UserSequence {
  static readonly typeName: string = 'small_case';
  override readonly services = [QP_TYPE.rc];
  override *connection({ left, right }: Connection): Proc<void> {
    const [source, sink] = [yield* left.source(100), yield* right.sink(300)];
    yield* left.send(source);
    yield* delay(LATE);
    yield* right.receive(sink);
    this.expectSuccess(yield* right.received(), 'receive');
    this.expectSuccess(yield* left.sent(), 'SEND');
  }
}

const SEQUENCES: readonly (readonly [title: string, sequence: new (name: string) => UserSequence])[] = [
  ['a SEND whose requester has the larger path MTU is refused, and both ends are flushed', MtuLarger],
  ['a WRITE whose requester has the smaller path MTU is refused, and what is behind it is flushed', MtuSmaller],
  ['a receive with an entry of no bytes between others holds a message in the others', EmptyEntry],
  ['a SEND is refused more than eight times in a row, and arrives when its receive has come', LongRnr],
];

const BUGS: readonly (readonly [title: string, bug: string, line: string, id: RegExp])[] = [
  ['sets MigReq in every packet', 'migration_requested', '', /^\[WIRE_DECLARED\] .* MigReq/],
  ['grants no credits', 'credits_none', '', /^\[WIRE_DECLARED\] .* credit/],
];

/** Paces CNPs by port. */
class PortPaced extends hangu.CongestionUnit {
  #notBefore = 0;

  override accepted(...[slot, packet]: Parameters<hangu.CongestionUnit['accepted']>): void {
    slot.cnpNotBefore = this.#notBefore;
    super.accepted(slot, packet);
    this.#notBefore = slot.cnpNotBefore;
  }
}

/** @param declares whether its profile says so */
function portPaced(name: string, declares: boolean): NicEntry {
  const shipped = NIC_CATALOG[0] as NicEntry;
  const { profile } = shipped;
  return {
    ...shipped,
    name,
    faults: [],
    profile: declares ? { ...profile, choices: { ...profile.choices, cnpPacing: 'port' } } : profile,
    nic: () => (context, knobs) =>
      new hangu.HanguNic(context, hangu.resolveHanguConfig(knobs), { congestion: PortPaced }),
  };
}

describe('a small case', () => {
  let registry: Registry;

  before(async () => {
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, portPaced('paced', true), portPaced('undeclared', false)] };
  });

  for (const [title, bug, line, id] of BUGS)
    it(`finds that a NIC ${title}, which its profile denies`, () => {
      expect(playOn(registry, 'test_smoke', `${line} +DUT_FAULT=${bug} +UVM_MAX_QUIT_COUNT=1`).message).to.match(id);
    });

  it('finds that a NIC tells of no marks on READ responses and on packets of UC, which its profile promises', () => {
    // With a longer time between CNPs those for the READ requests silence those for the answers.
    const reads = '+RC_QP_NUM=4 +READ_WQE_NUM=8 +DATA_CNT=8 +DATA_UNIT=KB +MTU=1024 +ECN_PCT=50 +NIC_CNP_NS=1000';
    const unreliable =
      '+RC_QP_NUM=0 +UC_QP_NUM=4 +SEND_WQE_NUM=8 +RECV_WQE_NUM=8 +DATA_CNT=8 +DATA_UNIT=KB +MTU=1024 +ECN_PCT=50';
    for (const line of [`${reads} +SEND_WQE_NUM=0 +RECV_WQE_NUM=0`, unreliable]) {
      const { message } = playOn(
        registry,
        'test_direct_param',
        `${line} +DUT_FAULT=cnp_requests_alone +UVM_MAX_QUIT_COUNT=1`,
      );
      expect(message, line).to.match(/^\[WIRE_CNP_MISSING\]/);
    }
  });

  it('passes where a NIC paces CNPs by port and declares that, and fails where it does not declare that', () => {
    const verdictOf = (dut: string): string => playOn(registry, 'test_direct_param', `${MARKED} +DUT=${dut}`).message;
    expect(verdictOf('paced')).to.equal('');
    expect(verdictOf('undeclared')).to.match(/^\[WIRE_CNP_MISSING\]/);
  });

  for (const [title, sequence] of SEQUENCES)
    it(title, async () => {
      const line = '+UVM_TEST_SEQ=small_case +RC_QP_NUM=2';
      const { verdict, message } = await play('test_sequence', line, 1, ({ factory }) => {
        factory.register('small_case', sequence);
      });
      expect([message, verdict]).to.deep.equal(['', 'passed']);
    });
});
